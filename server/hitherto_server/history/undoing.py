"""Taking an import back: what nobody had a hand in since goes to the trash."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hitherto_server.core.errors import NotFound
from hitherto_server.store import history as rows
from hitherto_server.store import pieces
from hitherto_server.store.memories import change_memory, state_of

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection


@dataclass(frozen=True)
class Undone:
    """What an undo did."""

    import_id: int
    trashed: int
    stays: tuple[str, ...]
    """Ids of what somebody confirmed, edited or admitted since."""


def undo_import(connection: Connection, number: int | None, *, at_ms: int) -> Undone:
    """Put what an import brought into the trash, all at once; what became somebody's stays."""
    found = rows.find_import(connection, number)
    if found is None or found["undone_at_ms"] is not None:
        message = (
            "there is no import to take back" if number is None else f"import {number} is none"
        )
        raise NotFound(message, mend="See `hitherto import-history --list`.")
    stays, trashed = [], 0
    for row in rows.list_memories(connection, found["id"]):
        if row["is_touched"]:
            stays.append(str(row["id"]))
            continue
        state = replace(state_of(connection, row), trashed_at_ms=at_ms)
        change_memory(connection, row, state, change="forget", actor=rows.ACTOR, at_ms=at_ms)
        rows.mark_undone(connection, row["number"], at_ms)
        trashed += 1
    rows.mark_import_undone(connection, found["id"], at_ms)
    pieces.drop_unheard(connection)
    return Undone(found["id"], trashed, tuple(stays))
