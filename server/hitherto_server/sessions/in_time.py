"""An answer within the time that its hook has, by construction: what is late is not waited for."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from hitherto_server.sessions.moments import Reply

log = logging.getLogger(__name__)


@dataclass
class InTime:
    """Waits for answers, and keeps those that are late until they have taken themselves back."""

    _late: set[asyncio.Task[Reply]] = field(default_factory=set)

    async def wait(self, work: Coroutine[Any, Any, Reply], within_s: float | None) -> Reply:
        """Return what comes of a work, or None once the time is up; without a time, wait for it.

        What is late goes on: it finds out itself that it is, and gives back what it took.
        """
        task = asyncio.create_task(work, name="answer")
        try:
            await asyncio.wait({task}, timeout=within_s)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done():
            return task.result()
        self._late.add(task)
        task.add_done_callback(self._done)
        return None

    async def close(self) -> None:
        """End what is late: nobody is given it."""
        tasks = list(self._late)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, task: asyncio.Task[Reply]) -> None:
        self._late.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("an answer that was late failed: %s", type(error).__name__)
