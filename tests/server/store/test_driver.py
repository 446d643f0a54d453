"""One SQLite that is new enough, opened one way, with errors in our own words."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.errors import (
    InvalidInput,
    NoDriver,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreUnreadable,
)
from hitherto_server.store import driver
from hitherto_server.store.driver import choose_driver, mapped_errors, open_raw

if TYPE_CHECKING:
    from pathlib import Path

OLD = SimpleNamespace(sqlite_version_info=(3, 40, 1), sqlite_version="3.40.1")
NEW = SimpleNamespace(sqlite_version_info=(3, 51, 3), sqlite_version="3.51.3")


@pytest.mark.parametrize(
    ("packaged", "standard", "chosen"),
    [
        (NEW, NEW, "pysqlite3"),
        (OLD, NEW, "sqlite3"),
        (None, NEW, "sqlite3"),
        (NEW, OLD, "pysqlite3"),
    ],
)
def test_the_packaged_driver_comes_first_if_it_is_fit(
    monkeypatch: pytest.MonkeyPatch, packaged: object, standard: object, chosen: str
) -> None:
    monkeypatch.setattr(driver, "packaged", packaged)
    monkeypatch.setattr(driver, "standard", standard)
    assert choose_driver().name == chosen


def test_without_a_fit_driver_nothing_is_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(driver, "packaged", None)
    monkeypatch.setattr(driver, "standard", OLD)
    with pytest.raises(NoDriver, match=r"3\.40\.1"):
        open_raw(tmp_path / "memory.db")
    assert not (tmp_path / "memory.db").exists()


def test_a_connection_that_writes_is_durable_and_keeps_references(tmp_path: Path) -> None:
    with closing(open_raw(tmp_path / "memory.db")) as connection:
        found = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_only_the_writer_checkpoints(tmp_path: Path) -> None:
    with (
        closing(open_raw(tmp_path / "memory.db")),
        closing(open_raw(tmp_path / "memory.db", read_only=True)) as reading,
    ):
        assert reading.execute("PRAGMA wal_autocheckpoint").fetchone()[0] == 0
        with pytest.raises(driver.database_errors()):
            reading.execute("CREATE TABLE a (b)")


@pytest.mark.parametrize("name", ["a b", "ü", "100%", "what?", "a#b", "a&mode=memory"])
def test_a_path_is_a_path_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / name / "memory.db"
    path.parent.mkdir()
    with closing(open_raw(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
    assert path.stat().st_size > 0


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("SQLITE_BUSY", StoreBusy),
        ("SQLITE_BUSY_SNAPSHOT", StoreBusy),
        ("SQLITE_LOCKED", StoreBusy),
        ("SQLITE_FULL", StoreFull),
        ("SQLITE_READONLY_DBMOVED", StoreFull),
        ("SQLITE_IOERR_WRITE", StoreFull),
        ("SQLITE_CORRUPT", StoreUnreadable),
        ("SQLITE_NOTADB", StoreUnreadable),
        ("SQLITE_CANTOPEN", StoreUnreadable),
    ],
)
def test_the_drivers_errors_about_the_file_are_ours(name: str, ours: type[StoreError]) -> None:
    for module in (choose_driver().module, sqlite3):
        error = module.OperationalError("said by the driver")
        error.sqlite_errorname = name
        with pytest.raises(ours, match="said by the driver"), mapped_errors("memory.db"):
            raise error


def test_what_is_not_about_the_file_passes_as_it_is() -> None:
    for error in (ValueError("x"), InvalidInput("x"), sqlite3.IntegrityError("x")):
        with pytest.raises(type(error)), mapped_errors("memory.db"):
            raise error
    with pytest.raises(sqlite3.OperationalError), mapped_errors("memory.db"):
        raise sqlite3.OperationalError("no such table: a")


def test_only_a_large_database_is_mapped_into_memory_and_only_for_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.db"

    def mapped(*, read_only: bool) -> int:
        with closing(open_raw(path, read_only=read_only)) as connection:
            return int(connection.execute("PRAGMA mmap_size").fetchone()[0])

    assert mapped(read_only=False) == 0
    assert mapped(read_only=True) == 0
    monkeypatch.setattr(driver, "MAPPED_FROM_BYTES", 0)
    assert mapped(read_only=True) == driver.MOST_MAPPED_BYTES
    assert mapped(read_only=False) == 0


def test_a_reader_that_maps_the_file_reads_on_when_it_shrinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "MAPPED_FROM_BYTES", 0)
    path = tmp_path / "memory.db"
    with closing(open_raw(path)) as writing, closing(open_raw(path, read_only=True)) as reading:
        writing.execute("CREATE TABLE kept (text)")
        writing.execute("BEGIN")
        writing.executemany("INSERT INTO kept VALUES (?)", [("x" * 2000,)] * 3000)
        writing.execute("COMMIT")
        sizes = []
        for left in (3000, 30, 1):
            writing.execute("DELETE FROM kept WHERE rowid > ?", (left,))
            writing.execute("VACUUM")
            writing.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            sizes.append(path.stat().st_size)
            found = reading.execute("SELECT count(*), sum(length(text)) FROM kept").fetchone()
            assert tuple(found) == (left, 2000 * left)
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 100 * sizes[-1]
