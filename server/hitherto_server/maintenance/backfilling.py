"""Drives a backfill: one batch a second at most, and only while nothing more urgent waits."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.surfaces import importance_kind, relations
from hitherto_server.maintenance import classifying, related
from hitherto_server.maintenance.asked import NOBODY, PASSED_OVER, PATIENCE, Spent
from hitherto_server.maintenance.queue import Done, Later
from hitherto_server.store import backfill as rows
from hitherto_server.store import jobs
from hitherto_server.store.backfill import Counts, Wanted
from hitherto_server.store.derived import vector_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Asks
    from hitherto_server.judge.surfaces.importance_kind import Applied
    from hitherto_server.maintenance.classifying import Classified, Classifier
    from hitherto_server.maintenance.related import Considered, Related
    from hitherto_server.maintenance.relating import Relater
    from hitherto_server.store.backfill import Run, Unjudged
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.jobs import Job

KIND = "backfill"
BATCH = 6
AT_ONCE = 3
PACE_S = 1.0
"""At most one batch in this time: what people wait for shares the backend's limits."""
MOST_FAILURES = 10
BACK_OFF_S, MOST_BACK_OFF_S = 5.0, 300.0
LOADING = Later("the embedding model is being loaded", counts=False, after_s=PACE_S)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Answered:
    """What came of asking about one memory."""

    considered: Considered | None = None
    classified: Classified | None = None
    missing: Unavailable | None = None
    """Why not all that was to be asked was answered."""

    @property
    def spent(self) -> Spent:
        both = [one.spent for one in (self.considered, self.classified) if one is not None]
        return sum(both, Spent())


@dataclass(frozen=True)
class Kept:
    """What was written of it; None: the memory had moved on, or nothing was to be written."""

    related: Related | None
    applied: Applied | None


@dataclass
class Driver:
    """Judges the memories of a run; each is written and counted in one transaction."""

    store: Store
    judge: Asks
    clock: Clock
    relater: Relater
    classifier: Classifier
    is_loading: Callable[[], bool]
    """Wakes the embedding model, and tells whether it is on its way: it says which texts its
    vectors tell apart."""

    async def wanted(self) -> Wanted:
        """Return what may be judged now."""
        return Wanted(
            relate=self.judge.is_on(relations.SURFACE),
            classify=self.judge.is_on(importance_kind.SURFACE),
            model=await self.store.readers.run(vector_model),
        )

    async def __call__(self, job: Job) -> Done | Later:
        """Judge one batch of the run, if one goes on."""
        run = await self.store.readers.run(rows.find_live)
        if run is None or run.state != "running":
            return Done()
        if self.is_loading():
            return LOADING
        began = time.monotonic()
        wanted = await self.wanted()
        find = partial(rows.list_unjudged, wanted=wanted, before=run.before_number, most=BATCH)
        batch = await self.store.readers.run(find)
        if not batch:
            return self._ended(run, wanted)
        slots = asyncio.Semaphore(AT_ONCE)
        answered = await asyncio.gather(*(self._judge(job, run, one, slots) for one in batch))
        worked_ms = int((time.monotonic() - began) * 1000)
        return self._stepped(job, run, batch, answered, worked_ms)

    def _ended(self, run: Run, wanted: Wanted) -> Done:
        """End a run that has reached the oldest memory; where nobody may be asked, it rests."""
        at_ms = self.clock()
        if wanted.relate or wanted.classify:
            return Done(lambda c: rows.set_state(c, run, "done", why=None, at_ms=at_ms))
        why = "nobody may be asked"
        return Done(lambda c: rows.set_state(c, run, "paused", why=why, at_ms=at_ms))

    async def _judge(
        self, job: Job, run: Run, memory: Unjudged, slots: asyncio.Semaphore
    ) -> Answered:
        """Ask about one memory and write what came of it."""
        try:
            async with slots:
                answered = await self._asked(memory)
            write = partial(self._write, job=job, run=run, answered=answered)
            await self._note(answered, await self.store.writer.run(write, durable=False))
        except HithertoError as error:
            return Answered(missing=Unavailable("invalid", error.code))
        except Exception as error:
            # one memory that meets a bug must not end the run, and its words may stand in the error
            log.exception("memory %s was not judged", memory.id)
            return Answered(missing=Unavailable("invalid", type(error).__name__))
        return answered

    async def _asked(self, memory: Unjudged) -> Answered:
        considered = await self.relater.consider(memory.id, "backfill") if memory.relate else None
        if isinstance(considered, Unavailable):
            return Answered(missing=considered)
        missing = None
        if isinstance(considered, Later):
            missing = Unavailable("invalid", considered.why or "")
            considered = None
        if not memory.classify:
            return Answered(considered, missing=missing)
        classified = await self.classifier.consider(memory.id, "backfill")
        if isinstance(classified, Unavailable):
            return Answered(considered, missing=classified)
        return Answered(considered, classified, missing)

    def _write(self, connection: Connection, *, job: Job, run: Run, answered: Answered) -> Kept:
        """Write what was judged of a memory and count it, unless the run was cancelled."""
        live = rows.find_live(connection)
        if not jobs.holds(connection, job) or live is None or live.id != run.id:
            return Kept(None, None)
        at_ms, one, other = self.clock(), None, None
        if answered.considered is not None:
            one = related.write(connection, answered.considered, at_ms=at_ms)
        if answered.classified is not None:
            other = classifying.write(connection, answered.classified, at_ms=at_ms)
        kept = Kept(one, other)
        rows.count(connection, run, _counted(answered, kept))
        return kept

    async def _note(self, answered: Answered, kept: Kept) -> None:
        """Say in the log what was done with the answers."""
        if answered.considered is not None and kept.related is not None:
            await self.relater.note(answered.considered, kept.related)
        if answered.classified is not None and kept.applied is not None:
            await self.classifier.note(answered.classified, kept.applied)

    def _stepped(
        self,
        job: Job,
        run: Run,
        batch: Sequence[Unjudged],
        answered: Sequence[Answered],
        worked_ms: int,
    ) -> Done:
        """Go on to the next batch, or rest where nobody answers."""
        missing = [one.missing for one in answered if one.missing is not None]
        failed = [one for one in missing if one.reason not in PASSED_OVER]
        why = _worst(failed)
        is_out = why is not None and (len(failed) == len(batch) or why.reason in PATIENCE | NOBODY)
        failures = run.failures + 1 if is_out else 0
        before = run.before_number if is_out else min(one.number for one in batch)

        def write(connection: Connection) -> Later | None:
            rows.note_step(
                connection,
                run,
                before=before,
                worked_ms=worked_ms,
                failures=failures,
                why=_told(why) if is_out and why else None,
            )
            if not is_out and missing:
                rows.count(connection, run, Counts(passed_over=len(missing)))
            return self._next(connection, job, run, why if is_out else None, failures)

        return Done(write)

    def _next(
        self, connection: Connection, job: Job, run: Run, why: Unavailable | None, failures: int
    ) -> Later | None:
        """Say when the next batch is due; None where the run rests."""
        live = rows.find_live(connection)
        if live is None or live.id != run.id or live.state != "running":
            return None
        jobs.note_progress(connection, job, f"{live.judged} of {live.total}")
        if why is None:
            return Later(None, counts=False, after_s=PACE_S)
        if why.reason in NOBODY or failures >= MOST_FAILURES:
            told = f"{_told(why)}, {failures} times in a row" if failures > 1 else _told(why)
            rows.set_state(connection, run, "paused", why=told, at_ms=self.clock())
            return None
        rest_s = min(BACK_OFF_S * 2 ** (failures - 1), MOST_BACK_OFF_S)
        return Later(why.reason, counts=False, after_s=rest_s)


def _counted(answered: Answered, kept: Kept) -> Counts:
    """Return what became of a memory; one that is gone or was replaced meanwhile is not judged."""
    pairs = ((answered.considered, kept.related), (answered.classified, kept.applied))
    written = [done for asked, done in pairs if asked is not None]
    is_whole = answered.missing is None and bool(written) and None not in written
    one, other = kept.related, kept.applied
    return Counts(
        judged=int(is_whole),
        relations=one.relations if one else 0,
        superseded=one.superseded if one else 0,
        disagreements=one.disagreements if one else 0,
        kinds=int(other is not None and other.kind is not None),
        **vars(answered.spent),
    )


def _worst(missing: Sequence[Unavailable]) -> Unavailable | None:
    """Return the reason that says most about all others: nobody to ask, then patience."""
    order = sorted(missing, key=lambda one: (one.reason not in NOBODY, one.reason not in PATIENCE))
    return order[0] if order else None


def _told(why: Unavailable) -> str:
    return f"{why.reason}: {why.detail}" if why.detail else why.reason
