"""How much a memory matters to the task of a worker that is about to begin: `rerank`'s levels."""

from __future__ import annotations

from hitherto_server.judge.surface import Surface
from hitherto_server.judge.surfaces.rerank import (
    Candidate,
    decide,
    question_for,
    questions_for,
    ranked,
    state_of,
)

__all__ = ["SURFACE", "Candidate", "decide", "questions_for", "ranked", "state_of"]

SURFACE = Surface(
    name="brief-rank",
    version=1,
    asks="How much does each memory that was found matter to the task of a worker that begins?",
    moment=(
        "Before a subagent begins whose task was told apart from the others, within its hook's "
        "deadline."
    ),
    sends=(
        "The worker's task (at most 2,000 characters) and excerpts of at most 10 memories "
        "(at most 1,000 characters each)."
    ),
    timeout_s=1.2,
    thresholds={"least_relevance": 1.5},
    action=(
        "What was judged is sorted anew among its own places; what is judged below "
        "`least_relevance` is not in the brief."
    ),
    fallback="The order of the fusion and the measured floor.",
    effect="ranks",
    samples={"c1": question_for("c1")},
)
