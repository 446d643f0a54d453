"""A recall on a reader's thread: what needs no vector while the model works, then all the rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hitherto_server.recall.arms import (
    LEAST_DEEP,
    PASSAGES_A_HIT,
    WORDS_A_HIT,
    Evidence,
    ask_by_meaning,
    ask_by_words,
)
from hitherto_server.recall.candidates import bar_of_state, covered, described, reasons_of
from hitherto_server.recall.feedback import bar_wrong
from hitherto_server.recall.fusion import fuse
from hitherto_server.recall.hits import Found, Question, Scores
from hitherto_server.recall.known import Known
from hitherto_server.recall.meaning import ASKED_EMBED_S, UNASKED_EMBED_S
from hitherto_server.recall.query import PreparedQuery, relative_files
from hitherto_server.recall.rarity import Rarity
from hitherto_server.recall.repeats import bar_repeated
from hitherto_server.recall.scope_vectors import ScopeVectors
from hitherto_server.recall.vectors import wholes_of
from hitherto_server.store import ledger
from hitherto_server.store import recall as rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_server.recall.floors import Floor
    from hitherto_server.recall.fusion import Ranking
    from hitherto_server.recall.meaning import Dense, Meaning
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.store.driver import Connection, Row

EXAMINED_BEYOND = 4
EXAMINED_AFTER_ALL = 15
"""So many beyond the limit where too few of the first are fit to be shown."""
SPARE = 6
MOST_VIEWED_UNASKED = 8
MOST_IN_BRIEF = 20

Delivered = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Look:
    """A question as a reader's job takes it."""

    question: Question
    query: PreparedQuery
    weight: float
    now_ms: int
    floor: Callable[[PreparedQuery, Sequence[Scores]], Floor]
    viewed: int
    """For how many memories standing is looked up."""
    session_id: str | None = None
    """The session whose ledger counts."""
    agent: str = ""
    """Its subagent, where that one's ledger counts."""
    model: str | None = None
    """The model that makes the question's vector, if one does."""
    rarity: Rarity = field(default_factory=Rarity)
    vectors: ScopeVectors = field(default_factory=ScopeVectors)

    @property
    def is_unasked(self) -> bool:
        return self.session_id is not None

    @property
    def passages(self) -> int:
        """How many of the nearest passages are asked for."""
        return LEAST_DEEP if self.is_unasked else max(LEAST_DEEP, PASSAGES_A_HIT * self.viewed)

    @property
    def words(self) -> int:
        """How many of the memories that hold its words are asked for."""
        return LEAST_DEEP if self.is_unasked else max(LEAST_DEEP, WORDS_A_HIT * self.viewed)

    @property
    def examined(self) -> int:
        """How many candidates are read and weighed."""
        return self.viewed + EXAMINED_BEYOND


@dataclass(frozen=True)
class Looked:
    """Everything that was looked at for a question, best first."""

    query: PreparedQuery
    evidence: Evidence
    found: tuple[Found, ...]
    delivered: Delivered = frozenset()


def look_up(connection: Connection, look: Look, meaning: Meaning, lookout: Lookout) -> Looked:
    """Find, weigh and view the memories that answer a question."""
    question, query = look.question, look.query
    evidence, known = _find_by_words(connection, look)
    dense = meaning.wait(UNASKED_EMBED_S if look.is_unasked else ASKED_EMBED_S)
    ask_by_meaning(
        connection,
        question.scopes,
        dense,
        evidence,
        known,
        vectors=look.vectors,
        most=look.passages,
    )
    ranking = fuse(evidence, look.weight)
    found = _examine(connection, look, evidence, ranking, known)
    delivered: Delivered = frozenset()
    if look.session_id is not None:
        delivered = ledger.delivered(connection, look.session_id, look.agent)
        found = bar_wrong(connection, found, look.session_id)
        found = bar_repeated(connection, found, delivered)
    viewed = _to_view(found, look.viewed, delivered)
    found = _with_wholes(connection, found, viewed, dense)
    asked = [known.text(one.number) for one in found if one.number in viewed]
    found = _with_standing(connection, found, asked, lookout, question)
    return Looked(query, evidence, tuple(found), delivered)


def view_more(
    connection: Connection,
    found: list[Found],
    delivered: Delivered,
    lookout: Lookout,
    question: Question,
) -> list[Found]:
    """Look up the standing of what may be shown now and was not viewed before; no repeats."""
    found = bar_repeated(connection, found, delivered)
    viewed = _to_view(found, MOST_VIEWED_UNASKED, delivered)
    unseen = [one.number for one in found if one.number in viewed and one.standing is None]
    asked = list(rows.list_texts(connection, unseen).values())
    return _with_standing(connection, found, asked, lookout, question)


def _find_by_words(connection: Connection, look: Look) -> tuple[Evidence, Known]:
    """Find what needs no vector, and read what will likely be weighed."""
    question, query = look.question, look.query
    root = None if question.root is None else str(question.root)
    files = relative_files((*question.files, *query.files), root)
    evidence = ask_by_words(connection, query, question.scopes, files, look.rarity, most=look.words)
    known = Known(query, question.scopes, look.model)
    likely = fuse(evidence, look.weight).numbers[: look.examined]
    in_memory = look.vectors.keeps(question.scopes)
    known.read_early(connection, likely, () if in_memory else evidence.numbers)
    return evidence, known


def look_for_brief(
    connection: Connection,
    question: Question,
    session_id: str,
    now_ms: int,
    lookout: Lookout,
) -> tuple[list[Found], Delivered]:
    """Find and view what a session should know without asking, and what it was given already."""
    numbers = rows.list_for_brief(connection, question.scopes, most=MOST_IN_BRIEF)
    states = rows.list_states(connection, numbers, question.scopes)
    texts = rows.list_texts(connection, numbers)
    found = []
    for number in numbers:
        barred = bar_of_state(states[number], shows_superseded=False, now_ms=now_ms)
        found.append(described(states[number], texts[number], Scores(), barred=barred))
    delivered = ledger.delivered(connection, session_id)
    found = bar_repeated(connection, bar_wrong(connection, found, session_id), delivered)
    viewed = _to_view(found, MOST_VIEWED_UNASKED, delivered)
    asked = [texts[one.number] for one in found if one.number in viewed]
    return _with_standing(connection, found, asked, lookout, question), delivered


def _examine(
    connection: Connection, look: Look, evidence: Evidence, ranking: Ranking, known: Known
) -> list[Found]:
    """Weigh the best candidates, and more of them where too few are fit to be shown."""
    found = _weighed(connection, look, evidence, ranking, known, most=look.examined)
    fit = sum(one.barred is None and one.below is None for one in found)
    if look.is_unasked or fit >= look.viewed or len(found) < look.examined:
        return found
    most = look.viewed + EXAMINED_AFTER_ALL
    return _weighed(connection, look, evidence, ranking, known, most=most)


def _examined(
    connection: Connection, question: Question, numbers: tuple[int, ...], known: Known, most: int
) -> dict[int, Row]:
    """Return the states of the best candidates that may be shown at all, best first."""
    if question.kind is None:  # almost all are fit: what ranks far below is not read
        numbers = numbers[: most + SPARE]
    states = known.states(connection, numbers)
    fit = [one for one in numbers if _may_be_examined(states.get(one), question)]
    return {number: states[number] for number in fit[:most]}


def _may_be_examined(state: Row | None, question: Question) -> bool:
    if state is None or state["trashed_at_ms"] is not None:
        return False
    return question.kind is None or state["kind"] == question.kind


def _weighed(
    connection: Connection,
    look: Look,
    evidence: Evidence,
    ranking: Ranking,
    known: Known,
    *,
    most: int,
) -> list[Found]:
    states = _examined(connection, look.question, ranking.numbers, known, most)
    known.texts(connection, states)
    shows_superseded = look.question.include_superseded or look.query.is_about_the_past
    weighed = {
        number: covered(
            ranking.scores_of(number, evidence), known.text(number), known.match(number)
        )
        for number in states
    }
    bars = {
        number: bar_of_state(state, shows_superseded=shows_superseded, now_ms=look.now_ms)
        for number, state in states.items()
    }
    # what may not be shown must not be what the others are measured by
    floor = look.floor(look.query, tuple(weighed[one] for one in states if bars[one] is None))
    found = []
    for number, state in states.items():
        text, scores, barred = known.text(number), weighed[number], bars[number]
        found.append(
            described(
                state,
                text,
                scores,
                barred=barred,
                below=None if barred else floor(scores, state["wrong_sessions"]),
                passage=None if evidence.passages is None else evidence.passages.get(number),
                why=reasons_of(scores, state, look.query),
            )
        )
    return found


def _to_view(found: Sequence[Found], most: int, delivered: Delivered) -> frozenset[int]:
    fit = (one for one in found if one.barred is None and one.below is None)
    new = [one.number for one in fit if (one.number, one.revision) not in delivered]
    return frozenset(new[:most])


def _with_wholes(
    connection: Connection, found: list[Found], viewed: frozenset[int], dense: Dense
) -> list[Found]:
    """Measure as wholes the memories that are shown and have several passages."""
    if dense.vector is None or dense.model is None:
        return found
    long = [one.number for one in found if one.number in viewed and one.scores.semantic is None]
    if not long:
        return found
    wholes = wholes_of(rows.list_vectors_of(connection, dense.model, long), dense.vector)
    return [
        replace(one, scores=replace(one.scores, semantic=wholes[one.number]))
        if one.number in wholes
        else one
        for one in found
    ]


def _with_standing(
    connection: Connection,
    found: list[Found],
    asked: list[Row],
    lookout: Lookout,
    question: Question,
) -> list[Found]:
    if not asked:
        return found
    newer = {one.number: one.superseded_by for one in found}
    views = lookout.views(connection, asked, newer, question.root)
    return [
        replace(one, standing=views[one.number]) if one.number in views else one for one in found
    ]
