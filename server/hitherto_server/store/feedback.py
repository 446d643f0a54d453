"""What a person said of injections: `wrong`, kept, counted a memory, and taken back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("feedback")

AFTER_ANY_ID = "g"
"""Sorts after every hexadecimal digit and '-'."""


@dataclass(frozen=True)
class Aim:
    """Which injection is meant: the newest of a session, of a project, or that gave one memory."""

    session_id: str | None = None
    project: int | None = None
    memory: str | None = None
    """The id of a memory, or how it begins."""

    def values(self) -> dict[str, str | int | None]:
        """Return it as the queries take it."""
        beyond = None if self.memory is None else self.memory + AFTER_ANY_ID
        return {
            "session_id": self.session_id,
            "project": self.project,
            "prefix": self.memory,
            "beyond": beyond,
        }


def find_last_given(connection: Connection, aim: Aim) -> Row | None:
    """Return the newest admission that gave something: id, session, query and time."""
    row: Row | None = connection.execute(sql["last_given"], aim.values()).fetchone()
    return row


def list_given(connection: Connection, admission: str, aim: Aim) -> list[Row]:
    """Return what an admission gave, as far as it is meant."""
    return connection.execute(sql["given"], {**aim.values(), "admission": admission}).fetchall()


def say_wrong(
    connection: Connection, given: Row, told: Row, *, reason: str | None, said_by: str, at_ms: int
) -> None:
    """Note that a memory that was given is wrong; twice in a session counts once."""
    values = {
        "session_id": given["session_id"],
        "admission": given["admission"],
        "memory_number": told["memory_number"],
        "revision": told["revision"],
        "reason": reason,
        "said_by": said_by,
        "at_ms": at_ms,
    }
    connection.execute(sql["say"], values)


def list_last_said(connection: Connection, aim: Aim) -> list[Row]:
    """Return what was said last and was not taken back."""
    return connection.execute(sql["last_said"], aim.values()).fetchall()


def undo(connection: Connection, numbers: Iterable[int], at_ms: int) -> None:
    """Take back what was said."""
    connection.executemany(sql["undo"], [{"id": number, "at_ms": at_ms} for number in numbers])


def said_in(connection: Connection, session_id: str) -> dict[int, Row]:
    """Return what was said in a session and stands, by memory."""
    rows = connection.execute(sql["said_in"], {"session_id": session_id})
    return {row["memory_number"]: row for row in rows}


def wrong_sessions(connection: Connection, numbers: Iterable[int]) -> dict[int, int]:
    """Return in how many sessions memories were said to be wrong; edited or confirmed, in none."""
    rows = connection.execute(sql["wrong_sessions"], {"numbers": json.dumps(list(numbers))})
    return {row["number"]: row["sessions"] for row in rows}
