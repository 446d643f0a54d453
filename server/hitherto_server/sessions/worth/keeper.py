"""Finds out in the background what sessions' memories were worth; no hook waits for it."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.background import Background, Pace, Rests
from hitherto_server.core.clock import DAY_MS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hitherto_server.core.clock import Clock
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.control.quiet import Quiet
    from hitherto_server.sessions.worth.transcript import Seen
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.worth import Cost

log = logging.getLogger(__name__)

AFTER_S = 2.0
"""The client writes its transcript's last rows beside the hook."""
SWEEP_S, FIRST_SWEEP_S = 600.0, 30.0
QUIET_MS = 5 * 60 * 1000
"""A session that goes on is looked at once it rests."""
BACK_MS = 7 * DAY_MS
MOST_A_SWEEP = 50
MOST_REMEMBERED = 256


async def _nothing() -> None:
    return None


@dataclass
class WorthKeeper:
    """Looks at sessions that ended or rest, one after another."""

    store: Store
    quiet: Quiet
    clock: Clock
    is_on: bool = True
    afterwards: Callable[[], Awaitable[None]] = _nothing
    """What is done once more is known, as setting aside what keeps being false."""
    after_s: float = AFTER_S
    _paths: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _wanted: dict[str, None] = field(default_factory=dict)
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)
    _rests: Rests = field(default_factory=Rests)
    _background: Background = field(default_factory=lambda: Background("what memory was worth"))

    def start(self) -> None:
        """Begin to work in the background."""
        if self.is_on:
            pace = Pace(self.after_s, FIRST_SWEEP_S, SWEEP_S)
            self._background.start(self._background.serve(self.catch_up, self.sweep, pace))

    async def close(self) -> None:
        """Stop; what is left is looked at after the next start."""
        self._rests.is_closing = True
        await self._background.close()

    def note(self, call: HookCall) -> None:
        """Take note of where a session's transcript is, and of its end."""
        path = call.text("transcript_path", most=4096)
        if path:
            self._paths[call.session_id] = path
            self._paths.move_to_end(call.session_id)
            while len(self._paths) > MOST_REMEMBERED:
                self._paths.popitem(last=False)
        if call.event == "SessionEnd" and self.is_on:
            self._wanted[call.session_id] = None
            self._background.wake.set()

    async def look(self, session_id: str) -> None:
        """Find out about one session now; again, it only learns what is new."""
        from hitherto_server.sessions.worth import gather
        from hitherto_server.store import worth as rows

        if await self._is_left_alone(session_id):
            return
        async with self._one:
            path = await self._path_of(session_id)
            seen = None if path is None else await self._read(path, session_id)
            known = await self.store.readers.run(
                partial(gather.find_out, session_id=session_id, seen=seen)
            )
            at_ms = self.clock()

            def job(connection: Connection) -> None:
                gather.keep(connection, session_id, known, at_ms=at_ms)
                rows.put_cost(
                    connection,
                    session_id,
                    _cost(seen),
                    through_event=known.through_event,
                    transcript=None if path is None else str(path),
                    at_ms=at_ms,
                )

            await self.store.writer.run(job, durable=False)

    async def _read(self, path: Path, session_id: str) -> Seen | None:
        return await asyncio.to_thread(_seen, path, session_id, self._rests.told)

    async def sweep(self) -> None:
        """Look at sessions that rest and at those whose end never came."""
        from hitherto_server.store.worth import list_waiting

        now_ms = self.clock()
        find = partial(
            list_waiting, since_ms=now_ms - BACK_MS, until_ms=now_ms - QUIET_MS, most=MOST_A_SWEEP
        )
        for session_id in await self.store.readers.run(find):
            await self._background.guard(self.look(session_id))
        await self._background.guard(self.afterwards())

    async def catch_up(self) -> None:
        """Look at those that ended."""
        while self._wanted:
            session_id, _ = self._wanted.popitem()
            await self._background.guard(self.look(session_id))

    async def _is_left_alone(self, session_id: str) -> bool:
        from hitherto_server.store.sessions import find_session

        row = await self.store.readers.run(partial(find_session, session_id=session_id))
        folder = None if row is None else row["working_dir"]
        return await self.quiet.rule_for(session_id, [folder] if folder else []) is not None

    async def _path_of(self, session_id: str) -> Path | None:
        from hitherto_server.store.worth import find_transcript

        named = self._paths.get(session_id) or await self.store.readers.run(
            partial(find_transcript, session_id=session_id)
        )
        if not named or "\0" in named:
            return None
        path = Path(named)
        return None if await asyncio.to_thread(self.quiet.hides, path) else path


def _seen(path: Path, session_id: str, told: Callable[[int], None]) -> Seen | None:
    from hitherto_server.sessions.transcript import is_transcript
    from hitherto_server.sessions.worth.transcript import read_transcripts

    try:
        return read_transcripts(path, told) if is_transcript(str(path), session_id) else None
    except OSError as error:
        log.warning("a transcript could not be read: %s", error.strerror)
        return None


def _cost(seen: Seen | None) -> Cost:
    from hitherto_server.store.worth import Cost

    if seen is None:
        return Cost()
    usage = seen.usage
    return Cost(
        input_tokens=usage.total("input_tokens"),
        output_tokens=usage.total("output_tokens"),
        cache_creation_tokens=usage.total("cache_creation_input_tokens"),
        cache_read_tokens=usage.total("cache_read_input_tokens"),
        replies=len(usage.replies),
        silent_replies=usage.silent,
    )
