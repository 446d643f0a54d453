"""Which nudges a session was given: few, each once, and never one close upon another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hitherto_server.store.queries import load_queries
from hitherto_server.store.shown import is_silenced, note_shown, take_back_shown

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

NudgeKind = Literal[
    "nudge:task-boundary", "nudge:session-lookup", "nudge:recall", "nudge:preference"
]

SPACING = 3
"""At the earliest the third prompt after a nudge brings another one."""

sql = load_queries("nudges")


def may_nudge(
    connection: Connection,
    session_id: str,
    project: int | None,
    *,
    kind: NudgeKind,
    subject: str,
    most: int,
) -> bool:
    """Tell whether a session may be given a nudge: `most` a session, none twice, none that errs."""
    values = {"session_id": session_id, "kind": kind, "subject": subject, "most": SPACING}
    had = int(connection.execute(sql["had"], values).fetchone()[0])
    if had >= most or connection.execute(sql["had_this"], values).fetchone() is not None:
        return False
    if had and int(connection.execute(sql["since"], values).fetchone()[0]) < SPACING:
        return False
    return not is_silenced(connection, kind, project)


def note_nudge(
    connection: Connection, session_id: str, *, kind: NudgeKind, subject: str, at_ms: int
) -> bool:
    """Note that a session is given a nudge; False if it had this one already."""
    return note_shown(connection, kind, session_id, subject, at_ms=at_ms)


def take_back_nudge(
    connection: Connection, session_id: str, *, kind: NudgeKind, subject: str
) -> None:
    """Note that a nudge did not arrive."""
    take_back_shown(connection, kind, session_id, subject)
