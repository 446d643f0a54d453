"""Cases of several memories on levels: rerank, brief-rank and trash-triage."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import load_relevance, load_worth
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.judge.surfaces import brief_rank, rerank, trash_triage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.items import Graded, Request, Worth
    from hitherto_server.benches.trial import Ask

RELEVANT_FROM = 2
"""Background helps; what is only tangential is not given unasked."""
EXPENDABLE_FROM = 3
TODAY = date(2026, 6, 1)


def relevance_cases() -> list[Case]:
    """Return requests, each with its candidates, as one request of the surface."""
    return [
        Case(tuple(relevance_label(one, memory) for memory in one.candidates), partial(_rank, one))
        for one in load_relevance()
    ]


def relevance_label(request: Request, memory: Graded) -> Label:
    """Return what a person says of a memory beside a request."""
    expected = "given" if memory.grade >= RELEVANT_FROM else "left out"
    return Label(request.id, "relevance", memory.hard, expected, memory.grade)


async def _rank(request: Request, ask: Ask, thresholds: Mapping[str, float]) -> Sequence[Said]:
    shown = [
        rerank.Candidate(f"c{at}", one.content) for at, one in enumerate(request.candidates, 1)
    ]
    answers = await ask(rerank.state_of(request.request, shown), rerank.questions_for(shown))
    judged = {} if answers is None else rerank.decide(answers, [one.key for one in shown])
    least = thresholds["least_relevance"]
    return [
        UNSAID
        if one.key not in judged
        else Said("given" if judged[one.key] >= least else "left out", grade=judged[one.key])
        for one in shown
    ]


def triage_cases() -> list[Case]:
    """Return memories by tens, as the clean-up asks about them."""
    items = load_worth()
    size = trash_triage.MOST_CANDIDATES
    batches = [items[at : at + size] for at in range(0, len(items), size)]
    return [
        Case(tuple(map(triage_label, batch)), partial(_triage, batch=batch)) for batch in batches
    ]


def triage_label(item: Worth) -> Label:
    """Return what a person says of a memory that may go."""
    expected = "expendable" if item.expendability >= EXPENDABLE_FROM else "kept"
    return Label(item.id, "expendability", item.hard, expected, item.expendability)


def learned_on(item: Worth) -> str:
    """Return the day on which a memory of this age was learned."""
    return (TODAY - timedelta(days=item.age_days)).isoformat()


async def _triage(
    ask: Ask, _thresholds: Mapping[str, float], *, batch: Sequence[Worth]
) -> Sequence[Said]:
    shown = [
        trash_triage.Candidate(
            key=f"c{at}",
            content=one.content,
            category=None,
            importance=one.written_importance,
            learned_on=learned_on(one),
            times_recalled=one.times_recalled,
            duplicates_another=one.duplicates_another,
        )
        for at, one in enumerate(batch, 1)
    ]
    answers = await ask(trash_triage.state_of(shown), trash_triage.questions_for(shown))
    scores = {} if answers is None else trash_triage.decide(answers, shown)
    found = [scores.get(one.key) for one in shown]
    return [UNSAID if one is None else _expendable(one.score) for one in found]


def _expendable(score: float) -> Said:
    """The list has no threshold: where the levels turn, a reader would stop."""
    return Said("expendable" if score >= EXPENDABLE_FROM - 0.5 else "kept", grade=score)


RELEVANCE = (Aspect("relevance", ("given", "left out"), positive="given"),)
RERANK = Trial(rerank.SURFACE, ("relevance",), RELEVANCE, relevance_cases)
BRIEF_RANK = Trial(brief_rank.SURFACE, ("relevance",), RELEVANCE, relevance_cases)
TRASH_TRIAGE = Trial(
    trash_triage.SURFACE,
    ("worth",),
    (Aspect("expendability", ("expendable", "kept"), positive="expendable"),),
    triage_cases,
)
