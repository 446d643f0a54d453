"""What became of what sessions were given, and what their replies took."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection, Row

MOST_GIVEN = 2000
MOST_ROWS = 5000
SLACK_MS = 60_000
"""What a session does may be noted a moment after its last event."""

sql = load_queries("worth")


@dataclass(frozen=True)
class NewWorth:
    """What became of one memory that a session was given."""

    session_id: str
    agent: str
    generation: int
    number: int
    revision: int
    outcome: str
    blame: str | None
    because: str
    standing: str | None
    tokens: int | None
    at_ms: int


@dataclass(frozen=True)
class Cost:
    """What a session's replies took, each counted once; None: not known."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_tokens: int | None = None
    cache_read_tokens: int | None = None
    replies: int | None = None
    silent_replies: int | None = None


def list_given(connection: Connection, session_id: str) -> list[Row]:
    """Return what a session was given, each with its text as it was then."""
    values = {"session_id": session_id, "most": MOST_GIVEN}
    return connection.execute(sql["given"], values).fetchall()


def files_of(connection: Connection, numbers: Iterable[int]) -> dict[int, list[str]]:
    """Return the files that memories are tied to."""
    found: dict[int, list[str]] = {}
    for row in connection.execute(sql["files_of"], {"numbers": json.dumps(list(numbers))}):
        found.setdefault(row["number"], []).append(row["path"])
    return found


def read(connection: Connection, name: str, session_id: str) -> list[Row]:
    """Return the rows of one of the queries about a session."""
    values = {"session_id": session_id, "most": MOST_ROWS, "slack_ms": SLACK_MS}
    return connection.execute(sql[name], values).fetchall()


def find_memory(connection: Connection, memory_id: str) -> Row | None:
    """Return a memory's number and text, if there is one of that id."""
    row: Row | None = connection.execute(sql["memory_of_id"], {"id": memory_id}).fetchone()
    return row


def put_worths(connection: Connection, session_id: str, found: Iterable[NewWorth]) -> None:
    """Keep what became of what a session was given, in place of what was found out before."""
    connection.execute(sql["drop_worth"], {"session_id": session_id})
    connection.executemany(sql["put_worth"], [vars(one) for one in found])


def put_cost(
    connection: Connection,
    session_id: str,
    cost: Cost,
    *,
    through_event: int,
    transcript: str | None,
    at_ms: int,
) -> None:
    """Keep what a session took; what is not known now does not replace what was known."""
    values = {
        **vars(cost),
        "session_id": session_id,
        "through_event": through_event,
        "transcript": transcript,
        "at_ms": at_ms,
    }
    connection.execute(sql["put_cost"], values)


def last_event(connection: Connection, session_id: str) -> int:
    """Return the number of a session's last event, 0 where there is none."""
    return int(connection.execute(sql["last_event"], {"session_id": session_id}).fetchone()[0])


def find_transcript(connection: Connection, session_id: str) -> str | None:
    """Return where a session's transcript was."""
    row = connection.execute(sql["transcript"], {"session_id": session_id}).fetchone()
    return None if row is None else row["transcript"]


def list_waiting(connection: Connection, *, since_ms: int, until_ms: int, most: int) -> list[str]:
    """Return the sessions of a time whose last events were not looked at, the latest first."""
    values = {"since_ms": since_ms, "until_ms": until_ms, "most": most}
    return [row["id"] for row in connection.execute(sql["waiting"], values)]


def find_cost(connection: Connection, session_id: str) -> Row | None:
    """Return what a session took, if it was looked at."""
    row: Row | None = connection.execute(sql["cost"], {"session_id": session_id}).fetchone()
    return row


def list_outcomes(connection: Connection, session_id: str) -> list[Row]:
    """Return what became of what a session was given."""
    return connection.execute(sql["outcomes"], {"session_id": session_id}).fetchall()


def list_totals(connection: Connection, project: int | None = None) -> list[Row]:
    """Return how often what was given was what, and the tokens of that."""
    return connection.execute(sql["totals"], {"project": project}).fetchall()


def sum_costs(connection: Connection, project: int | None = None) -> Row:
    """Return what all known sessions took together; null where none of them says."""
    row: Row = connection.execute(sql["costs"], {"project": project}).fetchone()
    return row


def find_latest(connection: Connection, project: int | None = None) -> str | None:
    """Return the session that was looked at and was at work last."""
    row = connection.execute(sql["latest"], {"project": project}).fetchone()
    return None if row is None else str(row["session_id"])
