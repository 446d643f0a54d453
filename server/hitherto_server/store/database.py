"""One writer, many readers, each connection with a thread of its own.

A job is a plain function of a connection. A recall is two of them, not one for each query:
a thread hop costs ten times what a query does.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import aiosqlite

from hitherto_server.core.errors import ServerAway, StoreError, StoreFull, StoreUnreadable
from hitherto_server.store.acknowledged import Acknowledged, count_acknowledged
from hitherto_server.store.derived import prepare_derived
from hitherto_server.store.driver import load_vectors, mapped_errors, open_raw
from hitherto_server.store.health import Health
from hitherto_server.store.migrate import migrate, refuse_newer, schema_version
from hitherto_server.store.pieces import prepare_pieces
from hitherto_server.store.sessions import COMMITS, LOST_WRITES, add_to_counter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection

T = TypeVar("T")
Job = "Callable[[Connection], T]"
MAX_BATCH = 64


async def _run(connection: aiosqlite.Connection, work: Callable[..., T], *arguments: Any) -> T:
    # aiosqlite has no public way to run a function on a connection's thread, and offers each
    # query as a hop of its own; this is the one place that uses its queue directly.
    result: T = await connection._execute(work, *arguments)  # type: ignore[no-untyped-call]  # noqa: SLF001
    return result


@dataclass
class _Order:
    job: Callable[[Connection], Any]
    done: asyncio.Future[Any]
    durable: bool


@dataclass
class Writer:
    """The only connection that writes; what it acknowledged is on the disk."""

    path: Path
    connection: aiosqlite.Connection
    raw: Connection
    orders: asyncio.Queue[_Order | None] = field(default_factory=asyncio.Queue)
    lost: int = 0
    """Writes that the database refused, as far as they are not counted in it yet."""
    closing: bool = False
    health: Health = field(default_factory=Health)
    acknowledged: Acknowledged | None = None
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to serve orders."""
        self._task = asyncio.create_task(self._serve(), name="store-writer")

    async def run(self, job: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Run the job inside a transaction and return when it is durable.

        What need not be durable is safe from a killed server; a power cut may take the last of it.
        """
        if self.closing:
            message = "the server is stopping and writes no more"
            raise ServerAway(message, mend="Try again: the next start takes it.")
        self.health.refuse_damaged()
        order = _Order(job, asyncio.get_running_loop().create_future(), durable)
        self.orders.put_nowait(order)
        result: T = await order.done
        return result

    async def maintain(self, job: Callable[[Connection], T]) -> T:
        """Run the job outside of any transaction, between two of them: `VACUUM` and the like."""
        return await _run(self.connection, _mapped, self.raw, self.path, job)

    async def run_alone(self, job: Callable[[Connection], T]) -> T:
        """Run a job of many statements in a transaction of its own, and return when it is durable.

        In a savepoint, as among others, each statement would be slower than the one before.
        """
        self.health.refuse_damaged()
        result: T = await _run(self.connection, _alone, self.raw, self.path, job)
        if self.acknowledged is not None:
            self.acknowledged.note()
        return result

    async def close(self) -> None:
        """Finish what was ordered, then close."""
        self.closing = True
        self.orders.put_nowait(None)
        if self._task is not None:
            await self._task
        await self.connection.close()
        if self.acknowledged is not None:
            self.acknowledged.close()

    async def _serve(self) -> None:
        while (first := await self.orders.get()) is not None:
            batch = [first]
            ended = False
            while len(batch) < MAX_BATCH and not self.orders.empty():
                order = self.orders.get_nowait()
                if order is None:
                    ended = True
                    break
                batch.append(order)
            await self._serve_batch(batch)
            if ended:
                break
        if self.lost:
            await self._commit([], durable=True)

    async def _serve_batch(self, batch: list[_Order]) -> None:
        durable = any(order.durable for order in batch)
        outcomes = await self._commit([order.job for order in batch], durable=durable)
        for order, outcome in zip(batch, outcomes, strict=True):
            if order.done.done():  # its caller was cancelled; the write stands
                continue
            if isinstance(outcome, Failed):
                self.health.see(outcome.error)
                self.lost += isinstance(outcome.error, StoreError)
                order.done.set_exception(outcome.error)
            else:
                order.done.set_result(outcome)

    async def _commit(self, jobs: list[Callable[[Connection], Any]], *, durable: bool) -> list[Any]:
        """Commit the jobs and return their outcomes; what was lost before is counted with them."""
        lost = self.lost
        counting = [partial(add_to_counter, name=LOST_WRITES, amount=lost)] if lost else []
        noting = [partial(add_to_counter, name=COMMITS, amount=1)] if durable else []
        both = [*jobs, *noting, *counting]
        outcomes: list[Any]
        commit = partial(commit_batch, durable=durable)
        try:
            outcomes = await _run(self.connection, commit, self.raw, self.path, both)
        except Exception as error:  # noqa: BLE001 - one lost batch must not end all writing
            outcomes = [Failed(error)] * len(both)
        if counting and not isinstance(outcomes[-1], Failed):
            self.lost -= lost
        if noting and self.acknowledged and not isinstance(outcomes[len(jobs)], Failed):
            self.acknowledged.note()
        return outcomes[: len(jobs)]


def _mapped(connection: Connection, path: Path, job: Callable[[Connection], T]) -> T:
    with mapped_errors(path):
        return job(connection)


def _alone(connection: Connection, path: Path, job: Callable[[Connection], T]) -> T:
    with mapped_errors(path):
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = job(connection)
            add_to_counter(connection, COMMITS, 1)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return result


@dataclass(frozen=True)
class Failed:
    """The outcome of a job that raised."""

    error: BaseException


def commit_batch(
    connection: Connection,
    path: Path,
    jobs: list[Callable[[Connection], Any]],
    *,
    durable: bool = True,
) -> list[Any]:
    """Run the jobs in one transaction, each in a savepoint of its own, with one fsync at most."""
    try:
        with mapped_errors(path):
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [_in_savepoint(connection, path, job) for job in jobs]
            connection.execute("COMMIT")
    except BaseException as error:  # noqa: BLE001 - every caller must learn of it
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return [Failed(error)] * len(jobs)
    return outcomes


def _in_savepoint(
    connection: Connection, path: Path, job: Callable[[Connection], Any]
) -> Any | Failed:
    connection.execute("SAVEPOINT job")
    try:
        with mapped_errors(path):
            outcome = job(connection)
    except BaseException as error:
        if not connection.in_transaction:  # the engine gave up on the whole transaction
            raise
        connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")
        return Failed(error)
    connection.execute("RELEASE job")
    return outcome


@dataclass
class Readers:
    """Read-only connections; a reader never waits for the writer."""

    path: Path
    connections: list[tuple[aiosqlite.Connection, Connection]]
    health: Health = field(default_factory=Health)
    free: asyncio.Queue[int] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        for index in range(len(self.connections)):
            self.free.put_nowait(index)

    async def run(self, job: Callable[[Connection], T]) -> T:
        """Run the job on a free reader's thread, in one read snapshot."""
        index = await self.free.get()
        try:
            connection, raw = self.connections[index]
            return await _run(connection, in_snapshot, raw, self.path, job)
        except StoreUnreadable as error:
            self.health.see(error)
            raise
        finally:
            self.free.put_nowait(index)

    async def close(self) -> None:
        """Close all connections."""
        for connection, _ in self.connections:
            await connection.close()


def in_snapshot(connection: Connection, path: Path, job: Callable[[Connection], T]) -> T:
    """Run the job so that all its queries see the same state."""
    with mapped_errors(path):
        connection.execute("BEGIN")
        try:
            return job(connection)
        finally:
            connection.execute("ROLLBACK")


@dataclass
class Store:
    """An open, migrated database."""

    path: Path
    writer: Writer
    readers: Readers
    schema: int
    health: Health = field(default_factory=Health)

    async def close(self) -> None:
        """Finish all writes and close."""
        await self.readers.close()
        await self.writer.close()


async def open_store(path: Path, *, backups: Path, clock: Clock, readers: int) -> Store:
    """Open, migrate and return the database; a newer or damaged one is refused."""
    await asyncio.to_thread(refuse_newer, path)
    opened = [await _open(path, read_only=False)]
    writing, raw = opened[0]
    try:
        acknowledged = await _run(writing, _prepare, raw, path, backups, clock)
        schema = await _run(writing, schema_version, raw)
        for _ in range(readers):
            opened.append(await _open(path, read_only=True))  # noqa: PERF401 - closed on failure
    except BaseException:
        for connection, _ in opened:
            await connection.close()
        raise
    reading = opened[1:]
    health = Health()
    writer = Writer(path, writing, raw, health=health, acknowledged=acknowledged)
    writer.start()
    return Store(path, writer, Readers(path, reading, health), schema, health)


async def _open(path: Path, *, read_only: bool) -> tuple[aiosqlite.Connection, Connection]:
    # Opened before aiosqlite has a thread: after a failure that thread would outlive the loop.
    raw = await asyncio.to_thread(_open_raw, path, read_only=read_only)
    return await aiosqlite.Connection(lambda: raw, iter_chunk_size=64), raw


def _open_raw(path: Path, *, read_only: bool) -> Connection:
    if not read_only:
        _create_private(path)
    raw = open_raw(path, read_only=read_only)
    if read_only:  # who writes doesn't search
        load_vectors(raw)
    return raw


def _create_private(path: Path) -> None:
    try:
        path.touch(mode=0o600)
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StoreFull(message) from error


def _prepare(connection: Connection, path: Path, backups: Path, clock: Clock) -> Acknowledged:
    with mapped_errors(path):
        migrate(connection, backups=backups, clock=clock)
        prepare_derived(connection, clock=clock)
        prepare_pieces(connection, clock=clock)
        return count_acknowledged(connection, path)
