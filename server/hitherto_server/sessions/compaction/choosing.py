"""What is chosen for digests beside everything else: nobody waits for it for long."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import HithertoError

if TYPE_CHECKING:
    from collections.abc import Coroutine

log = logging.getLogger(__name__)


@dataclass
class Choosing:
    """The choices that are being made beside everything else."""

    undelivered: set[str] = field(default_factory=set)
    """Sessions whose context was compacted, and whose digest did not reach them at once."""
    _running: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _others: set[asyncio.Task[None]] = field(default_factory=set)

    def begin(self, session_id: str, work: Coroutine[Any, Any, None]) -> None:
        """Choose for a session; a choice that was begun before is not waited for any more."""
        task = self.beside(work)
        self._running[session_id] = task
        task.add_done_callback(lambda _: self._forget(session_id, task))

    def beside(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something that nobody waits for; what fails is logged."""
        task = asyncio.create_task(_logged(work), name="digest")
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        return task

    async def wait(self, session_id: str, within_s: float) -> None:
        """Wait a moment for a session's choice, if one is being made."""
        task = self._running.get(session_id)
        if task is not None:
            await asyncio.wait({task}, timeout=within_s)

    async def close(self) -> None:
        """End what is being done; what was stored so far is taken up later."""
        tasks = list(self._others)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self, session_id: str, task: asyncio.Task[None]) -> None:
        if self._running.get(session_id) is task:
            del self._running[session_id]


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except HithertoError as error:
        log.warning("a digest was not kept: %s", error.message)
    except OSError as error:
        log.warning("a digest was not kept: %s", error.strerror)
