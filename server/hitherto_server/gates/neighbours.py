"""Finds what a statement may repeat or contradict, and says so: before the write and after it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.recall.query import prepare, terms_match
from hitherto_server.recall.vectors import cosines_of, wholes_of
from hitherto_server.store import neighbours as rows
from hitherto_server.store.derived import vector_model
from hitherto_server.store.recall import find_words, list_vectors, list_vectors_of
from hitherto_server.store.relations import propose
from hitherto_server.store.signs import find_nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hitherto_server.gates.duplicates import Finding
    from hitherto_server.store.driver import Connection, Row

MOST_TERMS = 8
MOST_BY_WORDS = 8
MOST_BY_MEANING = 16
MOST_PASSAGES = 4
MOST_JUDGED = 4
MOST_FREELY_WORDED = 2
"""So many of the nearest are judged whatever words they share."""
MOST_SINCE = 32
MOST_NOTES = 3
SPOKEN_OF = frozenset(("duplicate", "update", "conflict"))

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Neighbour:
    """A memory at the revision that was compared, and what the new statement is to it."""

    number: int
    id: str
    revision: int
    is_newer: bool
    """Whether it was written or changed after the statement that it is compared with."""
    finding: Finding


@dataclass(frozen=True)
class Subject:
    """The statement whose neighbours are looked for."""

    project: int
    content: str
    number: int = 0
    """0: it is not stored yet."""
    changed_at_ms: int | None = None
    """None: it is being written now."""


@dataclass(frozen=True)
class Neighbourhood:
    """What was found around a statement, and up to which memory was looked."""

    near: tuple[Neighbour, ...]
    newest: int


def look_by_words(connection: Connection, subject: Subject) -> Neighbourhood:
    """Find what shares a statement's words; it needs no vector, so a write can wait for it."""
    newest = rows.newest_number(connection)
    question = prepare(subject.content)
    match = terms_match((*question.words, *question.names)[:MOST_TERMS])
    scopes = (subject.project,)
    found = find_words(connection, match, scopes, most=MOST_BY_WORDS) if match else {}
    return Neighbourhood(_compared(connection, found, subject), newest)


def look_by_meaning(connection: Connection, subject: Subject, model: str) -> Neighbourhood:
    """Find what lies near a memory whose passages have their vectors."""
    newest = rows.newest_number(connection)
    own = [row["vector"] for row in list_vectors_of(connection, model, [subject.number])]
    cosines = cosines_around(connection, subject, own, model)
    return Neighbourhood(_compared(connection, cosines, subject, cosines), newest)


def cosines_around(
    connection: Connection, subject: Subject, own: Sequence[bytes], model: str
) -> dict[int, float]:
    """Return the memories that lie near a statement's vectors, each with its cosine as a whole."""
    own = own[:MOST_PASSAGES]
    found: set[int] = set()
    for vector in own:
        found |= _nearest(connection, vector, subject.project, model)
    return _cosines(connection, found - {subject.number}, own, model)


def say(
    connection: Connection, subject: Subject, around: Neighbourhood, *, at_ms: int
) -> tuple[str, ...]:
    """Record what a memory is to its neighbours as they are now, and return notes on it."""
    since = rows.list_since(connection, subject.project, around.newest, most=MOST_SINCE)
    near = (*_unchanged(connection, subject, around), *_compared(connection, since, subject))
    notes = [_note(one) for one in near if _say_of(connection, subject, one, at_ms)]
    return tuple(notes[:MOST_NOTES])


def _nearest(connection: Connection, vector: bytes, project: int, model: str) -> set[int]:
    if vector_model(connection) == model:
        near = find_nearest(connection, vector, project, model=model, most=MOST_BY_MEANING)
        return {one.number for one in near}
    stored = list_vectors(connection, model, (project,))
    best = sorted(zip(cosines_of(stored, vector), stored, strict=True), key=lambda one: -one[0])
    return {row["number"] for _, row in best[:MOST_BY_MEANING]}


def _cosines(
    connection: Connection, numbers: Iterable[int], own: Sequence[bytes], model: str
) -> dict[int, float]:
    """Return the cosine of each memory as a whole to ours as a whole."""
    if not own:
        return {}
    import numpy as np

    total = np.sum([np.frombuffer(vector, dtype="<f4") for vector in own], axis=0)
    length = float(np.linalg.norm(total))
    if length == 0.0:
        return {}
    whole = (total / length).astype("<f4").tobytes()
    return wholes_of(list_vectors_of(connection, model, numbers), whole)


def _compared(
    connection: Connection,
    numbers: Iterable[int],
    subject: Subject,
    cosines: Mapping[int, float] | None = None,
) -> tuple[Neighbour, ...]:
    """Judge the few that share most words, and the nearest; too low a cosine excludes them."""
    # the rules take 50 ms to load, which no start has to spare
    from hitherto_server.gates.duplicates import SUBJECT_COSINE

    near = [n for n in numbers if cosines is None or cosines[n] >= SUBJECT_COSINE]
    live = rows.list_live(connection, near, subject.project, but=subject.number)
    found = (
        _neighbour(row, subject, cosines[row["number"]] if cosines else None)
        for row in _worth(live, subject, cosines)
    )
    return tuple(filter(None, found))


def _worth(live: Iterable[Row], subject: Subject, cosines: Mapping[int, float] | None) -> list[Row]:
    """Return the memories that share most words with a statement, then the nearest of the rest."""
    from hitherto_server.gates.duplicates import LEAST_GLANCE
    from hitherto_server.gates.statements.glance import likeness

    glanced = sorted(
        ((likeness(row["content"], subject.content), row) for row in live),
        key=lambda one: -one[0],
    )
    worth = {row["number"]: row for share, row in glanced[:MOST_JUDGED] if share >= LEAST_GLANCE}
    if cosines is not None:
        nearest = sorted((row for _, row in glanced), key=lambda row: -cosines[row["number"]])
        worth |= {row["number"]: row for row in nearest[:MOST_FREELY_WORDED]}
    return list(worth.values())


def _neighbour(row: Row, subject: Subject, cosine: float | None) -> Neighbour | None:
    from hitherto_server.gates.duplicates import judge

    changed = subject.changed_at_ms
    is_newer = changed is not None and (
        (row["changed_at_ms"], row["number"]) > (changed, subject.number)
    )
    older, newer = row["content"], subject.content
    if is_newer:
        older, newer = newer, older
    try:
        finding = judge(older, newer, cosine)
    except Exception:
        # a text that trips a rule must not cost its writer the write
        log.exception("memory %s was not compared", row["id"])
        return None
    return Neighbour(row["number"], row["id"], row["revision"], is_newer, finding)


def _unchanged(connection: Connection, subject: Subject, around: Neighbourhood) -> list[Neighbour]:
    worth = [one for one in around.near if one.finding.relation is not None]
    numbers = [one.number for one in worth]
    live = rows.list_live(connection, numbers, subject.project, but=subject.number)
    now = {row["number"]: row["revision"] for row in live}
    return [one for one in worth if now.get(one.number) == one.revision]


def _say_of(connection: Connection, subject: Subject, neighbour: Neighbour, at_ms: int) -> bool:
    """Record what was found, and tell whether the writer should hear of it."""
    finding = neighbour.finding
    if finding.relation is None:
        return False
    both = (neighbour.number, subject.number)
    is_news = propose(
        connection,
        finding.relation,
        newer=both[0] if neighbour.is_newer else both[1],
        older=both[1] if neighbour.is_newer else both[0],
        at_ms=at_ms,
        reason=finding.reason,
        slot=finding.slot,
    )
    return is_news and finding.kinship in SPOKEN_OF


def _note(neighbour: Neighbour) -> str:
    finding = neighbour.finding
    merge = f'reflect with action "supersede", id {neighbour.id} and this text'
    match finding.kinship:
        case "duplicate":
            return f"says much the same as {neighbour.id}; both are kept. To keep one: {merge}"
        case "update":
            return f"differs from {neighbour.id}: {finding.reason}. If it replaces that: {merge}"
        case _:
            return f"may contradict {neighbour.id}: {finding.reason}. If it replaces that: {merge}"
