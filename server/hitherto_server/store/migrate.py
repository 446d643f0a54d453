"""Bringing a database to today's schema, with a copy made first."""

from __future__ import annotations

import hashlib
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from hitherto_migrations import Step, list_steps
from hitherto_server.core.errors import StoreError, StoreFull, StoreNewer
from hitherto_server.store.copies import (
    UNFINISHED,
    count_rows,
    drop_files,
    flush_folder,
    prove,
)
from hitherto_server.store.driver import mapped_errors, open_raw

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection

RECORD_TABLE = """
CREATE TABLE IF NOT EXISTS migration (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    applied_at_ms INTEGER NOT NULL
) STRICT
"""


def schema_version(connection: Connection) -> int:
    """Return the number of the newest applied step; 0 for an empty database."""
    known = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'migration'"
    ).fetchone()[0]
    if not known:
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM migration").fetchone()[0])


def refuse_newer(path: Path) -> None:
    """Raise for a newer version's database before anything opens it for writing.

    Opening for writing may already change it: the last to close copies the WAL into it.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return
    version = 0
    with suppress(StoreError), mapped_errors(path), closing(open_raw(path, read_only=True)) as peek:
        version = schema_version(peek)
    _check_known(version, list_steps())


def _check_known(version: int, steps: tuple[Step, ...]) -> None:
    if version > steps[-1].number:
        message = f"the database has schema {version}, this version knows {steps[-1].number}"
        raise StoreNewer(message)


def migrate(
    connection: Connection,
    *,
    backups: Path | None,
    clock: Clock,
    steps: tuple[Step, ...] | None = None,
) -> list[Step]:
    """Apply the pending steps and return them; a newer database is refused, untouched.

    Without a folder for backups none is made: what is a copy already needs no other.
    """
    steps = list_steps() if steps is None else steps
    version = schema_version(connection)
    newest = steps[-1].number
    _check_known(version, steps)
    pending = [step for step in steps if step.number > version]
    if pending and version > 0 and backups is not None:
        _copy(connection, backups / f"before-schema-{newest}-{clock()}.db")
    for step in pending:
        _apply(connection, step, clock())
    return pending


def _copy(connection: Connection, target: Path) -> None:
    unfinished = target.with_name(f".{target.name}{UNFINISHED}")
    drop_files(unfinished)
    try:
        unfinished.touch(mode=0o600)  # VACUUM INTO accepts an empty file, and keeps its mode
        connection.execute("VACUUM INTO ?", (str(unfinished),))
        prove(unfinished, count_rows(connection))
        unfinished.replace(target)
        flush_folder(target.parent)
    except OSError as error:
        message = f"{target}: {error.strerror}"
        raise StoreFull(message) from error
    finally:
        drop_files(unfinished)


def _apply(connection: Connection, step: Step, at_ms: int) -> None:
    """Run one step and record it in the same transaction."""
    connection.execute("BEGIN EXCLUSIVE")
    try:
        connection.execute(RECORD_TABLE)
        for statement in statements_of(step.sql):
            connection.execute(statement)
        connection.execute(
            "INSERT INTO migration (number, name, sha256, applied_at_ms) VALUES (?, ?, ?, ?)",
            (step.number, step.name, hashlib.sha256(step.sql.encode()).hexdigest(), at_ms),
        )
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def statements_of(script: str) -> list[str]:
    """Split a script into statements; `executescript` would commit behind our back."""
    from sqlite3 import complete_statement

    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if complete_statement(pending):
            statements.append(pending.strip())
            pending = ""
    if pending.strip() and not all(
        line.strip().startswith("--") or not line.strip() for line in pending.splitlines()
    ):
        message = f"the script ends in the middle of a statement: {pending.strip()[:60]}"
        raise ValueError(message)
    return statements
