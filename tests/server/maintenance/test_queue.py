"""Jobs are done by their urgency, none is lost, and none is done twice at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.maintenance.conftest import until
from tests.wiring import TestClock, rows

from hitherto_server.core.errors import StoreBusy
from hitherto_server.maintenance import queue as queues
from hitherto_server.maintenance.queue import Done, Later, Queue, back_off_s
from hitherto_server.store import jobs
from hitherto_server.store.database import open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.store.database import Store
    from hitherto_server.store.jobs import Job

KINDS = ("verify", "index", "relate")


@dataclass
class Worker:
    """Serves every kind, and notes what it was given."""

    queue: Queue
    store: Store
    clock: TestClock
    took: list[str] = field(default_factory=list)
    outcomes: list[Any] = field(default_factory=list)
    """What it answers, one after the other; then that all is done."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0

    async def __call__(self, job: Job) -> Done | Later:
        self.took.append(job.subject)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.gate.wait()
        finally:
            self.at_once -= 1
        outcome = self.outcomes.pop(0) if self.outcomes else Done()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def put(self, subject: str, kind: str = "relate", priority: int = jobs.RELATE) -> None:
        at_ms = self.clock()
        await self.store.writer.run(
            lambda c: jobs.put(c, kind, subject, priority=priority, at_ms=at_ms)
        )
        self.queue.notify()

    def jobs(self) -> list[tuple[Any, ...]]:
        query = "SELECT subject, state, attempts, failure FROM job ORDER BY id"
        return rows(self.store.path, query)

    async def until_done(self) -> None:
        def are_done() -> bool:
            self.clock.pass_ms(1000)
            self.queue.notify()
            return not [one for one in self.jobs() if one[1] in {"waiting", "leased"}]

        await until(are_done, "the jobs are done")


@pytest.fixture
async def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Worker]:
    monkeypatch.setattr(queues, "BUSY_S", 0.01)
    clock = TestClock()
    store = await open_store(tmp_path / "memory.db", backups=tmp_path, clock=clock, readers=1)
    queue = Queue(store, clock)
    made = Worker(queue, store, clock)
    for kind in KINDS:
        queue.serve(kind, made)
    yield made
    await queue.close()
    await store.close()


async def test_what_is_more_urgent_is_done_first(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queues, "MOST_AT_ONCE", 1)
    worker.gate.set()
    await worker.put("a relation", "relate", jobs.RELATE)
    await worker.put("an index", "index", jobs.INDEX)
    await worker.put("a look", "verify", jobs.VERIFY)
    worker.queue.start()
    await worker.until_done()
    assert worker.took == ["a look", "an index", "a relation"]


async def test_the_same_asked_for_twice_is_one_job_as_urgent_as_the_more_urgent(
    worker: Worker,
) -> None:
    await worker.put("one", priority=jobs.BACKFILL)
    await worker.put("one", priority=jobs.VERIFY)
    assert rows(worker.store.path, "SELECT subject, priority FROM job") == [("one", jobs.VERIFY)]


async def test_few_are_done_at_once(worker: Worker) -> None:
    for number in range(6):
        await worker.put(str(number))
    worker.queue.start()
    await until(lambda: worker.at_once == queues.MOST_AT_ONCE, "it works")
    worker.gate.set()
    await worker.until_done()
    assert worker.most_at_once == queues.MOST_AT_ONCE
    assert sorted(worker.took) == [str(number) for number in range(6)]


async def test_nothing_is_taken_while_memories_are_indexed_or_files_looked_at(
    worker: Worker,
) -> None:
    busy = True
    worker.queue.is_busy = lambda: busy
    worker.gate.set()
    await worker.put("one")
    worker.queue.start()
    await asyncio.sleep(0.2)
    assert worker.took == []
    busy = False
    await worker.until_done()
    assert worker.took == ["one"]


async def test_what_is_done_leaves_no_row(worker: Worker) -> None:
    worker.gate.set()
    await worker.put("one")
    worker.queue.start()
    await until(lambda: not worker.jobs(), "it is done")


async def test_what_an_earlier_process_had_taken_is_taken_up_by_the_next_one(
    worker: Worker,
) -> None:
    await worker.put("one")
    at_ms = worker.clock()
    taken = await worker.store.writer.run(
        lambda c: jobs.lease(c, KINDS, at_ms=at_ms, until_ms=at_ms + 10**9)
    )
    assert taken is not None
    worker.gate.set()
    worker.queue.start()
    await worker.until_done()
    assert worker.took == ["one"]


async def test_a_job_is_taken_up_again_once_its_lease_has_ended(worker: Worker) -> None:
    worker.gate.set()
    worker.queue.start()
    await until(lambda: worker.queue.background.task is not None, "it has begun")
    await worker.put("another")  # it has taken over by then
    await until(lambda: worker.took == ["another"], "it works")

    def lease_it(connection: Any) -> None:  # by whoever is gone now
        at_ms = worker.clock()
        jobs.put(connection, "relate", "one", priority=1, at_ms=at_ms)
        jobs.lease(connection, ["relate"], at_ms=at_ms, until_ms=at_ms + 60_000)

    await worker.store.writer.run(lease_it)
    worker.queue.notify()
    await asyncio.sleep(0.2)
    assert worker.took == ["another"]
    worker.clock.pass_ms(60_000)
    worker.queue.notify()
    await until(lambda: worker.took == ["another", "one"], "its lease has ended")


async def test_a_job_that_ends_its_worker_each_time_is_given_up(worker: Worker) -> None:
    await worker.put("poison")
    for _ in range(queues.MOST_ATTEMPTS):
        at_ms = worker.clock()
        lease = partial(jobs.lease, kinds=KINDS, at_ms=at_ms, until_ms=at_ms + 10)
        await worker.store.writer.run(lease)
        free = partial(jobs.free_all, at_ms=at_ms, most=queues.MOST_ATTEMPTS)
        await worker.store.writer.run(free)
    ((_, state, _, failure),) = worker.jobs()
    assert (state, failure) == ("failed", "whoever took it was gone each time")


async def test_what_fails_is_tried_again_later_and_given_up_visibly(worker: Worker) -> None:
    worker.gate.set()
    worker.outcomes = [Later("timeout")] * queues.MOST_ATTEMPTS
    await worker.put("one")
    worker.queue.start()
    await until(lambda: worker.jobs()[0][3] is not None, "it has failed once")
    ((_, state, attempts, failure),) = worker.jobs()
    assert (state, attempts, failure) == ("waiting", 1, "timeout")

    def is_given_up() -> bool:
        worker.clock.pass_ms(60_000)
        worker.queue.notify()
        return bool(worker.jobs()[0][1] == "failed")

    await until(is_given_up, "it is given up")
    (failed,) = await worker.store.readers.run(lambda c: jobs.list_failed(c, most=10))
    assert (failed["subject"], failed["failure"]) == ("one", "timeout")
    assert await worker.store.writer.run(jobs.retry) == 1
    worker.queue.notify()
    await worker.until_done()
    assert worker.jobs() == []


def test_each_attempt_is_waited_for_longer_up_to_an_hour() -> None:
    waits = [back_off_s(attempts) for attempts in range(1, 8)]
    assert waits == [5, 20, 80, 320, 1280, 3600, 3600]


async def test_a_bug_in_one_job_ends_no_other_and_quotes_nothing(worker: Worker) -> None:
    worker.gate.set()
    worker.outcomes = [ValueError("the words of a memory"), Done()]
    await worker.put("one")
    await worker.put("two")
    worker.queue.start()
    await until(lambda: len(worker.took) == 2, "both were tried")
    await until(lambda: len(worker.jobs()) == 1, "the other is done")
    ((_, _, _, failure),) = worker.jobs()
    assert failure == "a bug: ValueError; see logs/server.log"


async def test_an_expected_failure_is_told_by_its_code(worker: Worker) -> None:
    worker.gate.set()
    worker.outcomes = [StoreBusy("x")]
    await worker.put("one")
    worker.queue.start()
    await until(lambda: worker.jobs()[0][3] == "store_busy", "it has failed once")


async def test_what_nobody_can_answer_lets_its_kind_rest_and_counts_against_no_job(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queues, "MOST_AT_ONCE", 1)
    worker.gate.set()
    worker.outcomes = [Later("breaker_open", counts=False, holds=True)]
    for subject in ("one", "two", "three"):
        await worker.put(subject)
    worker.queue.start()
    await until(lambda: worker.jobs()[0][3] == "breaker_open", "it was postponed")
    await asyncio.sleep(0.2)
    assert worker.took == ["one"]
    assert [(one[1], one[2]) for one in worker.jobs()] == [("waiting", 0)] * 3
    await worker.put("a look", "verify", jobs.VERIFY)  # other kinds go on
    await until(lambda: worker.took == ["one", "a look"], "another kind is served")
    await worker.until_done()
    assert sorted(worker.took) == ["a look", "one", "one", "three", "two"]


async def test_what_is_cancelled_while_it_is_done_writes_nothing(worker: Worker) -> None:
    written: list[str] = []
    worker.outcomes = [Done(lambda _: written.append("it"))]
    await worker.put("one")
    worker.queue.start()
    await until(lambda: worker.took, "it is begun")
    at_ms = worker.clock()
    cancelled = await worker.store.writer.run(lambda c: jobs.cancel(c, KINDS, at_ms=at_ms))
    worker.gate.set()
    await asyncio.sleep(0.2)
    assert (cancelled, written) == (1, [])
    assert [one[1] for one in worker.jobs()] == ["cancelled"]
    await worker.put("one")  # it may be asked for anew
    await worker.until_done()
    assert worker.took == ["one", "one"]


async def test_a_stop_in_the_middle_leaves_the_job_to_the_next_start(worker: Worker) -> None:
    await worker.put("one")
    worker.queue.start()
    await until(lambda: worker.took, "it is begun")
    await worker.queue.close()
    assert [one[1] for one in worker.jobs()] == ["leased"]
    again = Queue(worker.store, worker.clock, handlers={"relate": worker})
    worker.gate.set()
    again.start()
    await worker.until_done()
    await again.close()
    assert worker.took == ["one", "one"]
