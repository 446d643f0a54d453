"""The arms of recall: each finds memories by one kind of evidence and says if it could be asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.core.text import people_in
from hitherto_server.core.words import folded
from hitherto_server.recall.meaning import OK, Dense
from hitherto_server.recall.nearest import Nearest
from hitherto_server.recall.query import quoted, terms_match
from hitherto_server.recall.vectors import cosines_of
from hitherto_server.store import recall as rows
from hitherto_server.store.derived import vector_model

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hitherto_server.recall.known import Known
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.recall.rarity import Rarity
    from hitherto_server.recall.scope_vectors import ScopeVectors
    from hitherto_server.store.driver import Connection, Row

WORDS_A_HIT, PASSAGES_A_HIT = 10, 5
LEAST_DEEP = 30
"""What either arm gives at least, however few are shown."""
MOST_NAMED = 200
MOST_ANCHORED = 50
MOST_BY_PREFIX = 10

WORD = re.compile(r"[^\W_]+")
NO_INDEX = "no vector index: numpy scan"


class Near(NamedTuple):
    """The best passages of memories, or why they could not be asked."""

    passages: dict[int, Nearest] | None
    reason: str


@dataclass
class Evidence:
    """What the arms found; None: the arm could not be asked."""

    words: dict[int, float] | None = None
    passages: dict[int, Nearest] | None = None
    names: dict[int, set[str]] = field(default_factory=dict)
    known_names: dict[str, int] = field(default_factory=dict)
    """Names of the query that any memory holds, with how many do."""
    files: dict[int, str] = field(default_factory=dict)
    exact: set[int] = field(default_factory=set)
    chunks: set[int] = field(default_factory=set)
    """What was cut from a transcript."""
    said: set[int] = field(default_factory=set)
    """What was said by somebody whom the query names."""
    arms: dict[str, str] = field(default_factory=dict)

    @property
    def numbers(self) -> set[int]:
        found = {*(self.words or ()), *(self.passages or ()), *self.names}
        return found | set(self.files) | self.exact


def ask_by_words(
    connection: Connection,
    query: PreparedQuery,
    scopes: tuple[int, ...],
    files: tuple[str, ...],
    rarity: Rarity,
    *,
    most: int,
) -> Evidence:
    """Ask every arm that needs no vector; `most` is how deep the words are asked."""
    evidence = Evidence()
    asks_pieces = not query.names or not rarity.is_large(connection)
    whole = _ask_names(connection, query, scopes, evidence, asks_pieces=asks_pieces)
    if terms_match((*query.words, *query.names)) is None:
        evidence.arms["words"] = "no words to look for"
    else:
        words = rarity.rarest(connection, query.words)
        evidence.words = _find_words(connection, (*words, *whole), scopes, most)
        evidence.arms["words"] = OK
    _ask_files(connection, files, scopes, evidence)
    _ask_ids(connection, query, scopes, evidence)
    return evidence


def ask_by_meaning(
    connection: Connection,
    scopes: tuple[int, ...],
    dense: Dense,
    evidence: Evidence,
    known: Known,
    *,
    vectors: ScopeVectors,
    most: int,
) -> None:
    """Add what the passages say, and the cosine of all that the other arms found."""
    near = ask_passages(connection, scopes, dense, vectors, most=most, also=evidence.numbers)
    evidence.passages, evidence.arms["passages"] = near
    _measure_the_rest(connection, dense, evidence, known)
    evidence.chunks = rows.find_chunks(connection, evidence.numbers)
    _note_who_said(connection, known.query, evidence)


def _find_words(
    connection: Connection, terms: tuple[str, ...], scopes: tuple[int, ...], most: int
) -> dict[int, float]:
    match = terms_match(terms)
    return rows.find_words(connection, match, scopes, most=most) if match else {}


def _ask_names(
    connection: Connection,
    query: PreparedQuery,
    scopes: tuple[int, ...],
    evidence: Evidence,
    *,
    asks_pieces: bool,
) -> list[str]:
    """Find who holds the names or pieces of them; return the names that are held whole.

    To look for another one among the words takes a walk over the whole store, and finds nothing.
    """
    held = []
    for name in query.names:
        holders = _find_whole(connection, name, scopes)
        if holders:
            held.append(name)
        elif _has_pieces(name, asks_pieces=asks_pieces):
            holders = rows.find_named(connection, quoted(name), scopes, most=MOST_NAMED)
        if holders:
            evidence.known_names[name] = len(holders)
        for number in holders:
            evidence.names.setdefault(number, set()).add(name)
    evidence.arms["identifiers"] = OK if query.names else "no identifiers to look for"
    return held


def _find_whole(connection: Connection, name: str, scopes: tuple[int, ...]) -> list[int]:
    # the word index has a scope's rows together, so a whole name costs a fraction there
    match = terms_match((name,))
    return rows.find_holding(connection, match, scopes, most=MOST_NAMED) if match else []


def _has_pieces(name: str, *, asks_pieces: bool) -> bool:
    """Tell whether a name is worth looking for within longer ones (`Config` of `parseConfig`).

    Only the trigrams have these. The end of a path is a phrase of the word index too; of a name of
    several words (`retry_upload`) it has every piece but cut words, too dear in a large store.
    """
    return "/" not in name and (asks_pieces or len(WORD.findall(name)) == 1)


def _ask_files(
    connection: Connection, files: tuple[str, ...], scopes: tuple[int, ...], evidence: Evidence
) -> None:
    if files:
        evidence.files = rows.find_anchored(connection, files, scopes, most=MOST_ANCHORED)
    evidence.arms["files"] = OK if files else "no files to look for"


def _ask_ids(
    connection: Connection, query: PreparedQuery, scopes: tuple[int, ...], evidence: Evidence
) -> None:
    for memory_id in query.ids:
        evidence.exact.update(rows.find_by_id(connection, memory_id, scopes))
    for prefix in query.id_prefixes:
        found = rows.find_by_id_prefix(connection, prefix, scopes, most=MOST_BY_PREFIX)
        evidence.exact.update(found)
    if query.ids or query.id_prefixes:
        evidence.arms["id"] = OK


def ask_passages(
    connection: Connection,
    scopes: tuple[int, ...],
    dense: Dense,
    vectors: ScopeVectors,
    *,
    most: int,
    also: Collection[int] = (),
) -> Near:
    """Find the passages nearest to a query's vector, and those of `also` where that is for free."""
    if dense.vector is None or dense.model is None:
        return Near(None, dense.reason)
    passages: dict[int, Nearest] = {}
    if vector_model(connection) == dense.model:
        for scope in scopes:
            near = vectors.find_nearest(
                connection, dense.vector, scope, model=dense.model, most=most, also=also
            )
            for one in near:
                place = Nearest(one.cosine, one.start_char, one.end_char)
                _keep_better(passages, one.number, place)
        return Near(passages, dense.reason)
    stored = rows.list_vectors(connection, dense.model, scopes)
    _keep_best(passages, stored, cosines_of(stored, dense.vector))
    return Near(passages, NO_INDEX)


def _measure_the_rest(
    connection: Connection, dense: Dense, evidence: Evidence, known: Known
) -> None:
    """Measure the cosine of what only the other arms found: beyond the nearest is not 0."""
    if evidence.passages is None or dense.vector is None or dense.model is None:
        return
    missing = evidence.numbers - evidence.passages.keys()
    if missing:
        stored = known.vectors(connection, dense.model, missing)
        _keep_best(evidence.passages, stored, cosines_of(stored, dense.vector))


def _note_who_said(connection: Connection, query: PreparedQuery, evidence: Evidence) -> None:
    if query.people:
        actors = rows.list_actors_of(connection, evidence.numbers)
        named = ((number, map(folded, people_in(actor))) for number, actor in actors.items())
        evidence.said = {number for number, people in named if query.people.intersection(people)}


def _keep_best(best: dict[int, Nearest], found: list[Row], cosines: Iterable[float]) -> None:
    for row, cosine in zip(found, cosines, strict=True):
        _keep_better(best, row["number"], Nearest(cosine, row["start_char"], row["end_char"]))


def _keep_better(best: dict[int, Nearest], number: int, near: Nearest) -> None:
    if number not in best or near.cosine > best[number].cosine:
        best[number] = near
