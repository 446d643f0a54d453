"""After an edit: has the memories of that file judged, once the session leaves the file alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hitherto_server.core.errors import HithertoError
from hitherto_server.core.text import identifiers_in
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces.edit_stale import (
    MOST_JUDGED,
    MOST_TEXT_CHARS,
    QUIET_S,
    SURFACE,
    TOGETHER,
    Touched,
    ranked,
)
from hitherto_server.recall.staleness import StaleJudge, Subject
from hitherto_server.recall.standings import anchors_of
from hitherto_server.recall.verdicts import question
from hitherto_server.standing.paths import relative_name
from hitherto_server.standing.verdicts import basis_of
from hitherto_server.store import recall as rows
from hitherto_server.store.notices import raise_judged
from hitherto_server.store.verdicts import list_on_files

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.sessions.call import HookCall
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.projects import Project

EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"})
MOST_BURSTS = 256
MOST_EDITS = 16
"""Of one burst, the latest: a longer one is known by them well enough."""
MOST_TIED = 50

log = logging.getLogger(__name__)


class Place(NamedTuple):
    """A session at one file of a project."""

    session_id: str
    project: int
    root: Path
    path: str


async def _never(_session: str, _folder: Path) -> bool:
    return False


@dataclass
class EditWatch:
    """Waits until a session is quiet about a file, then asks, beside everything else."""

    stale: StaleJudge
    has_news: set[str]
    """Sessions with news, for whoever answers their next event."""
    is_left_alone: Callable[[str, Path], Awaitable[bool]] = _never
    """Whether a session in a folder is paused or ignored by now."""
    quiet_s: float = QUIET_S
    _bursts: dict[Place, list[tuple[str, str]]] = field(default_factory=dict)
    _timers: dict[Place, asyncio.TimerHandle] = field(default_factory=dict)
    _working: set[asyncio.Task[None]] = field(default_factory=set)
    _together: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TOGETHER))

    def note(self, call: HookCall, project: Project) -> None:
        """Note that a session edited files; what that means is worked out later."""
        if call.text("tool_name") not in EDITS or not self.stale.judge.is_on(SURFACE):
            return
        edits = list(edited_texts(call.body.get("tool_input")))
        for name in call.files:
            path = relative_name(project.root, name)
            if path is not None:
                self._wait(Place(call.session_id, project.number, project.root, path), edits)

    async def close(self) -> None:
        """Forget what waits and break off what is being judged."""
        for timer in self._timers.values():
            timer.cancel()
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)

    def _wait(self, place: Place, edits: Sequence[tuple[str, str]]) -> None:
        if place not in self._bursts and len(self._bursts) >= MOST_BURSTS:
            return
        burst = self._bursts.setdefault(place, [])
        burst[:] = [*burst, *edits][-MOST_EDITS:]
        if (earlier := self._timers.get(place)) is not None:
            earlier.cancel()
        loop = asyncio.get_running_loop()
        self._timers[place] = loop.call_later(self.quiet_s, self._begin, place)

    def _begin(self, place: Place) -> None:
        del self._timers[place]
        task = asyncio.create_task(self._judge(place, self._bursts.pop(place)), name="edit-stale")
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _judge(self, place: Place, edits: Sequence[tuple[str, str]]) -> None:
        try:
            async with self._together:
                touched = await asyncio.to_thread(touched_by, edits)
                await self._judge_all(place, touched)
        except HithertoError as error:
            log.warning("an edit was not looked at: %s", error.message)
        except Exception:
            # the next edit must be looked at, whatever was wrong with this one
            log.exception("an edit's memories met a bug")

    async def _judge_all(self, place: Place, touched: Touched) -> None:
        if await self.is_left_alone(place.session_id, place.root):
            return
        files = self.stale.lookout.files
        file_hash = await asyncio.to_thread(files.hash_of, place.root, place.path)
        if file_hash is None:  # gone, or nothing that may be read
            return
        find = partial(_to_judge, place=place, file_hash=file_hash, touched=touched)
        asking = Asking("maintenance", place.session_id, place.project, retries=1)
        for subject in await self.stale.store.readers.run(find):
            checked = await self.stale.check(SURFACE, place.root, subject, asking)
            if checked.is_kept and checked.verdict == "stale":
                await self._tell_later(place.session_id, subject.id)

    async def _tell_later(self, session_id: str, memory_id: str) -> None:
        at_ms = self.stale.clock()
        await self.stale.store.writer.run(
            lambda c: raise_judged(c, session_id, memory_id, at_ms=at_ms)
        )
        self.has_news.add(session_id)


def edited_texts(given: Any) -> Iterator[tuple[str, str]]:
    """Give the texts that an edit replaced and put in their place, clipped."""
    if not isinstance(given, Mapping):
        return
    several = given.get("edits")
    for one in several if isinstance(several, list) else [given]:
        if isinstance(one, Mapping):
            before = _text(one, "old_string")
            after = _text(one, "new_string") or _text(one, "content") or _text(one, "new_source")
            if before or after:
                yield before, after


def touched_by(edits: Iterable[tuple[str, str]]) -> Touched:
    """Return the identifiers of all edits of a burst."""
    touched = Touched()
    for before, after in edits:
        touched |= Touched.of(before, after)
    return touched


def _text(one: Mapping[str, Any], name: str) -> str:
    value = one.get(name)
    return value[:MOST_TEXT_CHARS] if isinstance(value, str) else ""


def _to_judge(
    connection: Connection, place: Place, file_hash: str, touched: Touched
) -> list[Subject]:
    """Return the memories of a file that were not judged beside its content, most touched first."""
    scopes = [place.project]
    tied = list(rows.find_anchored(connection, [place.path], scopes, most=MOST_TIED))
    states = rows.list_states(connection, tied, scopes)
    texts = rows.list_texts(connection, tied)
    anchors = anchors_of(connection, tied)
    known = {(row["number"], row["basis_hash"]) for row in list_on_files(connection, tied)}

    def is_new(number: int) -> bool:
        basis = basis_of(question(), texts[number]["revision"], place.path, file_hash)
        as_it_was = any(
            one.path == place.path and one.file_hash == file_hash for one in anchors[number]
        )
        return (
            states[number]["superseded_by"] is None
            and not as_it_was
            and (number, basis) not in known
        )

    fit = {n: identifiers_in(texts[n]["content"]) for n in tied if n in states and is_new(n)}
    return [
        Subject(n, texts[n]["id"], texts[n]["revision"], texts[n]["content"], place.path)
        for n in ranked(fit, touched)[:MOST_JUDGED]
    ]
