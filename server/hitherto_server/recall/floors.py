"""How good the evidence must be: low where somebody asked, high where nobody did."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.recall.hits import Scores

LEAST_COVERAGE = 0.30
LEAST_COSINE = 0.25
STRONG_COVERAGE = 0.60
STRONG_TERMS = 2
COMMON_NAME = 10
"""A name that more memories than this hold (`README.md`) is no evidence by itself."""


def explicit_floor(scores: Scores) -> str | None:
    """Return why a memory is too far from what somebody asked for, or None."""
    if scores.is_exact or scores.names or scores.file is not None:
        return None
    if scores.coverage is not None and scores.coverage >= LEAST_COVERAGE:
        return None
    if scores.passage is not None and scores.passage >= LEAST_COSINE:
        return None
    return "below the floor"


def automatic_floor(
    scores: Scores, known_names: Mapping[str, int], cosine_floor: float
) -> str | None:
    """Return why a memory is too far to be injected unasked, or None."""
    if scores.is_exact:
        return None
    if scores.passage is not None and scores.passage >= cosine_floor:
        return None
    if _holds_all_names(scores, known_names):
        return None
    if _holds_most_words(scores):
        return None
    return _measured(scores, cosine_floor)


def _holds_all_names(scores: Scores, known_names: Mapping[str, int]) -> bool:
    rare = {name for name, holders in known_names.items() if holders <= COMMON_NAME}
    return bool(rare) and rare <= scores.names


def _holds_most_words(scores: Scores) -> bool:
    if scores.passage is not None and scores.passage < LEAST_COSINE:
        return False  # the same words about something else
    strong = scores.coverage is not None and scores.coverage >= STRONG_COVERAGE
    return strong and scores.terms >= STRONG_TERMS


def _measured(scores: Scores, cosine_floor: float) -> str:
    covered = "unmeasured" if scores.coverage is None else f"{scores.coverage:.2f}"
    if scores.passage is None:
        return f"below the floor: coverage {covered}, cosine unmeasured"
    return f"below the floor: cosine {scores.passage:.2f} < {cosine_floor:.2f}, coverage {covered}"
