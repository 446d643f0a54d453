"""Purge: what was kept of a session or a folder, counted first, then removed."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.sessions.control.quiet import lies_in, spellings
from hitherto_server.store import purge as kept_things
from hitherto_server.store.erase import sweep_remains, truncate_wal
from hitherto_server.store.judgments import clear_cache, count_cached
from hitherto_server.store.sessions import find_session

if TYPE_CHECKING:
    from hitherto_contract.control import PurgeReply, PurgeRequest
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.purge import Kept


LOG_TRIES, LOG_EVERY_S = 20, 0.05


async def purge(store: Store, clock: Clock, asked: PurgeRequest) -> PurgeReply:
    """Count what was kept, and remove it where that is confirmed."""
    kept, counts, notes = await store.readers.run(lambda c: _looked_up(c, asked))
    trashed = 0
    if asked.confirmed:
        job = partial(_removed, kept=kept, with_memories=asked.memories, at_ms=clock())
        await store.writer.maintain(kept_things.overwrite_deleted)
        trashed = await store.writer.run(job)
        await store.writer.maintain(sweep_remains)
        if not await _emptied_log(store):
            notes.append("its last bytes leave the write-ahead log when no reader needs it")
    return contract.PurgeReply(done=asked.confirmed, counts=counts, trashed=trashed, notes=notes)


async def _emptied_log(store: Store) -> bool:
    for _ in range(LOG_TRIES):
        if await store.writer.maintain(truncate_wal):
            return True
        await asyncio.sleep(LOG_EVERY_S)
    return False


def _looked_up(
    connection: Connection, asked: PurgeRequest
) -> tuple[Kept, dict[str, int], list[str]]:
    kept = _found(connection, asked)
    rows = [find_session(connection, session) for session in kept.sessions]
    running = sum(row is not None and row["ended_at_ms"] is None for row in rows)
    notes = []
    if running:
        of_them = "the session" if len(rows) == 1 else f"{running} of the sessions"
        notes.append(f"{of_them} may still run: pause or ignore it, or it is kept anew")
    # all of the cache goes: it doesn't say whose answers it keeps
    return kept, {**kept_things.count(connection, kept), "cached": count_cached(connection)}, notes


def _found(connection: Connection, asked: PurgeRequest) -> Kept:
    if asked.session_id is not None:
        return kept_things.find_of_session(connection, asked.session_id)
    folders = spellings(asked.path or "")
    return kept_things.find_of_folder(
        connection, lambda path: path.startswith("/") and lies_in(path, folders)
    )


def _removed(connection: Connection, kept: Kept, *, with_memories: bool, at_ms: int) -> int:
    kept_things.remove(connection, kept, at_ms=at_ms)
    clear_cache(connection)
    if not with_memories:
        return 0
    return kept_things.trash(connection, kept, actor="person", at_ms=at_ms)
