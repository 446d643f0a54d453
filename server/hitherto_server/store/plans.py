"""Plans: when each was approved, and which decisions one may go against."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.text import content_hash
from hitherto_server.store.queries import load_queries
from hitherto_server.store.relations import find_replacement, relate, would_circle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("plans")


@dataclass(frozen=True)
class Approval:
    """A plan as it was approved: in which project and session, from which file, when."""

    project: int
    session_id: str
    file: str
    """The plan file's name; empty where the client names none."""
    at_ms: int


@dataclass(frozen=True)
class Stored:
    """A plan that is a memory."""

    number: int
    id: str
    content: str
    content_hash: str


def find_before(connection: Connection, approval: Approval) -> Stored | None:
    """Return what was approved last before, of the same file; without one, of the session."""
    return _stored(connection.execute(sql["before"], vars(approval)).fetchone())


def find_after(connection: Connection, approval: Approval) -> Stored | None:
    """Return what was approved next after it, if this approval comes late."""
    return _stored(connection.execute(sql["after"], vars(approval)).fetchone())


def find_in_force(connection: Connection, session_id: str, at_ms: int) -> tuple[str, str] | None:
    """Return the plan under which a session worked at a time: its id, and how it begins."""
    values = {"session_id": session_id, "at_ms": at_ms}
    row = connection.execute(sql["in_force"], values).fetchone()
    return None if row is None else (row["id"], row["opening"])


def is_noted(connection: Connection, approval: Approval, content: str) -> bool:
    """Tell whether this very approval of this text is on record."""
    values = {**vars(approval), "content_hash": content_hash(content)}
    return connection.execute(sql["is_noted"], values).fetchone() is not None


def note_approval(
    connection: Connection, memory_id: str, approval: Approval, *, replaced_by: int | None
) -> None:
    """Note when a plan was approved; one that comes late was replaced by what came after it."""
    number = connection.execute(sql["number_of"], {"id": memory_id}).fetchone()[0]
    connection.execute(sql["approve"], {**vars(approval), "number": number})
    if replaced_by in {None, number} or find_replacement(connection, number) is not None:
        return
    assert replaced_by is not None  # noqa: S101 - said above
    if not would_circle(connection, replaced_by, number):
        relate(
            connection,
            "supersedes",
            newer=replaced_by,
            older=number,
            said_by="rule",
            at_ms=approval.at_ms,
            reason="approved later",
        )


def list_decisions(
    connection: Connection, scopes: Sequence[int], *, most: int
) -> list[tuple[int, str]]:
    """Return the latest decisions and preferences that hold: number and content."""
    values = {"scopes": json.dumps(list(scopes)), "most": most}
    return [(row["number"], row["content"]) for row in connection.execute(sql["decisions"], values)]


def list_statements(
    connection: Connection, scopes: Sequence[int], *, most: int
) -> list[tuple[int, str]]:
    """Return the latest facts, notes and workflows that hold: number and content."""
    values = {"scopes": json.dumps(list(scopes)), "most": most}
    rows = connection.execute(sql["statements"], values)
    return [(row["number"], row["content"]) for row in rows]


def numbers_of(connection: Connection, ids: Sequence[str]) -> list[int]:
    """Return the numbers of those memories that are decisions or preferences, in their order."""
    rows = connection.execute(sql["numbers_of"], {"ids": json.dumps(list(ids))})
    return [row["number"] for row in rows]


def _stored(row: Row | None) -> Stored | None:
    if row is None:
        return None
    return Stored(row["number"], row["id"], row["content"], row["content_hash"])
