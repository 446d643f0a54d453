"""Candidates: what waits to be admitted, why, and how one is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hitherto_server.store.memories import change_memory, state_of
from hitherto_server.store.neighbours import note_waiting
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("candidates")


def list_waiting(connection: Connection, projects: Sequence[int] | None, *, most: int) -> list[Row]:
    """Return the live candidates of some projects or of all, the oldest of the queue first."""
    scope = None if projects is None else json.dumps(list(projects))
    return connection.execute(sql["waiting"], {"projects": scope, "most": most}).fetchall()


def trusts_of(connection: Connection, number: int) -> frozenset[str]:
    """Return who speaks for a memory: the person, a file of the repository, a tool."""
    return frozenset(row["trust"] for row in connection.execute(sql["trusts"], {"number": number}))


def find_rival(connection: Connection, number: int) -> str | None:
    """Return the id of a memory that may contradict this one and is no older, if there is one."""
    row = connection.execute(sql["rival"], {"number": number}).fetchone()
    return None if row is None else str(row["id"])


def admit(connection: Connection, row: Row, *, actor: str, at_ms: int) -> int:
    """Make a candidate a memory like any other and return its revision."""
    take_in(connection, row["number"])
    note_waiting(connection, row["id"], at_ms=at_ms)  # a candidate is judged once it is admitted
    state = state_of(connection, row)
    return change_memory(connection, row, state, change="admit", actor=actor, at_ms=at_ms)


def take_in(connection: Connection, number: int) -> None:
    """Make a candidate a memory like any other, as a part of another change."""
    connection.execute(sql["admit"], {"number": number})


def hold(connection: Connection, number: int, because: str) -> None:
    """Say why a candidate is held back."""
    connection.execute(sql["hold"], {"number": number, "because": because})


def note_use(connection: Connection, number: int, session_id: str, at_ms: int) -> int:
    """Note that a session asked for a candidate; return how many did."""
    values = {"number": number, "session_id": session_id, "at_ms": at_ms}
    connection.execute(sql["put_use"], values)
    return int(connection.execute(sql["uses"], values).fetchone()[0])
