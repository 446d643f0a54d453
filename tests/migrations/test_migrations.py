"""Steps give the committed schema, are all or nothing, and leave what is newer alone."""

from __future__ import annotations

import hashlib
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.migrations.schema_file import FILE, migrated_schema, schema_of

from hitherto_migrations import Step, list_steps
from hitherto_server.core.errors import StoreNewer
from hitherto_server.store.database import open_store
from hitherto_server.store.driver import database_errors, open_raw
from hitherto_server.store.migrate import migrate, schema_version, statements_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection

STEPS = list_steps()
NEXT = Step(STEPS[-1].number + 1, "later", "CREATE TABLE later (a INTEGER) STRICT;")
BROKEN = Step(
    NEXT.number + 1,
    "broken",
    "CREATE TABLE half (a INTEGER);\nDELETE FROM counter;\nCREATE TABLE half (a INTEGER);",
)


def clock() -> int:
    return 1_796_000_000_000


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    """A database at today's schema, with something in it."""
    (tmp_path / "backups").mkdir()
    with closing(open_raw(tmp_path / "memory.db")) as connection:
        migrate(connection, backups=tmp_path / "backups", clock=clock)
        connection.execute("INSERT INTO counter VALUES ('kept', 7)")
        yield connection


def test_all_steps_together_give_the_committed_schema() -> None:
    assert migrated_schema() == FILE.read_text(encoding="utf-8"), (
        "see tests/migrations/schema_file.py"
    )


def test_steps_are_numbered_without_a_gap() -> None:
    assert [step.number for step in STEPS] == list(range(1, len(STEPS) + 1))


def test_a_step_is_recorded_with_what_it_was(connection: Connection) -> None:
    rows = connection.execute("SELECT number, name, sha256 FROM migration").fetchall()
    assert [tuple(row) for row in rows] == [
        (step.number, step.name, hashlib.sha256(step.sql.encode()).hexdigest()) for step in STEPS
    ]


def test_nothing_is_done_twice(connection: Connection, tmp_path: Path) -> None:
    before = schema_of(connection)
    assert migrate(connection, backups=tmp_path / "backups", clock=clock) == []
    assert schema_of(connection) == before
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_copy_is_made_before_a_later_step(connection: Connection, tmp_path: Path) -> None:
    before = schema_of(connection)
    steps = (*STEPS, NEXT)
    assert migrate(connection, backups=tmp_path / "backups", clock=clock, steps=steps) == [NEXT]
    assert schema_version(connection) == NEXT.number
    (copy,) = (tmp_path / "backups").iterdir()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(open_raw(copy, read_only=True)) as kept:
        assert schema_of(kept) == before
        assert kept.execute("SELECT value FROM counter").fetchone()[0] == 7


def test_a_step_that_fails_leaves_nothing_behind(connection: Connection, tmp_path: Path) -> None:
    steps = (*STEPS, NEXT, BROKEN)
    with pytest.raises(database_errors()):
        migrate(connection, backups=tmp_path / "backups", clock=clock, steps=steps)
    assert schema_version(connection) == NEXT.number, "the step before it stands"
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    assert "half" not in tables
    assert connection.execute("SELECT value FROM counter").fetchone()[0] == 7
    assert not connection.in_transaction


def test_a_copy_that_fails_stops_everything_and_is_not_left_half(
    connection: Connection, tmp_path: Path
) -> None:
    steps = (*STEPS, NEXT)
    connection.execute("BEGIN")  # VACUUM refuses to run within a transaction
    with pytest.raises(database_errors()):
        migrate(connection, backups=tmp_path / "backups", clock=clock, steps=steps)
    connection.execute("ROLLBACK")
    assert schema_version(connection) == STEPS[-1].number
    assert list((tmp_path / "backups").iterdir()) == []


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
async def test_a_newer_database_is_refused_and_left_byte_for_byte(
    tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "memory.db"
    with closing(open_raw(path)) as newer:
        migrate(newer, backups=tmp_path, clock=clock, steps=(*STEPS, NEXT))
        newer.execute(f"PRAGMA journal_mode = {mode}")
        # as a server leaves it that was killed: with a WAL that is not in the database yet
        newer.execute("INSERT INTO later VALUES (1)")
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for file in tmp_path.iterdir():
        file.unlink()
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(StoreNewer):
        await open_store(path, backups=tmp_path, clock=clock, readers=1)
    after = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for shared_memory in (before, after):
        shared_memory.pop("memory.db-shm", None)  # an index of the WAL, made anew by any reader
    assert after == before


def test_a_script_is_split_where_its_statements_end() -> None:
    script = (
        "-- one; two\nCREATE TABLE a (b TEXT DEFAULT ';');\nCREATE TRIGGER t AFTER INSERT ON a\n"
    )
    script += "BEGIN\n  DELETE FROM a;\n  DELETE FROM a;\nEND;\n-- the end\n"
    assert len(statements_of(script)) == 2


def test_a_script_that_ends_in_the_middle_is_refused() -> None:
    with pytest.raises(ValueError, match="in the middle"):
        statements_of("CREATE TABLE a (b TEXT);\nCREATE TABLE c (d TEXT")
