"""What judgments read and write of memories: their neighbours, relations, verdicts, open fields."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.store.queries import load_queries
from hitherto_server.store.relations import would_circle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.relations import RelationKind

Field = Literal["kind", "importance"]

FIELDS: tuple[Field, ...] = ("kind", "importance")
"""What a writer may leave open."""
JUDGE = "judge"
"""Who a change is by that a judgment made."""

sql = load_queries("judged")


@dataclass(frozen=True)
class Verdict:
    """What was judged of a memory at one revision; `answer` is JSON of ids and words."""

    number: int
    revision: int
    surface: str
    answer: str
    probability: float | None
    basis_hash: str
    at_ms: int


@dataclass(frozen=True)
class Judgment:
    """What two memories are judged to be; no kind: nothing worth a row."""

    kind: RelationKind | None
    newer: int
    older: int
    probability: float | None
    """None: the answer was not calibrated."""
    reason: str
    takes_back: bool
    """Whether it counts more than what a rule said of the two."""


def find_record(connection: Connection, memory_id: str) -> Row | None:
    """Return a memory as judgments see it, unless it is in the trash or replaced."""
    row: Row | None = connection.execute(sql["by_id"], {"id": memory_id}).fetchone()
    return row


def list_beside(connection: Connection, record: Row, numbers: Iterable[int]) -> list[Row]:
    """Return those of some memories that may be judged beside one."""
    values = {
        "numbers": json.dumps(list(numbers)),
        "number": record["number"],
        "project": record["project"],
        "category": record["category_id"],
    }
    return connection.execute(sql["beside"], values).fetchall()


def list_own_vectors(connection: Connection, number: int, model: str) -> list[bytes]:
    """Return the stored vectors of a memory."""
    values = {"number": number, "model": model}
    return [row["vector"] for row in connection.execute(sql["vectors"], values)]


def list_settled(connection: Connection, number: int, others: Iterable[int]) -> set[int]:
    """Return those of some memories whose relation to one is no longer a machine's to say."""
    values = {"number": number, "others": json.dumps(list(others))}
    return {row["other"] for row in connection.execute(sql["settled"], values)}


def list_judged_before(
    connection: Connection, record: Row, others: Iterable[int], surface: str
) -> set[int]:
    """Return those of some memories that were judged beside one as both are now."""
    values = {
        "others": json.dumps(list(others)),
        "surface": surface,
        "id": record["id"],
        "revision": record["revision"],
    }
    return {row["number"] for row in connection.execute(sql["judged_before"], values)}


def list_said(connection: Connection, number: int) -> dict[int, list[Row]]:
    """Return what rules and judgments say of a memory and each other one."""
    found: dict[int, list[Row]] = {}
    for row in connection.execute(sql["said"], {"number": number}):
        both = {row["newer_number"], row["older_number"]}
        found.setdefault((both - {number}).pop(), []).append(row)
    return found


def put_judgment(connection: Connection, judged: Judgment, *, at_ms: int) -> bool:
    """Record what two memories are judged to be, and tell whether that is a new relation.

    What a rule said of the two is taken back where the judgment counts more, and stands where not.
    """
    before = list_said(connection, judged.newer).get(judged.older, [])
    if judged.kind == "supersedes" and would_circle(connection, judged.newer, judged.older):
        return False
    same = [row for row in before if row["kind"] == judged.kind]
    others = [row for row in before if row["kind"] != judged.kind]
    if others and not judged.takes_back:
        return False
    for row in others:
        connection.execute(sql["take_back"], {"id": row["id"], "at_ms": at_ms})
    for row in same if judged.takes_back else ():
        values = {"id": row["id"], "probability": judged.probability}
        connection.execute(sql["confirm_relation"], values)
    if judged.kind is None or same:
        return False
    connection.execute(sql["put_relation"], {**asdict(judged), "at_ms": at_ms})
    return True


def put_verdict(connection: Connection, verdict: Verdict) -> None:
    """Keep what was judged of a memory, in place of what was judged before."""
    connection.execute(sql["drop_verdict"], asdict(verdict))
    connection.execute(sql["put_verdict"], asdict(verdict))


def is_judged(connection: Connection, number: int, surface: str) -> bool:
    """Tell whether a memory was judged as it reads now."""
    values = {"number": number, "surface": surface}
    return connection.execute(sql["is_judged"], values).fetchone() is not None


def leave_open(connection: Connection, number: int, field: Field) -> None:
    """Note that a memory's writer did not state something."""
    connection.execute(sql["leave_open"], {"number": number, "field": field})


def note_stated(connection: Connection, number: int, field: Field) -> None:
    """Note that somebody has stated it since."""
    connection.execute(sql["state"], {"number": number, "field": field})


def list_open(connection: Connection, number: int) -> frozenset[str]:
    """Return what a judgment may write: left open by the writer, and never judged and undone."""
    values = {"number": number, "judge": JUDGE}
    return frozenset(row["field"] for row in connection.execute(sql["unstated"], values))
