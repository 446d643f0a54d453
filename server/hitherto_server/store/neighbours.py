"""What the duplicate gate reads: memories to compare with, and which still wait for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("neighbours")


def list_live(
    connection: Connection, numbers: Iterable[int], project: int, *, but: int = 0
) -> list[Row]:
    """Return those of some memories of one scope that are live and that nothing replaced."""
    values = {"numbers": json.dumps(list(numbers)), "project": project, "number": but}
    return connection.execute(sql["live"], values).fetchall()


def list_since(connection: Connection, project: int, after: int, *, most: int) -> list[int]:
    """Return the memories of a scope that were written after a number was given."""
    values = {"project": project, "after": after, "most": most}
    return [row["number"] for row in connection.execute(sql["since"], values)]


def newest_number(connection: Connection) -> int:
    """Return the number of the memory that was written last."""
    return int(connection.execute(sql["newest"]).fetchone()[0])


def find_subject(connection: Connection, memory_id: str) -> Row | None:
    """Return the memory that is to be compared, unless it is in the trash or replaced."""
    row: Row | None = connection.execute(sql["subject"], {"id": memory_id}).fetchone()
    return row


def note_waiting(connection: Connection, memory_id: str, *, at_ms: int) -> None:
    """Note that a memory is to be compared with what is near in meaning, once it has a vector."""
    connection.execute(sql["put_job"], {"id": memory_id, "at_ms": at_ms})


def list_waiting(connection: Connection, *, model: str, most: int) -> list[str]:
    """Return the ids of memories that wait to be compared and have all their vectors."""
    values = {"model": model, "most": most}
    return [row["id"] for row in connection.execute(sql["waiting"], values)]


def note_done(connection: Connection, memory_id: str) -> None:
    """Note that a memory was compared."""
    connection.execute(sql["done"], {"id": memory_id})
