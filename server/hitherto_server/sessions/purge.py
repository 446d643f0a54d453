"""Purge: what was kept of a session or a folder, counted first, then removed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.sessions.quiet import lies_in, spellings
from hitherto_server.store import purge as kept_things
from hitherto_server.store.sessions import find_session

if TYPE_CHECKING:
    from hitherto_contract.control import PurgeReply, PurgeRequest
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.purge import Kept


async def purge(store: Store, clock: Clock, asked: PurgeRequest) -> PurgeReply:
    """Count what was kept, and remove it where that is confirmed."""
    kept, counts, notes = await store.readers.run(lambda c: _looked_up(c, asked))
    trashed = 0
    if asked.confirmed:
        job = partial(_removed, kept=kept, with_memories=asked.memories, at_ms=clock())
        trashed = await store.writer.run(job)
    return contract.PurgeReply(done=asked.confirmed, counts=counts, trashed=trashed, notes=notes)


def _looked_up(
    connection: Connection, asked: PurgeRequest
) -> tuple[Kept, dict[str, int], list[str]]:
    kept = _found(connection, asked)
    rows = [find_session(connection, session) for session in kept.sessions]
    running = sum(row is not None and row["ended_at_ms"] is None for row in rows)
    notes = []
    if running:
        notes.append(
            f"{running} of the sessions may still run: pause or ignore them, or they are kept anew"
        )
    return kept, kept_things.count(connection, kept), notes


def _found(connection: Connection, asked: PurgeRequest) -> Kept:
    if asked.session_id is not None:
        return kept_things.find_of_session(connection, asked.session_id)
    folders = spellings(asked.path or "")
    return kept_things.find_of_folder(
        connection, lambda path: path.startswith("/") and lies_in(path, folders)
    )


def _removed(connection: Connection, kept: Kept, *, with_memories: bool, at_ms: int) -> int:
    kept_things.remove(connection, kept)
    if not with_memories:
        return 0
    return kept_things.trash(connection, kept, actor="person", at_ms=at_ms)
