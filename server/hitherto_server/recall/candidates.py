"""From ranked numbers to memories: what bars them, covers them, explains them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.core.text import counted
from hitherto_server.core.words import folded
from hitherto_server.recall.coverage import coverage, occurring, whole_names
from hitherto_server.recall.hits import USER_WIDE, Found, Scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.recall.nearest import Nearest
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.driver import Row


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


def described(
    state: Row,
    text: Row,
    scores: Scores,
    *,
    barred: str | None,
    below: str | None = None,
    passage: Nearest | None = None,
    why: tuple[str, ...] = (),
) -> Found:
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
        wrong_sessions=state["wrong_sessions"],
        scores=scores,
        best_passage=None if passage is None else (passage.start, passage.end),
        barred=barred,
        below=below,
        why=why,
    )


class Match(NamedTuple):
    """How much of a question a memory holds."""

    names: frozenset[str]
    coverage: float | None
    held: frozenset[str]


def match_of(state: Row, text: Row, query: PreparedQuery) -> Match:
    """Return how much of the question the memory holds."""
    context = f"{state['kind']} {text['category']} {text['tags']} {text['paths']}"
    whole = folded(f"{text['content']}\n{context}")
    terms = occurring(query, whole)
    return Match(whole_names(query, whole), coverage(query, terms), terms)


def covered(scores: Scores, text: Row, match: Match) -> Scores:
    """Return the scores together with how much of the question the memory holds."""
    return replace(
        scores,
        names=match.names,
        coverage=match.coverage,
        held=match.held,
        # One passage is the whole memory; the mean of several is measured for those shown.
        semantic=scores.passage if text["passages"] == 1 else None,
    )


def reasons_of(scores: Scores, state: Row, query: PreparedQuery) -> tuple[str, ...]:
    """Say in words what speaks for a memory, and what is odd about it."""
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
    return (*reasons, *_oddities(state))


def _oddities(state: Row) -> Iterator[str]:
    if state["suspect"]:
        yield "suspect"
    if state["tier"] == "candidate":
        yield "candidate"
    if state["wrong_sessions"]:
        yield f"said to be wrong in {counted(state['wrong_sessions'], 'session')}"
