"""Erase: what slipped through goes from the store, its history, the spool, logs and backups."""

from __future__ import annotations

import asyncio
import fcntl
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.clock import now_ms
from hitherto_server.core.errors import HithertoError, NotFound
from hitherto_server.store import erase as rows
from hitherto_server.store.driver import database_errors, open_raw
from hitherto_server.store.pieces import close_transcripts
from hitherto_server.store.purge import overwrite_deleted
from hitherto_server.store.shelf import list_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from hitherto_contract.erase import EraseReply, EraseRequest
    from hitherto_server.core.home import Home
    from hitherto_server.maintenance.backups import Backups
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.memories import Span

FAILURES: tuple[type[Exception], ...] = (HithertoError, OSError, *database_errors())
WAL_TRIES, WAL_EVERY_S = 50, 0.1
FILE_PASSES = 10


@dataclass
class Found:
    """What there is of it, before anything is done."""

    texts: list[str]
    numbers: list[int]
    ids: list[str]
    counts: dict[str, int]
    others: list[str] = field(default_factory=list)
    """Memories that say the same and were not named."""


@dataclass(frozen=True)
class Eraser:
    """Erases from one data home."""

    home: Home
    store: Store
    splitter: Callable[[str], Sequence[Span]]
    on_written: Callable[[], None]
    backups: Backups

    async def erase(self, asked: EraseRequest) -> EraseReply:
        """Count what there is of it, and where that is confirmed erase it everywhere."""
        found = await self.store.readers.run(lambda c: _look(c, asked))
        files = await asyncio.to_thread(self._files_with, found.texts)
        counts = {**found.counts, **files}
        if not asked.confirmed:
            return contract.EraseReply(
                done=False, memories=found.ids, counts=counts, notes=_notes(found)
            )
        # a backup that is made meanwhile would hold what goes now
        async with self.backups.none_is_made():
            return await self._erase(asked, found, counts)

    async def _erase(self, asked: EraseRequest, found: Found, counts: dict[str, int]) -> EraseReply:
        await self._erase_rows(asked, found)
        is_empty = await self._sweep()
        left = [] if is_empty else [f"{self.home.database.name}-wal: a reader still needs it"]
        await asyncio.to_thread(self._erase_files, found.texts)
        backups, kept = await asyncio.to_thread(self._erase_backups, asked, found)
        outside = await asyncio.to_thread(list_elsewhere, self.home)
        kept += [f"{path}: a copy outside of the data home; delete it" for path in outside]
        self.on_written()
        return contract.EraseReply(
            done=True,
            memories=found.ids,
            counts=counts,
            backups=backups,
            left=[*left, *kept],
            notes=_notes(found),
        )

    async def _erase_rows(self, asked: EraseRequest, found: Found) -> None:
        await self.store.writer.maintain(overwrite_deleted)
        await self.store.writer.run(lambda c: self._erase_rows_of(c, asked, found))
        # what the client's transcripts still hold must not come back from there
        await self.store.writer.run(partial(close_transcripts, at_ms=now_ms()))

    async def _sweep(self) -> bool:
        """Leave nothing of it in free pages or in the write-ahead log."""
        await self.store.writer.maintain(rows.sweep_remains)
        for _ in range(WAL_TRIES):
            if await self.store.writer.maintain(rows.truncate_wal):
                return True
            await asyncio.sleep(WAL_EVERY_S)
        return False

    def _files(self) -> Iterator[Path]:
        for folder in (self.home.spool, self.home.logs):
            yield from sorted(path for path in folder.iterdir() if path.is_file())

    def _files_with(self, texts: Sequence[str]) -> dict[str, int]:
        counts: dict[str, int] = {}
        for path in self._files():
            with suppress(FileNotFoundError):  # it was taken in meanwhile
                if not _holds(path.read_bytes(), texts):
                    continue
                counts[path.parent.name] = counts.get(path.parent.name, 0) + 1
        return counts

    def _erase_files(self, texts: Sequence[str]) -> None:
        for _ in range(FILE_PASSES):
            # the spool is renamed while it is taken in: what is gone is looked for once more
            done = [_erase_in_file(path, texts) for path in self._files()]
            if all(done):
                return

    def _erase_backups(self, asked: EraseRequest, found: Found) -> tuple[list[str], list[str]]:
        """Rewrite each backup; what cannot be rewritten is named, with the reason."""
        rewritten, left = [], []
        for path in sorted(
            [*self.home.backups.glob("*.db"), *self.home.root.glob("replaced-*.db")]
        ):
            try:
                self._erase_in_copy(path, asked, found)
            except FAILURES as error:
                left.append(f"{path.parent.name}/{path.name}: {error}")
            else:
                rewritten.append(f"{path.parent.name}/{path.name}")
        return rewritten, left

    def _erase_in_copy(self, path: Path, asked: EraseRequest, found: Found) -> None:
        with closing(open_raw(path)) as copy:
            overwrite_deleted(copy)
            copy.execute("BEGIN IMMEDIATE")
            rows.drop_derived(copy)
            self._erase_rows_of(copy, asked, found, indexed=False)
            copy.execute("COMMIT")
            copy.execute("VACUUM")
            copy.execute("PRAGMA journal_mode = DELETE")  # a backup is one file

    def _erase_rows_of(
        self, connection: Connection, asked: EraseRequest, found: Found, *, indexed: bool = True
    ) -> None:
        rows.forget_judgments(connection, found.texts)
        if asked.memory is not None:
            number = rows.number_of(connection, asked.memory)
            if number is not None:
                rows.delete_memory(connection, number, indexed=indexed)
            rows.replace_rows(connection, found.texts, memories=False, indexed=indexed)
            return
        numbers = rows.find_numbers(connection, found.texts[0])
        rows.replace_rows(connection, found.texts, memories=True, indexed=indexed)
        for number in numbers:
            rows.settle(connection, number, self.splitter, indexed=indexed)


def _erase_in_file(path: Path, texts: Sequence[str]) -> bool:
    """Take the texts out of a file; False if it is not there any more."""
    try:
        file = path.open("r+b")
    except FileNotFoundError:
        return False
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the hooks' own lock of the spool
        before = file.read()
        if _holds(before, texts):
            file.seek(0)
            file.write(_without(before, texts))
            file.truncate()
    return True


def _look(connection: Connection, asked: EraseRequest) -> Found:
    if asked.memory is not None:
        number = rows.number_of(connection, asked.memory)
        if number is None:
            message = f"no memory has the id {asked.memory}"
            raise NotFound(message)
        texts = rows.texts_of(connection, number)
        same = {one for text in texts for one in rows.find_numbers(connection, text)} - {number}
        counts = rows.count_rows(connection, texts)
        others = rows.ids_of(connection, sorted(same))
        return Found(texts, [number], [asked.memory], counts, others)
    text = asked.text or ""
    numbers = rows.find_numbers(connection, text)
    counts = rows.count_rows(connection, [text])
    return Found([text], numbers, rows.ids_of(connection, numbers), counts)


def _notes(found: Found) -> list[str]:
    if not found.others:
        return []
    return [f"other memories say the same and are left as they are: {', '.join(found.others)}"]


def _encoded(texts: Sequence[str]) -> list[bytes]:
    return [spelled.encode() for text in texts for spelled in rows.spellings(text)]


def _holds(content: bytes, texts: Sequence[str]) -> bool:
    return any(one in content for one in _encoded(texts))


def _without(content: bytes, texts: Sequence[str]) -> bytes:
    for one in _encoded(texts):
        content = content.replace(one, rows.ERASED.encode())
    return content
