"""What hooks leave alone: sessions and folders that are paused, and folders that are ignored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

QuietKind = Literal["pause", "ignore"]

sql = load_queries("quiet")


@dataclass(frozen=True)
class QuietRule:
    """One session or folder that is left alone, from when until when."""

    number: int
    kind: QuietKind
    session_id: str | None
    path: str | None
    began_at_ms: int
    until_ms: int | None
    ended_at_ms: int | None

    def holds_at(self, at_ms: int) -> bool:
        """Tell whether it is in force at that time."""
        ends = [end for end in (self.until_ms, self.ended_at_ms) if end is not None]
        return self.began_at_ms <= at_ms and all(at_ms < end for end in ends)


def list_rules(connection: Connection, *, since_ms: int) -> tuple[QuietRule, ...]:
    """Return every rule that was in force since then, the oldest first."""
    rows = connection.execute(sql["listed"], {"since_ms": since_ms})
    return tuple(QuietRule(*row) for row in rows)


def begin_rule(
    connection: Connection,
    kind: QuietKind,
    *,
    session_id: str | None,
    path: str | None,
    at_ms: int,
    until_ms: int | None,
) -> int:
    """Leave a session or a folder alone and return the rule's number."""
    values = {
        "kind": kind,
        "session_id": session_id,
        "path": path,
        "at_ms": at_ms,
        "until_ms": until_ms,
    }
    return int(connection.execute(sql["begin"], values).fetchone()[0])


def end_rule(connection: Connection, number: int, at_ms: int) -> None:
    """Note that a rule is taken back."""
    connection.execute(sql["end"], {"id": number, "at_ms": at_ms})
