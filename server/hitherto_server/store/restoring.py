"""Putting another database in the store's place: whole or not at all, whenever it is killed."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.clock import now_ms
from hitherto_server.core.errors import BackupUnusable, InvalidInput, StoreFull, StoreUnreadable
from hitherto_server.core.private_file import write_private
from hitherto_server.store.acknowledged import beside
from hitherto_server.store.copies import copy_database, drop_files, flush_folder, prove
from hitherto_server.store.migrate import refuse_newer
from hitherto_server.store.shelf import name_for

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.home import Home

SUFFIXES = ("-wal", "-shm", "")


@dataclass(frozen=True)
class Restored:
    """What stands in the store's place now, and where what was there before is."""

    memories: int
    kept: Path | None


def refuse_unusable(source: Path) -> None:
    """Raise unless a file is a sound store that this version can read."""
    if not source.is_file():
        message = f"{source} is no file"
        raise InvalidInput(message, mend="`hitherto backup --list` names the backups.")
    refuse_newer(source)
    prove(source)


def restore_store(home: Home, source: Path) -> Restored:
    """Put a copy of a sound database in the store's place; needs the data home's lock.

    What is there now is kept under another name, damaged or not.
    """
    finish_restore(home)
    refuse_newer(source)
    try:
        staged = copy_database(source, _staged(home))
    except StoreUnreadable as error:
        raise BackupUnusable(error.message) from error
    kept = _kept(home) if home.database.exists() else None
    try:
        _write_plan(home, kept)
        finish_restore(home)
    except OSError as error:
        message = f"{error.filename}: {error.strerror}"
        raise StoreFull(message) from error
    return Restored(staged.memories, kept)


def finish_restore(home: Home) -> None:
    """Finish what a killed restore began; one that had not begun to move anything is undone."""
    staged, plan = _staged(home), _plan(home)
    kept: str | None = None
    if plan.exists():
        with suppress(ValueError, KeyError, TypeError):
            kept = json.loads(plan.read_text(encoding="utf-8"))["kept"]
            _move(home, home.root / kept if kept else None)
    drop_files(staged)
    plan.unlink(missing_ok=True)


def _move(home: Home, kept: Path | None) -> None:
    staged = _staged(home)
    if not staged.exists():  # it was killed after its last move
        return
    if kept is not None:
        for suffix in SUFFIXES:
            old = home.database.with_name(home.database.name + suffix)
            if old.exists():
                old.replace(kept.with_name(kept.name + suffix))
        flush_folder(kept.parent)
    beside(home.database).unlink(missing_ok=True)  # it counts what the other one was told
    staged.replace(home.database)
    flush_folder(home.root)


def _write_plan(home: Home, kept: Path | None) -> None:
    plan = _plan(home)
    write_private(plan, json.dumps({"kept": str(kept.relative_to(home.root)) if kept else None}))
    handle = os.open(plan, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    flush_folder(home.root)


def _kept(home: Home) -> Path:
    """Return where the store goes: among the backups, unless they are on another disk."""
    same_disk = home.backups.stat().st_dev == home.root.stat().st_dev
    return (home.backups if same_disk else home.root) / name_for("replaced", now_ms())


def _staged(home: Home) -> Path:
    return home.root / "memory.db.restoring"


def _plan(home: Home) -> Path:
    return home.root / "restore.json"
