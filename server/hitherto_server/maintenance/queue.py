"""The queue of judged work: a few jobs at a time, the most urgent first, none of them lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.background import Background
from hitherto_server.core.errors import HithertoError
from hitherto_server.store import jobs

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.jobs import Job

MOST_AT_ONCE = 2
LEASE_S = 300.0
WORK_S = 270.0
"""What a job may take; it ends before its lease does."""
MOST_ATTEMPTS = 6
BACK_OFF_S, MOST_BACK_OFF_S = 5.0, 3600.0
HOLD_S, MOST_HOLD_S = 5.0, 300.0
"""How long a kind rests while nobody can answer it."""
BUSY_S = 0.5
IDLE_S = 60.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Later:
    """A job is not done, and why; who reads it sees the words."""

    why: str | None
    counts: bool = True
    """False: it was not the job's fault, so it isn't given up for it."""
    holds: bool = False
    """True: the others of its kind would fare alike, so they rest as well."""
    after_s: float | None = None
    """When to try again; None: by the number of attempts."""


@dataclass(frozen=True)
class Done:
    """A job's work is done but for what it writes, in one transaction with the job's own end."""

    write: Callable[[Connection], Later | None] | None = None
    """May find that the memory has moved on: then nothing is written."""
    then: Callable[[], Awaitable[None]] | None = None
    """Called once it is written."""


Handler = Callable[["Job"], Awaitable["Done | Later"]]


@dataclass
class Queue:
    """Takes jobs from the store, a few at a time, and gives each to whoever serves its kind."""

    store: Store
    clock: Clock
    is_busy: Callable[[], bool] = lambda: False
    """Whether files are being looked at or new memories indexed: that comes first."""
    at_start: Callable[[Connection], None] | None = None
    """Puts in what has to go on, before anything is taken."""
    handlers: dict[str, Handler] = field(default_factory=dict)
    background: Background = field(default_factory=lambda: Background("the queue"))
    _at_work: set[asyncio.Task[None]] = field(default_factory=set)
    _held: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Kinds that rest: until when, and for the how manieth time in a row."""
    _has_taken_over: bool = False

    def serve(self, kind: str, handler: Handler) -> None:
        """Give the jobs of a kind to a handler; before the start."""
        self.handlers[kind] = handler

    def start(self) -> None:
        """Begin to work in the background."""
        self.background.start(self.background.repeat(self._work))

    def notify(self) -> None:
        """Say that there may be something to do."""
        self.background.wake.set()

    async def close(self) -> None:
        """Stop; what was begun is taken up again after the next start."""
        await self.background.close()
        ending = list(self._at_work)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    async def _take_over(self) -> None:
        """Give back what an earlier process had taken: this one alone owns the store."""

        def job(connection: Connection) -> None:
            jobs.free_all(connection, at_ms=self.clock(), most=MOST_ATTEMPTS)
            if self.at_start is not None:
                self.at_start(connection)

        await self.store.writer.run(job, durable=False)
        self._has_taken_over = True

    async def _work(self) -> None:
        if not self._has_taken_over:
            await self._take_over()
        self.background.wake.clear()
        if len(self._at_work) >= MOST_AT_ONCE:
            await self.background.is_woken(IDLE_S)
        elif self.is_busy():
            await self.background.is_woken(BUSY_S)
        elif (job := await self._lease()) is None:
            await self.background.is_woken(await self._idle_s())
        else:
            task = asyncio.create_task(self._do(job), name=f"{job.kind} {job.subject}")
            self._at_work.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._at_work.discard(task)
        self.background.wake.set()

    async def _idle_s(self) -> float:
        """Return how long there is nothing to do, unless somebody says otherwise."""
        now = self.clock()
        find = partial(jobs.find_soonest, kinds=self._awake(now))
        soonest = await self.store.readers.run(find)
        known = [one for one in (soonest.due_ms, soonest.ends_ms) if one is not None]
        known += [until for until, _ in self._held.values() if until > now]
        wait_s = min((max(one - now, 0) / 1000 for one in known), default=IDLE_S)
        return min(max(wait_s, BUSY_S), IDLE_S)

    def _awake(self, now_ms: int) -> list[str]:
        """Return the kinds that do not rest."""
        return [kind for kind in self.handlers if self._held.get(kind, (0, 0))[0] <= now_ms]

    async def _lease(self) -> Job | None:
        now = self.clock()
        kinds = self._awake(now)
        look = partial(jobs.is_due, kinds=kinds, at_ms=now)
        if not await self.store.readers.run(look):  # the writer is for those who write
            return None

        def job(connection: Connection) -> Job | None:
            jobs.free_expired(connection, at_ms=now, most=MOST_ATTEMPTS)
            until_ms = now + int(LEASE_S * 1000)
            return jobs.lease(connection, kinds, at_ms=now, until_ms=until_ms)

        return await self.store.writer.run(job, durable=False)

    async def _do(self, job: Job) -> None:
        """Have a job done, and write what came of it."""
        try:
            outcome = await self._handled(job)
            await self._settle(job, outcome)
        except HithertoError as error:
            # its lease ends, and it is taken up again
            log.warning("%s of %s was not settled: %s", job.kind, job.subject, error.message)
        except Exception:
            log.exception("%s of %s met a bug", job.kind, job.subject)

    async def _handled(self, job: Job) -> Done | Later:
        try:
            async with asyncio.timeout(WORK_S):
                return await self.handlers[job.kind](job)
        except TimeoutError:
            return Later(f"not done within {WORK_S:.0f} s")
        except HithertoError as error:
            return Later(error.code)
        except Exception as error:
            # one job that meets a bug must not end the others; its words may quote a memory
            log.exception("%s of %s met a bug", job.kind, job.subject)
            return Later(f"a bug: {type(error).__name__}; see logs/server.log")

    async def _settle(self, job: Job, outcome: Done | Later) -> None:
        try:
            settled = await self.store.writer.run(partial(self._write, job=job, outcome=outcome))
        except HithertoError:
            raise
        except Exception as error:
            log.exception("%s of %s could not be written", job.kind, job.subject)
            settled = Later(f"a bug: {type(error).__name__}; see logs/server.log")
            await self.store.writer.run(partial(self._write, job=job, outcome=settled))
        if settled is None:
            self._held.pop(job.kind, None)
            if isinstance(outcome, Done) and outcome.then is not None:
                await outcome.then()
        elif isinstance(settled, Later) and settled.holds:
            self._hold(job.kind)

    def _hold(self, kind: str) -> None:
        times = self._held.get(kind, (0, 0))[1]
        rest_s = min(HOLD_S * 2**times, MOST_HOLD_S)
        self._held[kind] = (self.clock() + int(rest_s * 1000), times + 1)

    def _write(
        self, connection: Connection, *, job: Job, outcome: Done | Later
    ) -> Later | Literal["gone"] | None:
        """Write what a job came to, and its end, unless it was cancelled or lost meanwhile."""
        if not jobs.holds(connection, job):
            return "gone"
        if isinstance(outcome, Done):
            found = outcome.write(connection) if outcome.write is not None else None
            if found is None:
                jobs.note_done(connection, job)
                return None
            outcome = found
        self._postpone(connection, job, outcome)
        return outcome

    def _postpone(self, connection: Connection, job: Job, why: Later) -> None:
        now = self.clock()
        if why.counts and job.attempts >= MOST_ATTEMPTS:
            log.warning("%s of %s is given up: %s", job.kind, job.subject, why.why)
            jobs.fail(connection, job, failure=why.why, at_ms=now)
            return
        after_s = back_off_s(job.attempts) if why.after_s is None else why.after_s
        not_before_ms = now + int(after_s * 1000)
        jobs.wait(connection, job, not_before_ms=not_before_ms, failure=why.why, counts=why.counts)


def back_off_s(attempts: int) -> float:
    """Return how long a job waits after so many attempts: four times as long each time."""
    return float(min(BACK_OFF_S * 4 ** (attempts - 1), MOST_BACK_OFF_S))
