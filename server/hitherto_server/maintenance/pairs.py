"""What a memory is to be judged beside: the few nearest, and those that rules hold to be near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.clock import date_of
from hitherto_server.gates.context import said_by
from hitherto_server.gates.neighbours import Subject, cosines_around
from hitherto_server.gates.writing import TOLD_BY_A_PERSON
from hitherto_server.judge.surfaces import relations, supersession
from hitherto_server.judge.surfaces.relations import Record
from hitherto_server.store import judged as rows
from hitherto_server.store.derived import vector_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.models.traits import Traits
    from hitherto_server.store.driver import Connection, Row

MOST_RULED = 2


@dataclass(frozen=True)
class Pair:
    """The memory and another one."""

    other: Row
    later: relations.Later | None
    """Which side may replace the other; None: neither."""
    ruled: str | None
    """The kind of relation that a rule or an earlier judgment sees."""


@dataclass(frozen=True)
class Case:
    """A memory, and what it is to be judged beside, as they were read."""

    row: Row
    pairs: Mapping[int, Pair]

    @property
    def others(self) -> list[Row]:
        return [pair.other for pair in self.pairs.values()]


class NotReadable(Exception):
    """Nobody can tell whether the model reads the text: it is not loaded."""


def find_case(connection: Connection, memory_id: str, model: Traits | None) -> Case | None:
    """Return a memory and what it is judged beside; None if it isn't current, or has no vector."""
    row = rows.find_record(connection, memory_id)
    name = model.name if model else vector_model(connection)
    if row is None or name is None:
        return None
    own = rows.list_own_vectors(connection, row["number"], name)
    if not own:
        return None
    cosines: dict[int, float] = {}
    if _reads(model, row["content"]):
        subject = Subject(row["project"], row["content"], row["number"], row["changed_at_ms"])
        cosines = cosines_around(connection, subject, own, name)
    said = rows.list_said(connection, row["number"])
    chosen = _chosen(connection, row, cosines, said)
    return Case(row, {at: _pair(row, one, said) for at, one in enumerate(chosen)})


def _reads(model: Traits | None, text: str) -> bool:
    """Tell whether near vectors mean something: texts that a model can't read lie all together."""
    if model is not None:
        return model.reads(text)
    from hitherto_server.core.language import is_english

    if is_english(text):
        return True
    raise NotReadable


def _chosen(
    connection: Connection, row: Row, cosines: Mapping[int, float], said: Mapping[int, list[Row]]
) -> list[Row]:
    found = {one["number"]: one for one in rows.list_beside(connection, row, [*cosines, *said])}
    name = relations.SURFACE.name
    settled = rows.list_settled(connection, row["number"], found)
    for one in settled | rows.list_judged_before(connection, row, found, name):
        del found[one]
    near = [one for one in found if cosines.get(one, 0.0) >= relations.LEAST_COSINE]
    near = sorted(near, key=lambda one: -cosines[one])[: relations.MOST_CANDIDATES]
    ruled = [one for one in said if one in found and one not in near][:MOST_RULED]
    return [found[one] for one in (*near, *ruled)]


def find_unmoved(connection: Connection, case: Case) -> dict[int, Pair]:
    """Return the pairs that are as they were read, and still this judgment's to speak of."""
    others = [one["number"] for one in case.others]
    now = {one["number"]: one for one in rows.list_beside(connection, case.row, others)}
    name = relations.SURFACE.name
    settled = rows.list_settled(connection, case.row["number"], others)
    settled |= rows.list_judged_before(connection, case.row, others, name)  # both at once
    return {
        at: pair
        for at, pair in case.pairs.items()
        if (found := now.get(pair.other["number"])) is not None
        and found["revision"] == pair.other["revision"]
        and found["number"] not in settled
    }


def record_of(row: Row) -> Record:
    """Return a memory as the judge is shown it."""
    return Record(row["content"], date_of(row["dated_ms"]))


def _pair(row: Row, other: Row, said: Mapping[int, list[Row]]) -> Pair:
    mine, theirs = _side(row), _side(other)
    later: relations.Later | None = None
    if supersession.may_replace(mine, theirs):
        later = "memory"
    elif supersession.may_replace(theirs, mine):
        later = "candidate"
    ruled = said.get(other["number"])
    return Pair(other, later, ruled[0]["kind"] if ruled else None)


def _side(row: Row) -> supersession.Side:
    return supersession.Side(
        day=date_of(row["dated_ms"]),
        is_user_told=row["source"] == TOLD_BY_A_PERSON or said_by(row["actor"]) == "person",
        is_fit=row["tier"] == "admitted" and not row["suspect"],
    )
