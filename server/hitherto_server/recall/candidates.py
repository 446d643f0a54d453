"""From ranked numbers to memories: what bars them, covers them, explains them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.recall.coverage import coverage, occurring
from hitherto_server.recall.hits import USER_WIDE, Found, Scores
from hitherto_server.recall.stem import folded

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.recall.arms import Evidence
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.driver import Row

    Floor = Callable[[Scores], str | None]


def bar_of_state(state: Row, *, shows_superseded: bool, now_ms: int) -> str | None:
    """Return why a memory's state forbids to show it, or None."""
    if state["expires_at_ms"] is not None and state["expires_at_ms"] <= now_ms:
        return "expired"
    if shows_superseded:
        return None
    if state["superseded_by"] is not None:
        return "superseded"
    if state["true_until_ms"] is not None and state["true_until_ms"] <= now_ms:
        return "no longer true"
    return None


def described(state: Row, text: Row, scores: Scores, *, barred: str | None) -> Found:
    """Return a memory as recall passes it on."""
    return Found(
        number=text["number"],
        id=text["id"],
        revision=text["revision"],
        content=text["content"],
        kind=state["kind"],
        scope="user" if text["project"] == USER_WIDE else "project",
        source=text["source"],
        tier=state["tier"],
        is_suspect=bool(state["suspect"]),
        tags=tuple(json.loads(text["tags"])),
        files=tuple(sorted(filter(None, text["paths"].split("\n")))),
        importance=text["importance"],
        learned_at_ms=text["learned_at_ms"],
        changed_at_ms=text["changed_at_ms"],
        confirmed_at_ms=text["confirmed_at_ms"],
        superseded_by=state["superseded_by"],
        scores=scores,
        barred=barred,
    )


def weighed(
    found: Found, query: PreparedQuery, evidence: Evidence, category: str, floor: Floor
) -> Found:
    """Return the memory with its coverage, its reasons, and what the floor says of it."""
    context = " ".join([found.kind, category, *found.tags, *found.files])
    terms = occurring(query, folded(f"{found.content}\n{context}"))
    scores = replace(found.scores, coverage=coverage(query, terms), terms=len(terms))
    near = None if evidence.passages is None else evidence.passages.get(found.number)
    return replace(
        found,
        scores=scores,
        best_passage=None if near is None else (near.start, near.end),
        below=floor(scores),
        why=tuple(_reasons(found, scores, query)),
    )


def _reasons(found: Found, scores: Scores, query: PreparedQuery) -> list[str]:
    reasons: list[str] = []
    if scores.is_exact:
        reasons.append("its id was given")
    if scores.names:
        reasons.append("names " + ", ".join(sorted(scores.names)))
    if scores.file is not None:
        reasons.append(f"tied to {scores.file}")
    if scores.terms:
        reasons.append(f"{scores.terms} of {len(query.words) + len(query.names)} terms")
    if scores.passage is not None:
        reasons.append(f"meaning {scores.passage:.2f}")
    if found.is_suspect:
        reasons.append("suspect")
    if found.tier == "candidate":
        reasons.append("candidate")
    return reasons
