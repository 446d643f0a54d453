"""Looks at the files of memories ahead of time: after edits, commands, checkouts and pulls."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from hitherto_server.core.background import Background
from hitherto_server.core.clock import HOUR_MS
from hitherto_server.core.errors import HithertoError
from hitherto_server.recall.news import find_news
from hitherto_server.recall.standings import anchors_of
from hitherto_server.standing.stamp import stamp_of
from hitherto_server.store.notices import list_anchored, list_listeners, list_paths
from hitherto_server.store.recall import find_anchored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.standing.anchors import Anchor
    from hitherto_server.standing.stamp import Stamp
    from hitherto_server.store.database import Store
    from hitherto_server.store.projects import Project

TOGETHER_S = 0.3
"""What comes within this time is one sweep: a checkout and the edits after it."""
SETTLED_S = 2.2
"""A file that was written a moment ago is looked at once more after this time."""
WATCH_S = 5.0
WATCHED_FOR_S = 1800.0
"""How often, and how long after its last event, a project's head and index are looked at."""
LISTENING_MS = 12 * HOUR_MS
MOST_WATCHED = 16
MOST_MEMORIES = 2000
MOST_PATHS = 4000
BATCH = 16
LOOK_S = 2.5
"""What one file may take: git may have to compare a whole history first."""
BREATH_S = 0.005
SWEEP_S = 30.0

log = logging.getLogger(__name__)


@dataclass
class Watched:
    """A project whose sessions are at work."""

    project: int
    active_at: float
    stamp: Stamp | None = None
    is_swept: bool = False
    """Whether all of its memories were looked at once."""


@dataclass
class Sweep:
    """Keeps what is known of files warm, and finds out which sessions should hear of a change."""

    store: Store
    lookout: Lookout
    clock: Clock
    has_news: set[str]
    """Sessions with news, for whoever answers their next event."""
    count: int = 0
    _wanted: dict[Path, list[int]] = field(default_factory=dict)
    _watched: dict[Path, Watched] = field(default_factory=dict)
    _ending: threading.Event = field(default_factory=threading.Event)
    _loop: asyncio.AbstractEventLoop | None = None
    _background: Background = field(default_factory=lambda: Background("a sweep"))

    def start(self) -> None:
        """Begin to work in the background."""
        self._loop = asyncio.get_running_loop()
        self.lookout.on_late = self.notify_late
        self._background.start(self._background.repeat(self._work))

    @property
    def is_busy(self) -> bool:
        """Whether files are to be looked at now."""
        return bool(self._wanted)

    async def close(self) -> None:
        """Stop; a file that is being looked at is finished on its thread."""
        self._ending.set()
        await self._background.close()

    def notify(self, project: Project) -> None:
        """Say that a session is at work here and that files may have changed."""
        known = self._watched.pop(project.root, None) or Watched(project.number, 0)
        known.active_at = time.monotonic()
        self._watched[project.root] = known
        while len(self._watched) > MOST_WATCHED:
            self._watched.pop(next(iter(self._watched)))
        self._want(project.root)

    def notify_late(self, root: Path, numbers: list[int]) -> None:
        """Say, from whatever thread, which memories a recall had no time to look at."""
        if self._loop is not None and not self._ending.is_set():
            self._loop.call_soon_threadsafe(self._want, root, numbers)

    def _want(self, root: Path, first: Iterable[int] = ()) -> None:
        self._wanted.setdefault(root, []).extend(first)
        self._background.wake.set()

    async def _work(self) -> None:
        if not await self._background.is_woken(WATCH_S if self._watched else None):
            await self._watch()
        await asyncio.sleep(TOGETHER_S)
        self._background.wake.clear()
        for root in list(self._wanted):
            first = self._wanted.pop(root)
            try:
                await self._sweep(root, first)
            except HithertoError:  # the store is busy: what changed is looked at later
                self._want(root, first)
                raise

    async def _watch(self) -> None:
        """Want those projects whose head, branch or index was moved by whomever."""
        now = time.monotonic()
        for root, watched in list(self._watched.items()):
            if now - watched.active_at > WATCHED_FOR_S:
                del self._watched[root]
            elif await asyncio.to_thread(stamp_of, root) != watched.stamp:
                self._want(root)

    async def _sweep(self, root: Path, first: Sequence[int]) -> None:
        watched = self._watched.get(root)
        if watched is not None:
            watched.stamp = await asyncio.to_thread(stamp_of, root)
        unsettled = self.lookout.files.unsettled
        numbers = dict.fromkeys([*first, *await self._others(root, watched)])
        is_through = await self._warm(root, list(numbers))
        if watched is not None:
            watched.is_swept = watched.is_swept or is_through
            await self._find_news(watched.project, root)
        self.count += 1
        if self.lookout.files.unsettled > unsettled and self._loop is not None:
            self._loop.call_later(SETTLED_S, self._want_settled, root)

    def _want_settled(self, root: Path) -> None:
        if not self._ending.is_set() and root in self._watched:
            self._want(root)

    async def _others(self, root: Path, watched: Watched | None) -> list[int]:
        if watched is None:
            return []
        return await (self._moved(root, watched) if watched.is_swept else self._all(watched))

    async def _all(self, watched: Watched) -> list[int]:
        listing = partial(list_anchored, project=watched.project, most=MOST_MEMORIES)
        return await self.store.readers.run(listing)

    async def _moved(self, root: Path, watched: Watched) -> list[int]:
        """Return the memories of those files whose status is not the known one."""
        listing = partial(list_paths, project=watched.project, most=MOST_PATHS)
        paths = await self.store.readers.run(listing)
        moved = await asyncio.to_thread(self._unknown, root, paths)
        tied = partial(find_anchored, paths=moved, scopes=[watched.project], most=MOST_MEMORIES)
        return list(await self.store.readers.run(tied)) if moved else []

    def _unknown(self, root: Path, paths: Sequence[str]) -> list[str]:
        return [path for path in paths if not self.lookout.files.knows(root, path)]

    async def _warm(self, root: Path, numbers: Sequence[int]) -> bool:
        """Look at memories; returns whether there was time for all of them."""
        ends = time.monotonic() + SWEEP_S
        for batch in _batches(numbers):
            if time.monotonic() > ends or not await asyncio.to_thread(root.is_dir):
                return False
            tied = await self.store.readers.run(partial(anchors_of, numbers=batch))
            anchors = [anchor for number in batch for anchor in tied.get(number, ())]
            await asyncio.to_thread(self._look, anchors, root)
            await asyncio.sleep(BREATH_S)  # whoever waits for an answer comes first
        return True

    def _look(self, anchors: Sequence[Anchor], root: Path) -> None:
        for anchor in anchors:
            if self._ending.is_set():
                return
            self.lookout.warm([anchor], root, time.perf_counter() + LOOK_S)

    async def _find_news(self, project: int, root: Path) -> None:
        since_ms = self.clock() - LISTENING_MS
        listening = partial(list_listeners, project=project, since_ms=since_ms)
        find = partial(find_news, lookout=self.lookout, project=project, root=root, most=1)
        for session in await self.store.readers.run(listening):
            if await self.store.readers.run(partial(find, session=session)):
                self.has_news.add(session)


def _batches(numbers: Sequence[int]) -> Iterator[list[int]]:
    rest = iter(numbers)
    while batch := list(islice(rest, BATCH)):
        yield batch
