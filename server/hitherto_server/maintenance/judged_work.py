"""Judged work in the background, loaded a moment after the start: no first hook waits for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING

from hitherto_server.store import jobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Asks
    from hitherto_server.maintenance.backfill import Backfill
    from hitherto_server.maintenance.queue import Queue
    from hitherto_server.maintenance.work import Work
    from hitherto_server.recall.succession import Succession
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row

BEGINS_AFTER_S = 0.5
WORK = "hitherto_server.maintenance.work"


@dataclass
class JudgedWork:
    """Has new and changed memories judged, and drives the backfill."""

    store: Store
    judge: Asks
    clock: Clock
    embedder: Succession
    is_busy: Callable[[], bool] = field(default=lambda: False)
    """Whether files are being looked at or new memories indexed: that comes first."""
    _work: Work | None = None
    _beginning: asyncio.Task[None] | None = None

    @property
    def queue(self) -> Queue:
        """What takes the jobs."""
        return self._made().queue

    @property
    def backfill(self) -> Backfill:
        """What judges the memories of before."""
        return self._made().backfill

    def start(self) -> None:
        """Begin to work in the background, in a moment."""
        self._beginning = asyncio.create_task(self._begin(), name="judged work")

    async def close(self) -> None:
        """Stop; what was begun is taken up again after the next start."""
        if self._beginning is not None:
            self._beginning.cancel()
            await asyncio.gather(self._beginning, return_exceptions=True)
        if self._work is not None:
            await self._work.queue.close()

    def notify(self) -> None:
        """Say that there may be something to do."""
        if self._work is not None:  # else it looks at its beginning
            self._work.queue.notify()

    def ask_for(self, connection: Connection, row: Row, *, at_ms: int) -> bool:
        """Have a memory judged if anybody may be asked, and tell whether that is so.

        A candidate waits until it is admitted.
        """
        from hitherto_server.judge.surfaces import importance_kind, relations
        from hitherto_server.maintenance import classifying, relating

        if row["tier"] != "admitted":
            return False
        wanted = False
        for kind, surface, priority in (
            (relating.KIND, relations.SURFACE, jobs.RELATE),
            (classifying.KIND, importance_kind.SURFACE, jobs.CLASSIFY),
        ):
            if self.judge.is_on(surface):
                jobs.put(connection, kind, row["id"], priority=priority, at_ms=at_ms)
                wanted = True
        return wanted

    async def _begin(self) -> None:
        await asyncio.sleep(BEGINS_AFTER_S)
        await asyncio.to_thread(import_module, WORK)
        self._made().queue.start()

    def _made(self) -> Work:
        if self._work is None:
            from hitherto_server.maintenance.work import make_work

            self._work = make_work(self.store, self.judge, self.clock, self.embedder, self.is_busy)
        return self._work
