"""Sessions and events: what the hooks reported, each once; and what is counted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection, Row

SAME_WITHIN_MS = 10_000
"""Two copies of a hook report the same event within this time of each other."""
CLEARED_WITHIN_MS = 5000
"""So soon after a session was cleared the next one of the same client begins."""
SAME_STOP_WITHIN_MS = 600
"""As with other events, but a turn that goes on after a stop may end in the same words soon."""

LOST_WRITES = "lost_writes"
"""The counter of writes that the database refused, for whatever reason of its own."""

MISSING_WRITES = "missing_writes"
"""The counter of writes that were acknowledged and that a later start did not find."""
COMMITS = "commits"
"""The counter of durable commits: what was acknowledged last, as the database itself knows it."""

sql = load_queries("sessions")


@dataclass(frozen=True)
class NewEvent:
    """One hook call as it is kept; `detail` is bounded and holds no file's content."""

    session_id: str
    name: str
    body_hash: str
    at_ms: int
    received_at_ms: int
    spooled: bool
    tool_name: str | None
    detail: dict[str, Any]


def same_within_ms(event: str) -> int:
    """Return how far apart two copies of one event may be."""
    return SAME_STOP_WITHIN_MS if event == "Stop" else SAME_WITHIN_MS


def put_event(connection: Connection, event: NewEvent) -> int | None:
    """Note an event and return its number; None if it was noted already."""
    values = {**vars(event), "detail": json.dumps(event.detail)}
    values["window_ms"] = same_within_ms(event.name)
    if connection.execute(sql["same_event"], values).fetchone():
        return None
    return int(connection.execute(sql["put_event"], values).fetchone()[0])


def begin_session(
    connection: Connection,
    session_id: str,
    *,
    client: str,
    at_ms: int,
    project: int | None = None,
    working_dir: str | None = None,
    parent: str | None = None,
) -> None:
    """Note that a session is there; called for its every event, so that none is unknown."""
    values = {
        "id": session_id,
        "client": client,
        "project_id": project,
        "working_dir": working_dir,
        "parent_session_id": parent,
        "at_ms": at_ms,
    }
    connection.execute(sql["begin"], values)


def next_generation(connection: Connection, session_id: str, at_ms: int) -> None:
    """Note that what was shown to the session is gone from its context."""
    connection.execute(sql["next_generation"], {"id": session_id, "at_ms": at_ms})


def end_session(connection: Connection, session_id: str, *, reason: str, at_ms: int) -> None:
    """Note that a session ended."""
    connection.execute(sql["end"], {"id": session_id, "reason": reason, "at_ms": at_ms})


def follow_cleared(connection: Connection, session_id: str, at_ms: int) -> None:
    """Note from which session one goes on that began with a clear; nothing where two may be it."""
    values = {"id": session_id, "at_ms": at_ms, "within_ms": CLEARED_WITHIN_MS}
    connection.execute(sql["follow_cleared"], values)


def goes_on_as(connection: Connection, session_id: str) -> str:
    """Return the session that a client means: its MCP server keeps the name from before a clear."""
    if not connection.execute(sql["was_cleared"], {"id": session_id}).fetchone():
        return session_id
    return str(connection.execute(sql["goes_on_as"], {"id": session_id}).fetchone()[0])


def find_session(connection: Connection, session_id: str) -> Row | None:
    """Return a session's row, if it is known."""
    row: Row | None = connection.execute(sql["by_id"], {"id": session_id}).fetchone()
    return row


def list_events(
    connection: Connection, session_id: str, *, limit: int, offset: int
) -> list[dict[str, Any]]:
    """Return a page of a session's events, the oldest first."""
    values = {"session_id": session_id, "limit": limit, "offset": offset}
    rows = connection.execute(sql["events"], values).fetchall()
    return [{**dict(row), "detail": json.loads(row["detail"])} for row in rows]


def add_to_counter(connection: Connection, name: str, amount: int) -> None:
    """Count something that must be seen: lost writes, dropped events."""
    connection.execute(sql["add_to_counter"], {"name": name, "amount": amount})


def counters(connection: Connection) -> dict[str, int]:
    """Return all that was counted."""
    return {row["name"]: row["value"] for row in connection.execute(sql["counters"])}


def counter(connection: Connection, name: str) -> int:
    """Return one counter, 0 if it never counted."""
    row = connection.execute(sql["counter"], {"name": name}).fetchone()
    return int(row[0]) if row else 0
