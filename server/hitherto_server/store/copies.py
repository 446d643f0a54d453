"""Copies of the database: made beside its writers, and proved before they count."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.errors import BackupUnusable, StoreBusy, StoreFull, StoreUnreadable
from hitherto_server.store.driver import choose_driver, mapped_errors, open_raw
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection

PAGES_A_STEP = 128
PAUSE_S = 0.004
"""Between two steps: a writer that waits for the disk comes first."""
HANDLER_STEPS = 100_000
UNFINISHED = ".part"
"""How the name of a file ends that does not count yet; whoever finds one may delete it."""

sql = load_queries("copies")


@dataclass(frozen=True)
class Copy:
    """A copy that was proved."""

    path: Path
    size_bytes: int
    memories: int


def copy_database(
    source: Path, target: Path, *, is_cancelled: Callable[[], bool] = lambda: False
) -> Copy:
    """Copy a database of ours to a new file, prove the copy, and only then give it its name.

    The copy is one snapshot, however much is written meanwhile, and no writer waits for it.
    """
    unfinished = target.with_name(f".{target.name}{UNFINISHED}")
    try:
        with mapped_errors(source), closing(open_raw(source, read_only=True)) as opened:
            _check_space(opened, target.parent)
            held = _copy(opened, unfinished, is_cancelled)
        prove(unfinished, held, is_cancelled=is_cancelled)
        _flush(unfinished)
        _name(unfinished, target)
    except OSError as error:
        message = f"{target}: {error.strerror}"
        raise StoreFull(message) from error
    finally:
        drop_files(unfinished)
    return Copy(target, target.stat().st_size, held.get("memory", 0))


def prove(
    path: Path,
    held: dict[str, int] | None = None,
    *,
    is_cancelled: Callable[[], bool] | None = None,
) -> dict[str, int]:
    """Return how many rows each table has; raise unless it is a sound database with those rows."""
    try:
        with mapped_errors(path), closing(open_raw(path, read_only=True)) as copy:
            said = faults_of(copy, is_cancelled or (lambda: False))
            found = count_rows(copy)
    except StoreUnreadable as error:
        message = f"{path} cannot be read: {error.message}"
        raise BackupUnusable(message) from error
    if said:
        message = f"{path} is damaged: {said[0]}"
        raise BackupUnusable(message)
    if "memory" not in found or (held is not None and found != held):
        message = f"{path} does not hold what a copy of the store should"
        raise BackupUnusable(message)
    return found


def faults_of(
    connection: Connection, is_cancelled: Callable[[], bool], *, quick: bool = False
) -> list[str]:
    """Return what SQLite itself finds wrong with a database, in its words."""
    connection.set_progress_handler(lambda: int(is_cancelled()), HANDLER_STEPS)
    try:
        rows = connection.execute(sql["quick_check" if quick else "integrity"]).fetchall()
    finally:
        connection.set_progress_handler(None, 0)
    return [row[0] for row in rows if row[0] != "ok"]


def count_rows(connection: Connection) -> dict[str, int]:
    """Return how many rows each table has, but for what the indexes keep for themselves."""
    tables = [row[0] for row in connection.execute(sql["tables"])]
    count = "SELECT count(*) FROM "
    return {name: connection.execute(f'{count}"{name}"').fetchone()[0] for name in tables}


def drop_files(path: Path) -> None:
    """Delete a database file with all that may lie beside it."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def drop_unfinished(folder: Path) -> None:
    """Delete what a killed process left half done in a folder."""
    for path in folder.glob(f".*{UNFINISHED}*"):
        path.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Have a folder's names on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _snapshot(connection: Connection) -> Iterator[None]:
    """Hold one state of the database: a copy in steps would begin anew after each write."""
    connection.execute("BEGIN")
    connection.execute(sql["tables"]).fetchone()
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def _copy(source: Connection, unfinished: Path, is_cancelled: Callable[[], bool]) -> dict[str, int]:
    def between_steps(_: int, left: int, __: int) -> None:
        if is_cancelled():
            message = f"{unfinished.name}: the copy was called off"
            raise StoreBusy(message, mend="Try again: it is made at the next occasion.")
        if left:
            time.sleep(PAUSE_S)

    drop_files(unfinished)
    unfinished.touch(mode=0o600)
    with _snapshot(source), closing(choose_driver().module.connect(str(unfinished))) as copy:
        held = count_rows(source)
        copy.execute("PRAGMA synchronous = OFF")  # it is flushed once, at its end
        source.backup(copy, pages=PAGES_A_STEP, progress=between_steps)
        copy.execute("PRAGMA journal_mode = DELETE")  # a backup is one file
    return held


def _check_space(source: Connection, folder: Path) -> None:
    pages = source.execute("PRAGMA page_count").fetchone()[0]
    needed = pages * source.execute("PRAGMA page_size").fetchone()[0]
    free = shutil.disk_usage(folder).free
    if free < needed:
        message = f"{folder} has {free >> 20} MB free, a copy of the store needs {needed >> 20} MB"
        raise StoreFull(message)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _name(unfinished: Path, target: Path) -> None:
    unfinished.replace(target)
    flush_folder(target.parent)
