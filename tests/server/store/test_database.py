"""One writer, many readers, and what a full disk or a foreign process does to them."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import faults_in, rows

from hitherto_server.core.errors import (
    InvalidInput,
    ServerAway,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreUnreadable,
)
from hitherto_server.store import driver
from hitherto_server.store.database import open_store
from hitherto_server.store.driver import open_raw
from hitherto_server.store.sessions import LOST_WRITES, add_to_counter, counters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.wiring import TestClock

    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection


def counting(name: str, amount: int = 1) -> Callable[[Connection], None]:
    return lambda connection: add_to_counter(connection, name, amount)


def failing(error: Exception) -> Callable[[Connection], None]:
    def job(connection: Connection) -> None:
        add_to_counter(connection, "of a job that failed", 1)
        raise error

    return job


async def counted(store: Store) -> dict[str, int]:
    return await store.readers.run(counters)


@contextmanager
def held_back(store: Store) -> Iterator[None]:
    """Keep the writer's thread busy, so that what is ordered meanwhile becomes one batch."""
    go_on = threading.Event()
    started = threading.Event()

    def wait(_: Connection) -> None:
        started.set()
        assert go_on.wait(10)

    task = asyncio.get_running_loop().create_task(store.writer.run(wait))
    try:
        yield
    finally:
        go_on.set()
        task.add_done_callback(lambda done: done.result())


async def test_a_job_that_fails_takes_nothing_of_its_batch_with_it(store: Store) -> None:
    with held_back(store):
        await asyncio.sleep(0)
        jobs = [counting("first"), failing(InvalidInput("no")), counting("last")]
        tasks = [asyncio.create_task(store.writer.run(job)) for job in jobs]
        await asyncio.sleep(0)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), InvalidInput, type(None)]
    assert await counted(store) == {"first": 1, "last": 1}


async def test_a_job_that_ends_the_transaction_fails_and_so_does_its_batch(store: Store) -> None:
    def ends_it(connection: Connection) -> None:
        connection.execute("ROLLBACK")
        raise ValueError("the engine gave up")

    with held_back(store):
        await asyncio.sleep(0)
        jobs: list[Any] = [counting("first"), ends_it, counting("last")]
        tasks = [asyncio.create_task(store.writer.run(job)) for job in jobs]
        await asyncio.sleep(0)
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(outcome, ValueError) for outcome in outcomes), "nobody is told a lie"
    await store.writer.run(counting("afterwards"))
    assert await counted(store) == {"afterwards": 1}


async def test_a_batch_that_the_driver_loses_does_not_end_all_writing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*_: object, durable: bool) -> list[object]:
        raise OSError("the driver itself failed")

    with monkeypatch.context() as broken:
        broken.setattr("hitherto_server.store.database.commit_batch", lose)
        with pytest.raises(OSError, match="the driver itself"):
            await store.writer.run(counting("lost"))
    await store.writer.run(counting("afterwards"))
    assert await counted(store) == {"afterwards": 1}


async def test_a_reader_sees_one_state_whatever_is_written_meanwhile(store: Store) -> None:
    await store.writer.run(counting("n"))
    may_go_on, has_read = threading.Event(), threading.Event()

    def reads_twice(connection: Connection) -> tuple[dict[str, int], dict[str, int]]:
        before = counters(connection)
        has_read.set()
        assert may_go_on.wait(10)
        return before, counters(connection)

    reading = asyncio.create_task(store.readers.run(reads_twice))
    assert await asyncio.to_thread(has_read.wait, 10)
    await store.writer.run(counting("n"))  # and the writer does not wait for the reader
    assert await counted(store) == {"n": 2}
    may_go_on.set()
    assert await reading == ({"n": 1}, {"n": 1})


async def test_a_reader_cannot_write(store: Store) -> None:
    with pytest.raises(StoreError):
        await store.readers.run(counting("n"))
    assert await counted(store) == {}


async def test_a_reader_that_failed_is_free_again(store: Store) -> None:
    def fail(_: Connection) -> None:
        raise InvalidInput("no")

    for _ in range(5):
        with pytest.raises(InvalidInput):
            await store.readers.run(fail)
    assert await counted(store) == {}


async def test_a_caller_that_goes_away_neither_undoes_nor_blocks_a_write(store: Store) -> None:
    with held_back(store):
        await asyncio.sleep(0)
        cancelled = asyncio.create_task(store.writer.run(counting("of who went away")))
        other = asyncio.create_task(store.writer.run(counting("of who stayed")))
        await asyncio.sleep(0)
        cancelled.cancel()
    await other
    assert await counted(store) == {"of who went away": 1, "of who stayed": 1}


async def test_a_reader_whose_caller_goes_away_is_used_again(store: Store) -> None:
    go_on = threading.Event()
    for _ in range(4):
        reading = asyncio.create_task(store.readers.run(lambda _: go_on.wait(10)))
        await asyncio.sleep(0.01)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    go_on.set()
    assert await counted(store) == {}


async def test_closing_finishes_what_was_ordered_and_takes_no_more(
    tmp_path: Path, clock: TestClock
) -> None:
    path = tmp_path / "memory.db"
    store = await open_store(path, backups=tmp_path, clock=clock, readers=1)
    ordered = [asyncio.create_task(store.writer.run(counting("n"))) for _ in range(200)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*ordered)
    assert rows(path, "SELECT value FROM counter WHERE name <> 'commits'") == [(200,)]
    with pytest.raises(ServerAway):
        await store.writer.run(counting("too late"))


async def test_what_was_acknowledged_is_seen_from_outside_at_once(
    store: Store, tmp_path: Path
) -> None:
    for number in range(1, 5):
        await store.writer.run(counting("n"))
        assert rows(
            tmp_path / "memory.db", "SELECT value FROM counter WHERE name <> 'commits'"
        ) == [(number,)]


async def test_a_foreign_writer_is_waited_for_and_then_named(
    tmp_path: Path, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "BUSY_TIMEOUT_S", 0.2)
    path = tmp_path / "memory.db"
    store = await open_store(path, backups=tmp_path, clock=clock, readers=1)
    with closing(open_raw(path)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            await store.writer.run(counting("n"))
        assert await counted(store) == {}, "readers do not care"
        asyncio.get_running_loop().call_later(0.05, foreign.execute, "ROLLBACK")
        await store.writer.run(counting("n"))
    assert await counted(store) == {"n": 1, LOST_WRITES: 1}
    assert store.writer.lost == 0, "it is in the database now"
    await store.close()
    assert rows(path, "SELECT name, value FROM counter WHERE name <> 'commits' ORDER BY name") == [
        (LOST_WRITES, 1),
        ("n", 1),
    ]


async def test_what_was_lost_is_counted_at_the_end_though_nothing_was_written_since(
    tmp_path: Path, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "BUSY_TIMEOUT_S", 0.05)
    path = tmp_path / "memory.db"
    store = await open_store(path, backups=tmp_path, clock=clock, readers=1)
    with closing(open_raw(path)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        for _ in range(3):
            with pytest.raises(StoreBusy):
                await store.writer.run(counting("n"))
        foreign.execute("ROLLBACK")
    await store.close()
    assert rows(path, "SELECT name, value FROM counter WHERE name <> 'commits'") == [
        (LOST_WRITES, 3)
    ]


async def test_a_job_that_was_wrong_by_itself_is_no_lost_write(store: Store) -> None:
    with pytest.raises(InvalidInput):
        await store.writer.run(failing(InvalidInput("no")))
    await store.writer.run(counting("n"))
    assert await counted(store) == {"n": 1}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def writing(size: int, number: int) -> Callable[[Connection], None]:
    values = ("s", "n", str(number), "x" * size)
    statement = (
        "INSERT INTO event (session_id, name, body_hash, occurred_at_ms, received_at_ms, detail)"
        " VALUES (?, ?, ?, 0, 0, ?)"
    )
    return lambda connection: connection.execute(statement, values) and None


async def test_a_full_disk_is_said_loses_nothing_and_is_got_over(
    small_disk: Path, clock: TestClock
) -> None:
    path = small_disk / "memory.db"
    store = await open_store(path, backups=small_disk, clock=clock, readers=1)
    filler = small_disk / "something else"
    filler.write_bytes(b"x" * 2_000_000)
    acknowledged: list[str] = []
    try:
        for number in range(1000):
            await store.writer.run(writing(20_000, number))
            acknowledged.append(str(number))
    except StoreFull:
        pass
    assert 10 < len(acknowledged) < 1000
    for number in range(1000, 1010):  # it goes on being full
        with pytest.raises(StoreFull):
            await store.writer.run(writing(200_000, number))
    assert store.writer.lost == 11

    def all_events(connection: Connection) -> list[str]:
        return [row[0] for row in connection.execute("SELECT body_hash FROM event ORDER BY id")]

    assert await store.readers.run(all_events) == acknowledged
    filler.unlink()
    await store.writer.run(writing(20_000, 5000))
    assert await store.readers.run(all_events) == [*acknowledged, "5000"]
    assert await counted(store) == {LOST_WRITES: 11}
    await store.close()
    assert faults_in(path) == []


async def test_a_disk_that_is_read_only_is_said(small_disk: Path, clock: TestClock) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreFull):
        await open_store(small_disk / "memory.db", backups=small_disk, clock=clock, readers=1)


async def test_a_database_on_a_disk_that_became_read_only_is_said(
    small_disk: Path, clock: TestClock
) -> None:
    path = small_disk / "memory.db"
    await (await open_store(path, backups=small_disk, clock=clock, readers=1)).close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreError):
        await open_store(path, backups=small_disk, clock=clock, readers=1)


async def test_a_folder_in_the_databases_place_is_said(tmp_path: Path, clock: TestClock) -> None:
    (tmp_path / "memory.db").mkdir()
    with pytest.raises(StoreUnreadable):
        await open_store(tmp_path / "memory.db", backups=tmp_path, clock=clock, readers=1)


@pytest.mark.parametrize("content", [b"no database" * 1000, b"SQLite format 3\x00" + b"x" * 5000])
async def test_what_is_no_database_is_said_and_left_alone(
    tmp_path: Path, clock: TestClock, content: bytes
) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    with pytest.raises(StoreUnreadable):
        await open_store(path, backups=tmp_path, clock=clock, readers=1)
    assert path.read_bytes() == content


async def test_a_damaged_database_is_said(tmp_path: Path, clock: TestClock) -> None:
    path = tmp_path / "memory.db"
    await (await open_store(path, backups=tmp_path, clock=clock, readers=1)).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreUnreadable):
        await open_store(path, backups=tmp_path, clock=clock, readers=1)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreUnreadable):
        await open_store(path, backups=tmp_path, clock=clock, readers=1)


async def test_only_what_must_be_durable_waits_for_the_disk(store: Store) -> None:
    def level(connection: Connection) -> int:
        return int(connection.execute("PRAGMA synchronous").fetchone()[0])

    full, normal = 2, 1
    assert await store.writer.run(level, durable=False) == normal
    assert await store.writer.run(level) == full
    together = (store.writer.run(level, durable=False), store.writer.run(level))
    assert list(await asyncio.gather(*together)) == [full, full]
