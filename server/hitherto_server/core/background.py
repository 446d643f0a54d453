"""Work that goes on beside all else, and that no failure ends."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

log = logging.getLogger(__name__)

RETRY_S = 5.0


@dataclass(frozen=True)
class Pace:
    """When it works: a moment after it is woken, and from time to time of its own."""

    after_s: float
    first_sweep_s: float
    sweep_s: float


class Closing(Exception):
    """The server stops while a file is being read: its end would wait for the thread."""


@dataclass
class Rests:
    """Lets the calls that wait go first now and then while a thread reads, and ends it."""

    every_bytes: int = 200_000
    rest_s: float = 0.005
    """Reading keeps the interpreter busy, and a hook waits 300 ms for everything."""
    is_closing: bool = False
    _unrested: int = 0

    def told(self, count: int) -> None:
        """Take note that so many bytes more are read."""
        if self.is_closing:
            raise Closing
        self._unrested += count
        if self._unrested > self.every_bytes:
            self._unrested = 0
            time.sleep(self.rest_s)


@dataclass
class Background:
    """One task, which sleeps until it is woken."""

    name: str
    """What the log says that waits, or met a bug."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Begin."""
        self.task = asyncio.create_task(work, name=self.name)

    async def close(self) -> None:
        """Stop, wherever it is."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)

    async def is_woken(self, within_s: float | None) -> bool:
        """Wait until somebody wakes it, or for so long; and tell which it was."""
        try:
            async with asyncio.timeout(within_s):
                await self.wake.wait()
        except TimeoutError:
            return False
        return True

    async def guard(self, work: Awaitable[None]) -> bool:
        """Do something, log why it failed if it did, and tell whether it is done."""
        try:
            await work
        except HithertoError as error:
            log.warning("%s waits: %s", self.name, error.message)
        except Exception:
            # what comes later must be done, whatever was wrong this time
            log.exception("%s met a bug", self.name)
        else:
            return True
        return False

    async def repeat(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do something again and again, after a pause where it failed; it waits by itself."""
        while True:
            if not await self.guard(work()):
                await asyncio.sleep(RETRY_S)
                self.wake.set()

    async def serve(
        self,
        catch_up: Callable[[], Awaitable[None]],
        sweep: Callable[[], Awaitable[None]],
        pace: Pace,
    ) -> None:
        """Do what it is woken for, and look after everything from time to time."""
        wait_s = pace.first_sweep_s
        while True:
            if await self.is_woken(wait_s):
                await asyncio.sleep(pace.after_s)
                self.wake.clear()
                await self.guard(catch_up())
            else:
                wait_s = pace.sweep_s
                await self.guard(sweep())
