"""What somebody who asked is answered: hits within limit and budget, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.recall.admission import OVER_BUDGET, OVER_LIMIT
from hitherto_server.recall.excerpt import excerpt_of, tokens_of
from hitherto_server.recall.explain import explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.recall.arms import Evidence
    from hitherto_server.recall.hits import Found, Question
    from hitherto_server.recall.query import PreparedQuery

LEAST_EXCERPT = 30


def reply_of(
    question: Question,
    query: PreparedQuery,
    evidence: Evidence,
    found: Sequence[Found],
    took_ms: float,
    *,
    weight: float,
    notes: Sequence[str] = (),
) -> contract.RecallReply:
    """Return the answer; each memory that was looked at is a hit or is counted as withheld."""
    outcomes: dict[str, str] = {}
    hits: list[contract.Hit] = []
    room = question.token_budget
    slots = min(question.limit, sum(_is_fit(one) for one in found))
    for one in found:
        reason = one.barred or one.below
        if reason is None and len(hits) >= question.limit:
            reason = OVER_LIMIT
        if reason is None and room < LEAST_EXCERPT:
            reason = OVER_BUDGET
        outcomes[one.id] = reason or "returned"
        if reason is None:
            share = max(room // max(slots - len(hits), 1), LEAST_EXCERPT)
            excerpt = excerpt_of(one.content, query, budget=share, around=one.best_passage)
            room -= tokens_of(excerpt)
            hits.append(hit_of(one, excerpt))
    return contract.RecallReply(
        hits=hits,
        withheld=_counted(outcomes),
        arms=evidence.arms,
        took_ms=round(took_ms, 3),
        explain=explained(query, evidence, found, outcomes, weight) if question.explain else None,
        ranked_by="judgment" if any(hit.judged_relevance is not None for hit in hits) else "fusion",
        notes=list(notes),
    )


def hit_of(found: Found, excerpt: str) -> contract.Hit:
    """Return a memory as it crosses the process border."""
    view = found.standing
    return contract.Hit(
        id=found.id,
        revision=found.revision,
        excerpt=excerpt,
        kind=found.kind,
        scope=found.scope,
        source=found.source,
        tags=list(found.tags),
        files=list(found.files),
        learned_at_ms=found.learned_at_ms,
        confirmed_at_ms=found.confirmed_at_ms,
        standing="unverified" if view is None else view.standing,
        standing_reason="not looked up" if view is None else view.reason,
        superseded_by=found.superseded_by,
        semantic_score=found.scores.semantic,
        passage_score=found.scores.passage,
        keyword_coverage=found.scores.coverage,
        fusion_score=found.scores.fusion,
        judged_relevance=None if found.relevance is None else round(found.relevance, 2),
        why=list(found.why),
    )


def _is_fit(found: Found) -> bool:
    return found.barred is None and found.below is None


def _counted(outcomes: dict[str, str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for outcome in outcomes.values():
        if outcome != "returned":
            counts[outcome] = counts.get(outcome, 0) + 1
    return counts
