"""Imports a client's history: a look first, then file after file, each in one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.background import Rests
from hitherto_server.core.errors import HistoryBusy, HithertoError, InvalidInput, StoreError
from hitherto_server.store import history as rows
from hitherto_server.store.projects import USER_WIDE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.history.findings import Finding
    from hitherto_server.history.keeping import Ready
    from hitherto_server.history.shown import Shown
    from hitherto_server.history.sources import Source
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.projects import Project, Projects

    Show = Callable[[int, Sequence[Source], Callable[[int], None]], Awaitable[Shown | None]]
    """Finds the memory of an import that is shown; told how far it is."""

log = logging.getLogger(__name__)

Phase = Literal["idle", "looking", "importing", "finishing", "done", "failed"]
MOST_SAMPLES = 6
SAMPLE_CHARS = 300
SETTLED_AT_ONCE = 50
"""So many are settled in one transaction: others want to write too."""


@dataclass
class Progress:
    """How far a look or an import is, and what it has found."""

    phase: Phase = "idle"
    import_id: int | None = None
    files: int = 0
    files_done: int = 0
    bytes: int = 0
    bytes_done: int = 0
    unchanged: int = 0
    """Files that an earlier import has read, as they are."""
    skipped_lines: int = 0
    failed_files: int = 0
    by_kind: Counter[str] = field(default_factory=Counter)
    by_project: Counter[str] = field(default_factory=Counter)
    samples: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, project and text of the first few."""
    outcomes: Counter[str] = field(default_factory=Counter)
    admitted: int = 0
    shown: Shown | None = None
    failure: str | None = None


@dataclass
class Importer:
    """Reads histories for one store, one at a time, and goes on after a restart."""

    store: Store
    projects: Projects
    writes: WriteContext
    clock: Clock
    hides: Callable[[Path], bool]
    """Tells which files and folders a person ignores."""
    show: Show
    """Finds a memory of an import that recall would have given."""
    mine: Callable[[Sequence[Path]], Awaitable[None]]
    """Keeps what past sessions said, to be found by who asks about one."""
    progress: Progress = field(default_factory=Progress)
    _work: asyncio.Task[None] | None = None
    _rests: Rests = field(default_factory=lambda: Rests(500_000, 0.002))

    def start(self) -> None:
        """Go on with an import that a restart interrupted."""
        self._work = asyncio.create_task(self._go_on(), name="history")

    async def close(self) -> None:
        """Stop; what is left is read after the next start."""
        self._rests.is_closing = True
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    async def look(self, client_home: str) -> None:
        """Begin to count what an import would bring; nothing is written."""
        folder = self._free(client_home)
        self.progress = Progress("looking")
        self._work = asyncio.create_task(self._guarded(self._look(folder)), name="history")

    async def begin(self, client_home: str, *, admits: bool) -> None:
        """Begin an import; one that was interrupted is gone on with instead."""
        folder = self._free(client_home)
        self.progress = Progress("importing")
        at_ms = self.clock()

        def job(connection: Connection) -> Row | None:
            if rows.find_unfinished(connection) is None:
                rows.begin_import(connection, str(folder), admits=admits, at_ms=at_ms)
            return rows.find_unfinished(connection)

        try:
            row = await self.store.writer.run(job)
        except HithertoError:
            self.progress = Progress()
            raise
        assert row is not None  # noqa: S101 - it was begun
        self.progress.import_id = row["id"]
        self._work = asyncio.create_task(self._guarded(self._import(row)), name="history")

    def refuse_if_busy(self) -> None:
        """Refuse what cannot be done while a history is being read."""
        if self.progress.phase in {"looking", "importing", "finishing"}:
            message = "a history is being read"
            raise HistoryBusy(message)

    def _free(self, client_home: str) -> Path:
        self.refuse_if_busy()
        folder = Path(client_home)
        if not folder.is_absolute() or not folder.is_dir():
            message = f"there is no folder {client_home[:100]!r}"
            raise InvalidInput(message, mend="Name the client's folder, for example ~/.claude.")
        return folder

    async def _go_on(self) -> None:
        row = await self.store.readers.run(rows.find_unfinished)
        if row is not None and self.progress.phase == "idle":
            log.info("import %d goes on", row["id"])
            self.progress = Progress("importing", row["id"])
            await self._guarded(self._import(row))

    async def _guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - nobody waits for it: whoever asks must hear
            log.warning("the history was not read to its end: %r", error)
            self.progress.phase, self.progress.failure = "failed", str(error)

    async def _look(self, folder: Path) -> None:
        for source in await self._unread(await self._listed(folder)):
            with self._surviving_one_file():
                await self._look_at(source)
        self.progress.phase = "done"

    async def _look_at(self, source: Source) -> None:
        names: dict[str, str] = {}
        for finding in await self._found_in(source):
            self._count(finding, await self._name_of(finding, names))

    @contextmanager
    def _surviving_one_file(self) -> Iterator[None]:
        """Count a file that cannot be taken in; what is wrong with the store is another matter."""
        try:
            yield
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad file must not hold up the rest
            log.warning("a file of the history was not taken in: %r", error)
            self.progress.failed_files += 1

    async def _import(self, row: Row) -> None:
        sources = await self._listed(Path(row["client_home"]))
        for source in await self._unread(sources):
            with self._surviving_one_file():
                await self._take(row["id"], source)
        self.progress.phase = "finishing"
        await self._settle(row)
        at_ms = self.clock()
        await self.store.writer.run(partial(rows.finish_import, number=row["id"], at_ms=at_ms))
        self.writes.on_written()
        kept = await self.store.readers.run(lambda c: rows.counts_of(c, row["id"]))
        self.progress.outcomes = Counter(kept)  # with what was read before a restart
        await self.mine([one.path for one in reversed(sources) if one.kind == "transcript"])
        self.progress.shown = await self.show(row["id"], sources, self._rests.told)
        self.progress.phase = "done"

    async def _listed(self, folder: Path) -> list[Source]:
        from hitherto_server.history.sources import list_sources

        return await asyncio.to_thread(list_sources, folder, self.hides)

    async def _unread(self, every: list[Source]) -> list[Source]:
        """Return what no import that stands has read as it is now."""
        known = await self.store.readers.run(rows.file_states)
        found = [one for one in every if known.get(str(one.path)) != one.state]
        self.progress.unchanged = len(every) - len(found)
        self.progress.files = len(found)
        self.progress.bytes = sum(one.size for one in found)
        return found

    async def _found_in(self, source: Source) -> tuple[Finding, ...]:
        from hitherto_server.history.sources import read_source

        before = self.progress.bytes_done
        try:
            read = await asyncio.to_thread(read_source, source, self._advance)
        finally:
            self.progress.files_done += 1
            self.progress.bytes_done = before + source.size
        self.progress.skipped_lines += read.skipped_lines
        return tuple(one for one in read.findings if not self._is_hidden(one))

    def _advance(self, count: int) -> None:
        """Note how far a file is read."""
        self.progress.bytes_done += count
        self._rests.told(count)

    def _is_hidden(self, finding: Finding) -> bool:
        return finding.folder is not None and self.hides(Path(finding.folder))

    async def _take(self, import_id: int, source: Source) -> None:
        """Write what one file says, together with the note that it was read."""
        from hitherto_server.history.keeping import keep, made_ready

        ready: list[Ready] = []
        names: dict[str | None, str] = {}
        for finding in await self._found_in(source):
            project = await self._project_of(finding)
            ready.append(await made_ready(self.writes, finding, project))
            self._count(finding, names.setdefault(finding.folder, _called(project)))
        at_ms = self.clock()

        def job(connection: Connection) -> Counter[str]:
            kept = keep(connection, import_id, ready, at_ms)
            counts = dict(kept)
            rows.put_file(connection, import_id, (str(source.path), source.state), counts, at_ms)
            return kept

        self.progress.outcomes += await self.store.writer.run(job)
        if ready:
            self.writes.on_written()

    async def _settle(self, row: Row) -> None:
        """Admit what the person said themselves, where they want that; say why the rest waits."""
        brought = partial(rows.list_memories, import_id=row["id"])
        found = await self.store.readers.run(brought)
        waiting = [one["number"] for one in found if one["tier"] == "candidate"]
        for start in range(0, len(waiting), SETTLED_AT_ONCE):
            some = waiting[start : start + SETTLED_AT_ONCE]
            job = partial(_settle_some, import_row=row, numbers=set(some), at_ms=self.clock())
            await self.store.writer.run(job)
        found = await self.store.readers.run(brought)
        self.progress.admitted = sum(one["tier"] == "admitted" for one in found)

    async def _project_of(self, finding: Finding) -> Project | None:
        from hitherto_server.history.sources import standing_folder

        if finding.scope == "user" or finding.folder is None:
            return None
        folder = await asyncio.to_thread(standing_folder, finding.folder)
        return await self.projects.get(folder)

    async def _name_of(self, finding: Finding, names: dict[str, str]) -> str:
        """Return what a finding's project is called; to look makes no project."""
        from hitherto_server.history.sources import standing_folder

        if finding.scope == "user" or finding.folder is None:
            return _called(None)
        if finding.folder not in names:
            folder = await asyncio.to_thread(standing_folder, finding.folder)
            project = await self.projects.find(folder)
            names[finding.folder] = project.name if project else Path(folder).name
        return names[finding.folder]

    def _count(self, finding: Finding, project: str) -> None:
        self.progress.by_kind[finding.kind] += 1
        self.progress.by_project[project] += 1
        if len(self.progress.samples) < MOST_SAMPLES:
            text = finding.content[:SAMPLE_CHARS]
            self.progress.samples.append((finding.kind, project, text))


def _settle_some(connection: Connection, import_row: Row, numbers: set[int], at_ms: int) -> None:
    from hitherto_server.gates.promotion import settle_imported

    admits = bool(import_row["admits"])
    for one in rows.list_memories(connection, import_row["id"]):
        if one["number"] in numbers and one["tier"] == "candidate":
            settle_imported(connection, one, admits=admits, actor=rows.ACTOR, at_ms=at_ms)


def _called(project: Project | None) -> str:
    return "everywhere" if project is None or project.number == USER_WIDE else project.name
