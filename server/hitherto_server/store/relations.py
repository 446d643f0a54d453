"""Relations between memories: newer → older, undone but never deleted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.errors import SupersedesItself
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection

sql = load_queries("relations")

RelationKind = Literal["duplicate_of", "possible_conflict", "similar", "supersedes"]
SaidBy = Literal["rule", "judge", "agent", "person"]
Slot = Literal["value", "polarity"]


def relate(
    connection: Connection,
    kind: RelationKind,
    *,
    newer: int,
    older: int,
    said_by: SaidBy,
    at_ms: int,
    reason: str | None = None,
    probability: float | None = None,
) -> None:
    """Write a relation; a supersession that would run in a circle is refused."""
    if kind == "supersedes" and would_circle(connection, newer, older):
        message = "that memory already replaces this one"
        raise SupersedesItself(message)
    values = {
        "kind": kind,
        "newer": newer,
        "older": older,
        "said_by": said_by,
        "probability": probability,
        "reason": reason,
        "at_ms": at_ms,
    }
    connection.execute(sql["insert"], values)


def propose(
    connection: Connection,
    kind: RelationKind,
    *,
    newer: int,
    older: int,
    at_ms: int,
    reason: str,
    slot: Slot | None = None,
) -> bool:
    """Say by rule what two memories are to each other, and tell whether that was news.

    What anybody said of the two stands, and what somebody took back is not said again.
    """
    said = {"kind": kind, "reason": reason, "slot": slot}
    values = {**said, "newer": newer, "older": older, "at_ms": at_ms}
    return int(connection.execute(sql["propose"], values).rowcount) > 0


def withdraw(connection: Connection, number: int, *, at_ms: int) -> None:
    """Take back what rules and judgments read off a memory's text: it is another now."""
    connection.execute(sql["withdraw"], {"number": number, "at_ms": at_ms})
    connection.execute(sql["reopen"], {"number": number})


def forget_reasons(connection: Connection, number: int) -> None:
    """Drop the words of a memory that rules quoted where they said what it is to others."""
    connection.execute(sql["forget_reasons"], {"number": number})


def list_repeats(connection: Connection, numbers: Iterable[int]) -> dict[int, frozenset[int]]:
    """Return for some memories the newer ones that repeat them, or give another value."""
    found: dict[int, set[int]] = {}
    for row in connection.execute(sql["repeats"], {"numbers": json.dumps(list(numbers))}):
        found.setdefault(row["number"], set()).add(row["newer"])
    return {number: frozenset(newer) for number, newer in found.items()}


def undo_supersessions(connection: Connection, newer: int, *, actor: str, at_ms: int) -> int:
    """Take back what a memory replaced and return how many relations that were."""
    values = {"newer": newer, "actor": actor, "at_ms": at_ms}
    return int(connection.execute(sql["undo_supersessions"], values).rowcount)


def undo_replacement(connection: Connection, older: int, *, actor: str, at_ms: int) -> None:
    """Take back whatever replaced a memory: it is current again."""
    values = {"older": older, "actor": actor, "at_ms": at_ms}
    connection.execute(sql["undo_replacement"], values)


def find_replacement(connection: Connection, older: int) -> str | None:
    """Return the id of the memory that replaced another, if one did."""
    row = connection.execute(sql["replacement"], {"older": older}).fetchone()
    return str(row["id"]) if row else None


def would_circle(connection: Connection, newer: int, older: int) -> bool:
    """Tell whether the older memory already replaces the newer one."""
    values = {"newer": newer, "older": older}
    return connection.execute(sql["would_circle"], values).fetchone() is not None
