"""An import from end to end: a file is checked, the store backed up, and all of it taken in."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_contract.transfer import ImportReply
from hitherto_server.core.errors import BackupUnusable, NotFound, StoreBusy, StoreUnreadable
from hitherto_server.store.copies import drop_files, prove
from hitherto_server.store.driver import mapped_errors, open_raw
from hitherto_server.store.memories import totals
from hitherto_server.store.migrate import migrate, refuse_newer
from hitherto_server.store.transfer import Chosen
from hitherto_server.transfer.checking import check_export
from hitherto_server.transfer.incoming import index_rest, index_some, take_in
from hitherto_server.transfer.outgoing import list_export

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from hitherto_contract.transfer import ImportRequest
    from hitherto_server.core.clock import Clock
    from hitherto_server.maintenance.backups import Backups
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.memories import Span
    from hitherto_server.transfer.checking import Checked
    from hitherto_server.transfer.incoming import Report


INDEXED_TOGETHER = 25


@dataclass(frozen=True)
class Importing:
    """Takes exports and other stores into one store."""

    store: Store
    backups: Backups
    splitter: Callable[[str], Sequence[Span]]
    clock: Clock
    folder: Path
    on_written: Callable[[], None]

    async def take(self, asked: ImportRequest) -> ImportReply:
        """Take a file in, whole or not at all; what was here before is in a backup."""
        async with self.backups.imports:
            return await self._take_in(asked)

    async def _take_in(self, asked: ImportRequest) -> ImportReply:
        source = self.folder / asked.name
        clean = source.with_suffix(".clean.part")
        if not source.is_file():
            message = f"{source.name} is not in the folder of backups"
            raise NotFound(message, mend="Run `hitherto import FILE`: it puts it there.")
        try:
            checked = await asyncio.to_thread(_check, source, clean, self.clock)
            is_empty = await self.store.readers.run(_is_empty)
            backup = None if is_empty else await self.backups.make("before-import")
            job = partial(self._take, clean=clean, asked=asked, is_empty=is_empty)
            report = await self.store.writer.run_alone(job)
        except FileNotFoundError as error:
            message = "an erase took the file of the import away: it may hold what was erased"
            raise StoreBusy(message, mend="Run the import again.") from error
        finally:
            for file in (source, clean):
                await asyncio.to_thread(drop_files, file)
        await self._index(report)
        self.on_written()
        return _reply(checked, report, backup.path if backup else None)

    async def _index(self, report: Report) -> None:
        """Index what was taken in, a few at a time: others write in between."""
        for start in range(0, len(report.numbers), INDEXED_TOGETHER):
            some = report.numbers[start : start + INDEXED_TOGETHER]
            await self.store.writer.run(partial(index_some, numbers=some), durable=False)
        finishing = partial(index_rest, sessions=report.sessions, clock=self.clock)
        await self.store.writer.run(finishing)

    def _take(
        self, connection: Connection, *, clean: Path, asked: ImportRequest, is_empty: bool
    ) -> Report:
        with clean.open("rb") as lines:
            return take_in(
                connection,
                lines,
                splitter=self.splitter,
                at_ms=self.clock(),
                merge=asked.merge,
                told=asked.projects,
                is_empty=is_empty,
            )


def _reply(checked: Checked, report: Report, backup: Path | None) -> ImportReply:
    notes = list(report.notes)
    if checked.redacted:
        notes.append(f"secrets were taken out of {checked.redacted} lines")
    return ImportReply(
        counts={**report.counts, "read": checked.counts["memory"]},
        notes=notes,
        conflicts=report.conflicts,
        backup=str(backup) if backup else None,
    )


def _is_empty(connection: Connection) -> bool:
    found = totals(connection)
    return not any(found.values())


def _check(source: Path, clean: Path, clock: Clock) -> Checked:
    clean.touch(mode=0o600)
    with clean.open("wb") as file:
        if source.suffixes[-2] == ".db":
            return check_export(_lines_of_store(source, clock), file)
        with source.open("rb") as lines:
            return check_export(lines, file)


def _lines_of_store(path: Path, clock: Clock) -> Iterator[bytes]:
    """Return another store as the export that it would write; the file is a copy of ours."""
    import json

    refuse_newer(path)
    prove(path)
    try:
        with mapped_errors(path), closing(open_raw(path)) as other:
            migrate(other, backups=None, clock=clock)
            for line in list_export(other, Chosen(), None, at_ms=clock()):
                yield json.dumps(line, ensure_ascii=False).encode()
    except StoreUnreadable as error:
        raise BackupUnusable(error.message) from error
