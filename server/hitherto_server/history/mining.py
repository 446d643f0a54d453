"""Sessions are mined while they run and after they ended, in the background.

What was said becomes pieces that are searched; what the rules of the import find, candidates.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.background import Background, Pace, Rests
from hitherto_server.core.clock import DAY_MS
from hitherto_server.store import pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.settings import Settings
    from hitherto_server.history.mined import Mine
    from hitherto_server.history.tail import Read, Tail
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.control.quiet import Quiet
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Row

NOTED = frozenset({"SessionStart", "Stop", "SessionEnd"})
CLIENT = "claude-code"
AFTER_S = 1.0
"""The client writes its file beside the hook; and whoever waits for an answer comes first."""
SWEEP_S, FIRST_SWEEP_S = 600.0, 10.0
ENDED_AFTER_MS = 30 * 60 * 1000
"""A transcript that hasn't grown for so long is of a session that is over, whatever it said."""
MOST_AT_ONCE = 8 * 1024 * 1024
"""Of a transcript, in one step: what a kill in between has read anew."""
MOST_REMEMBERED = 64
MOST_PAST = 500


@dataclass
class Miner:
    """Reads transcripts on from where that ended, one after another."""

    store: Store
    settings: Settings
    quiet: Quiet
    clock: Clock
    mine: Callable[[], Mine]
    """Makes what keeps the pieces and the findings, at the first of them."""
    after_s: float = AFTER_S
    most_at_once: int = MOST_AT_ONCE
    _wanted: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """Paths, each with its session, and whether that is over."""
    _tails: dict[str, Tail] = field(default_factory=dict)
    _background: Background = field(default_factory=lambda: Background("mining"))
    _rests: Rests = field(default_factory=Rests)

    @property
    def is_on(self) -> bool:
        """Whether anything is kept of what sessions say."""
        return self.settings.session_days > 0 and self.settings.kept_prompt_chars > 0

    def start(self) -> None:
        """Begin to work in the background."""
        pace = Pace(self.after_s, FIRST_SWEEP_S, SWEEP_S)
        self._background.start(self._background.serve(self.catch_up, self.sweep, pace))

    async def close(self) -> None:
        """Stop; what is left is read after the next start."""
        self._rests.is_closing = True
        await self._background.close()

    def note(self, call: HookCall) -> None:
        """Take note of a hook's call: its transcript may have grown, or be complete."""
        if call.event not in NOTED or call.client != CLIENT or not self.is_on:
            return
        path = call.text("transcript_path")
        if path:
            _, is_over = self._wanted.get(path, ("", False))
            self._wanted[path] = (call.session_id, is_over or call.event == "SessionEnd")
            self._background.wake.set()

    async def catch_up(self) -> None:
        """Read what was noted, keep it and give it its vectors."""
        while self._wanted:
            path, (session_id, is_over) = self._wanted.popitem()
            await self._background.guard(self._take(path, session_id, is_over=is_over))
        await self.mine().embed()

    async def take_past(self, paths: Sequence[Path]) -> None:
        """Read sessions of before, of which no hook has told; their findings were imported."""
        if not self.is_on:
            return
        since_ms = self.clock() - self.settings.session_days * DAY_MS
        for path in paths[:MOST_PAST]:
            _, age_ms = await asyncio.to_thread(_state_of, path, self.clock())
            if self.clock() - age_ms >= since_ms:
                await self._background.guard(self._take_past(path))
        await self.mine().embed()

    async def _take_past(self, path: Path) -> None:
        await self._take(str(path), path.stem, is_over=False)
        self._tails.pop(str(path), None)
        noting = partial(pieces.note_looked_for, path=str(path))
        await self.store.writer.run(noting, durable=False)

    async def sweep(self) -> None:
        """Look after sessions whose end never came, and forget what is too old."""
        if self.is_on:
            await self._look_after()
        mine = self.mine()
        await mine.prune(self.settings.session_days)
        await mine.embed()

    async def _look_after(self) -> None:
        for row in await self.store.readers.run(pieces.list_transcripts):
            size, age_ms = await asyncio.to_thread(_state_of, Path(row["path"]), self.clock())
            is_over = age_ms > ENDED_AFTER_MS
            is_unfound = is_over and row["found_offset"] < row["read_offset"]
            if is_unfound or size > row["read_offset"]:
                job = self._take(row["path"], row["session_id"], is_over=is_over)
                await self._background.guard(job)

    async def _take(self, path: str, session_id: str, *, is_over: bool) -> None:
        from hitherto_server.history.tail import Tail
        from hitherto_server.sessions.transcript import is_transcript

        if not await asyncio.to_thread(is_transcript, path, session_id):
            return
        if await asyncio.to_thread(self.quiet.hides, Path(path)):
            return
        known = await self._known(path, session_id)
        tail = self._tails.pop(path, None) or Tail(Path(path))
        await self._read_on(known, tail)
        if is_over and self.settings.session_findings:
            await self._find(await self._known(path, session_id))
        if not is_over:
            self._tails[path] = tail
            while len(self._tails) > MOST_REMEMBERED:
                self._tails.pop(next(iter(self._tails)))

    async def _known(self, path: str, session_id: str) -> Row:
        note = partial(pieces.note_transcript, path=path, session_id=session_id, at_ms=self.clock())
        return await self.store.writer.run(note, durable=False)

    async def _read_on(self, known: Row, tail: Tail) -> None:
        """Read to the end in steps, each kept before the next: a kill costs one of them."""
        most = self.most_at_once
        while (read := await self._step(known, tail, most)).goes_on:
            # an exchange that is longer than a step takes a longer one
            came_on = read.is_anew or read.offset > known["read_offset"]
            most = self.most_at_once if came_on else 4 * most
            known = await self._known(known["path"], known["session_id"])
            if known["read_offset"] != read.offset:
                return  # it was purged, or is left alone by now

    async def _step(self, known: Row, tail: Tail, most: int) -> Read:
        opened = await self.store.readers.run(
            lambda c: pieces.find_open_piece(c, known["id"], known["read_offset"])
        )
        read = await asyncio.to_thread(tail.read, known, opened, self.quiet, self._rests.told, most)
        await self.mine().keep(known["id"], read)
        return read

    async def _find(self, known: Row) -> None:
        """Look through a whole session for what the import would find: what it came to counts."""
        if known["found_offset"] >= known["read_offset"]:
            return
        from hitherto_server.history.session import read_session
        from hitherto_server.history.tail import counted

        counts = counted(self.quiet, known)
        path = Path(known["path"])
        found = await asyncio.to_thread(read_session, path, self._rests.told, counts)
        await self.mine().propose(known, found.findings)


def _state_of(path: Path, now_ms: int) -> tuple[int, int]:
    """Return how large a file is and how long ago it grew; a file that is gone grows no more."""
    try:
        state = path.stat()
    except OSError:
        return 0, 0
    return state.st_size, now_ms - int(state.st_mtime * 1000)
