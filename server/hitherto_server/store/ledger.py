"""The ledger: what each session was given, and what became of every other candidate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.driver import Connection, Row

Channel = Literal["start", "prompt", "subagent", "brief", "compaction"]
Outcome = Literal["injected", "dropped", "abstained"]

TWICE = "already delivered"
LATE = "came too late"
EARLIER = "earlier session"
"""The reason of a row without a memory: its scores say which session the reader was told of."""

sql = load_queries("ledger")


@dataclass(frozen=True)
class LedgerRow:
    """One candidate of one admission; without a memory: that there was none, or a session."""

    session_id: str
    admission: str
    channel: Channel
    query: str | None
    memory_number: int | None
    revision: int | None
    outcome: Outcome
    reason: str
    standing: str | None
    scores: str
    tokens: int | None
    decided_at_ms: int
    agent: str = ""
    """The subagent that was given it; empty: the session itself."""


def delivered(connection: Connection, session: str, agent: str = "") -> frozenset[tuple[int, int]]:
    """Return the (memory number, revision) pairs that the session has now, or its subagent."""
    rows = connection.execute(sql["delivered"], {"session": session, "agent": agent})
    return frozenset((row["memory_number"], row["revision"]) for row in rows)


def put(connection: Connection, rows: Sequence[LedgerRow]) -> list[LedgerRow]:
    """Enter an admission; returns the rows that lost to a delivery of the same revision."""
    given = [row for row in rows if row.outcome == "injected"]
    twice = [row for row in given if connection.execute(sql["put"], vars(row)).rowcount == 0]
    lost = [replace(row, outcome="abstained", reason=TWICE, tokens=None) for row in twice]
    others = [row for row in rows if row.outcome != "injected"]
    connection.executemany(sql["put"], [vars(row) for row in (*lost, *others)])
    return twice


def take_back(connection: Connection, admission: str) -> None:
    """Note that what an admission injected was not delivered: it may be given later."""
    connection.execute(sql["take_back"], {"admission": admission, "reason": LATE})


def list_last_admission(connection: Connection, session: str | None) -> list[Row]:
    """Return the candidates of the newest admission, of one session or of all."""
    if session is None:
        found = connection.execute(sql["last_of_all"]).fetchone()
    else:
        found = connection.execute(sql["last_of_session"], {"session": session}).fetchone()
    if found is None:
        return []
    return connection.execute(sql["candidates_of"], {"admission": found["admission"]}).fetchall()
