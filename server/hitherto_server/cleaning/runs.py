"""The one run of the triage that a server has at a time: followed, cancelled, never left behind."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from hitherto_server.core.errors import TriageBusy

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

T = TypeVar("T")


@dataclass
class Run(Generic[T]):
    """What yields snapshots in a task of its own, so that it can be ended from outside."""

    steps: AsyncIterator[T]
    was_cancelled: bool = False
    _told: asyncio.Queue[T | None] = field(default_factory=asyncio.Queue)
    _task: asyncio.Task[None] | None = None

    @property
    def is_on(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        self._task = asyncio.create_task(self._work(), name="triage")

    async def follow(self) -> AsyncGenerator[T, None]:
        """Yield each snapshot as it comes; after a cancellation there are no more."""
        while (one := await self._told.get()) is not None:
            yield one
        if self._task is not None and self._task.done() and not self._task.cancelled():
            self._task.result()  # what went wrong there goes wrong here

    def cancel(self) -> None:
        """Give up what is being asked."""
        if self._task is not None and self.is_on:
            self.was_cancelled = True
            self._task.cancel()

    async def end(self) -> None:
        """Cancel it and wait until nothing of it is left."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._task

    async def _work(self) -> None:
        try:
            async for one in self.steps:
                self._told.put_nowait(one)
        finally:
            self._told.put_nowait(None)


@dataclass
class Runs(Generic[T]):
    """Knows which run is on."""

    _run: Run[T] | None = None

    def begin(self, steps: AsyncIterator[T]) -> Run[T]:
        """Start a run; a second one beside it is refused."""
        if self._run is not None and self._run.is_on:
            message = "what is expendable is being judged already"
            raise TriageBusy(message)
        self._run = Run(steps)
        self._run.start()
        return self._run

    def cancel(self) -> bool:
        """End the run that is on, and tell whether one was."""
        if self._run is None or not self._run.is_on:
            return False
        self._run.cancel()
        return True
