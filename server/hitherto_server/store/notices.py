"""What a session is told once of what it was given, and whom a change may concern."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection, Row

MOST_GIVEN = 60
MOST_EDITED = 20
MOST_LISTENERS = 20

sql = load_queries("notices")


def list_given(connection: Connection, session: str) -> list[Row]:
    """Return what the session has and was not told about: number, id, standing when given."""
    return connection.execute(sql["given"], {"session": session, "most": MOST_GIVEN}).fetchall()


def count_told(connection: Connection, session: str) -> int:
    """Return how many notices a session has had."""
    return int(connection.execute(sql["told"], {"session": session}).fetchone()[0])


def tell(
    connection: Connection, session: str, memory_id: str, *, standing: str, at_ms: int
) -> bool:
    """Note that a session is told of a memory, none of its words; False if it was told already."""
    values = {
        "session": session,
        "memory_id": memory_id,
        "detail": json.dumps({"standing": standing}),
        "at_ms": at_ms,
    }
    connection.execute(sql["clear_judged"], values)
    return bool(connection.execute(sql["tell"], values).rowcount == 1)


def untell(
    connection: Connection, session: str, memory_id: str, *, judged_at_ms: int | None = None
) -> None:
    """Note that a notice was not delivered: it may come again."""
    connection.execute(sql["untell"], {"session": session, "memory_id": memory_id})
    if judged_at_ms is not None:
        raise_judged(connection, session, memory_id, at_ms=judged_at_ms)


def list_judged(connection: Connection, session: str) -> list[Row]:
    """Return what was judged stale after the session's edits, as `list_given` does."""
    return connection.execute(sql["judged"], {"session": session, "most": MOST_GIVEN}).fetchall()


def raise_judged(connection: Connection, session: str, memory_id: str, *, at_ms: int) -> None:
    """Note that a session is to be told of a memory that was judged stale."""
    values = {"session": session, "memory_id": memory_id, "at_ms": at_ms}
    connection.execute(sql["raise_judged"], values)


def list_edited(connection: Connection, session: str) -> list[str]:
    """Return the files that a session edited, as its client spelled them, the newest first."""
    rows = connection.execute(sql["edited"], {"session": session, "most": MOST_EDITED})
    return [row["file"] for row in rows]


def list_listeners(connection: Connection, project: int, *, since_ms: int) -> list[str]:
    """Return the live sessions of a project that were given something."""
    values = {"project": project, "since_ms": since_ms, "most": MOST_LISTENERS}
    return [row["id"] for row in connection.execute(sql["listeners"], values)]


def list_anchored(connection: Connection, project: int, *, most: int) -> list[int]:
    """Return a project's memories that are tied to files, the most recent first."""
    values = {"project": project, "most": most}
    return [row["number"] for row in connection.execute(sql["anchored"], values)]


def list_paths(connection: Connection, project: int, *, most: int) -> list[str]:
    """Return the files that a project's memories are tied to, the most recently tied first."""
    values = {"project": project, "most": most}
    return [row["path"] for row in connection.execute(sql["paths"], values)]
