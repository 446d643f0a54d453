"""Backups: made daily beside the running server, before an import, and when somebody asks."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.errors import BackupUnusable, HithertoError
from hitherto_server.core.private_file import write_private
from hitherto_server.store.copies import Copy, copy_database, drop_unfinished, faults_of
from hitherto_server.store.driver import mapped_errors, open_raw
from hitherto_server.store.shelf import list_backups, name_for, too_many

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.home import Home
    from hitherto_server.store.database import Store
    from hitherto_server.store.shelf import Why

FIRST_LOOK_S = 20.0
LOOK_EVERY_S = 600.0
MOST_CHECKED_BYTES = 2 * 1024**3
"""A larger store is looked through with its daily backup, not at each start."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Failure:
    """Why the last backup failed, and what mends it."""

    at_ms: int
    message: str
    mend: str


def read_failure(home: Home) -> Failure | None:
    """Return why the last backup failed, if it did."""
    try:
        return Failure(**json.loads(_failure_file(home).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _failure_file(home: Home) -> Path:
    return home.backups / "failed.json"


@dataclass
class Backups:
    """Keeps the folder of backups; one is made at a time."""

    home: Home
    store: Store
    clock: Clock
    every_hours: int
    kept: int
    first_look_s: float = FIRST_LOOK_S
    failure: Failure | None = None
    imports: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while an import is taken in: it may bring what an erase takes away."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _called_off: threading.Event = field(default_factory=threading.Event)
    _tried_at_s: float | None = None
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for what is due."""
        self.failure = read_failure(self.home)
        with suppress(OSError):  # before anybody is answered: what is put there later counts
            drop_unfinished(self.home.backups)
        self._task = asyncio.create_task(self._run(), name="backups")

    async def close(self) -> None:
        """Stop; a copy that is being made is called off."""
        self._called_off.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        async with self._lock:  # its thread reads the database
            pass

    async def make(self, why: Why) -> Copy:
        """Make a backup, prove it, and let those go that are too many."""
        async with self._lock:
            made = await self._make(why)
            await asyncio.to_thread(self._thin)
            return made

    @asynccontextmanager
    async def none_is_made(self) -> AsyncIterator[None]:
        """Keep backups and imports from being made: a backup that is under way is called off."""
        self._called_off.set()
        async with self.imports, self._lock:
            self._called_off.clear()
            await asyncio.to_thread(drop_unfinished, self.home.backups)
            yield

    async def _make(self, why: Why) -> Copy:
        at_ms = self.clock()
        target = self.home.backups / name_for(why, at_ms)
        copying = asyncio.create_task(
            asyncio.to_thread(
                copy_database, self.store.path, target, is_cancelled=self._called_off.is_set
            )
        )
        try:
            made = await asyncio.shield(copying)
        except asyncio.CancelledError:
            await asyncio.wait([copying])  # its thread still reads the database
            if not copying.cancelled():
                copying.exception()  # nobody waits for it any more
            raise
        except HithertoError as error:
            if not self._called_off.is_set():
                await self._failed(error, at_ms)
            raise
        self.failure = None
        _failure_file(self.home).unlink(missing_ok=True)
        return made

    async def _failed(self, error: HithertoError, at_ms: int) -> None:
        self.failure = Failure(at_ms, error.message, error.mend)
        log.error("no backup: %s", error.message)
        with suppress(OSError):  # the disk may be full
            write_private(_failure_file(self.home), json.dumps(asdict(self.failure)))
        self.store.health.see(error)
        if isinstance(error, BackupUnusable):  # a copy is as its original
            await self._check()

    async def _run(self) -> None:
        await asyncio.sleep(self.first_look_s)
        with suppress(OSError):  # the folder may be away
            if self.store.path.stat().st_size <= MOST_CHECKED_BYTES:
                await self._check()
        while True:
            try:
                if self._is_due():
                    self._tried_at_s = time.monotonic()
                    await self.make("auto")
            except HithertoError:
                pass  # it was said
            except Exception:
                log.exception("backups met a bug")
            await asyncio.sleep(min(LOOK_EVERY_S, self.every_hours * 3600 or LOOK_EVERY_S))

    def _is_due(self) -> bool:
        if not self.every_hours or self.store.health.damage:
            return False
        every_s = self.every_hours * 3600
        if self._tried_at_s is not None and not self.failure:
            # this clock does not go backwards
            return time.monotonic() - self._tried_at_s >= every_s
        autos = [one for one in list_backups(self.home.backups) if one.why == "auto"]
        age_ms = self.clock() - autos[0].made_at_ms if autos else every_s * 1000
        return not 0 <= age_ms < every_s * 1000

    def _thin(self) -> None:
        if self.store.health.damage:  # those before it may be all that is left
            return
        for one in too_many(list_backups(self.home.backups), kept=self.kept):
            one.path.unlink(missing_ok=True)

    async def _check(self) -> None:
        """Look for damage before somebody meets it."""
        try:
            found = await asyncio.to_thread(self._faults)
        except HithertoError as error:  # a file that is away or held is no damaged one
            self.store.health.see(error)
            return
        if found and not self._called_off.is_set():
            self.store.health.note(found[0])

    def _faults(self) -> list[str]:
        path = self.store.path
        with mapped_errors(path), closing(open_raw(path, read_only=True)) as opened:
            return faults_of(opened, self._called_off.is_set, quick=True)
