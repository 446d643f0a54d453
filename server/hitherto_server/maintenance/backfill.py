"""Runs over what was written before anybody judged: estimated, begun, paused, resumed, ended."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import BackfillState
from hitherto_server.maintenance.backfilling import KIND
from hitherto_server.maintenance.estimating import estimate
from hitherto_server.store import backfill as rows
from hitherto_server.store import jobs

if TYPE_CHECKING:
    from hitherto_contract.background import BackfillState as State
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Asks
    from hitherto_server.maintenance.backfilling import Driver
    from hitherto_server.maintenance.estimating import Estimate
    from hitherto_server.maintenance.queue import Queue
    from hitherto_server.store.backfill import Run
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

SUBJECT = "all"


@dataclass
class Backfill:
    """One run at a time; its state is in the store, so a restart goes on where a kill ended it."""

    store: Store
    judge: Asks
    clock: Clock
    queue: Queue
    driver: Driver

    def take_up(self, connection: Connection) -> None:
        """Go on with a run that a stop or a kill has interrupted."""
        run = rows.find_live(connection)
        if run is not None and run.state == "running":
            self._put_job(connection)

    async def estimate(self) -> Estimate:
        """Return what a run would take; nothing is asked for it."""
        return await estimate(self.store, await self.driver.wanted(), self.driver.relater.model())

    async def status(self) -> Run | None:
        """Return the newest run, if there was one."""
        return await self.store.readers.run(rows.find_last)

    async def start(self) -> Run:
        """Begin a run over all that is unjudged."""
        wanted = await self.driver.wanted()
        if not (wanted.relate or wanted.classify):
            message = "no backend may be asked about relations or kinds"
            raise BackfillState(message, mend="Choose one with `hitherto judge`.")
        find = partial(rows.list_unjudged, wanted=wanted)
        total = len(await self.store.readers.run(find))

        def job(connection: Connection) -> Run:
            if rows.find_live(connection) is not None:
                message = "a backfill is under way already"
                raise BackfillState(message, mend="Resume it, or cancel it first.")
            run = rows.begin(connection, total=total, at_ms=self.clock())
            self._put_job(connection)
            return run

        run = await self.store.writer.run(job)
        self.queue.notify()
        return run

    async def pause(self) -> Run:
        """Let the run rest; what has been asked for is still written."""
        return await self._change("running", "paused", "by hand")

    async def resume(self) -> Run:
        """Go on with a run that rests."""
        run = await self._change("paused", "running", None)
        self.queue.notify()
        return run

    async def cancel(self) -> Run:
        """End the run; what was judged stays."""
        return await self._change(None, "cancelled", "by hand")

    async def _change(self, known: State | None, state: State, why: str | None) -> Run:
        def job(connection: Connection) -> Run:
            run = rows.find_live(connection)
            if run is None or known not in {None, run.state}:
                there = "there is none" if run is None else f"it is {run.state}"
                message = f"no backfill is {known or 'under way'}: {there}"
                raise BackfillState(message)
            rows.set_state(connection, run, state, why=why, at_ms=self.clock())
            if state == "running":
                self._put_job(connection)
            elif state == "cancelled":
                jobs.cancel(connection, [KIND], at_ms=self.clock())
            found = rows.find_last(connection)
            return run if found is None else found

        return await self.store.writer.run(job)

    def _put_job(self, connection: Connection) -> None:
        at_ms = self.clock()
        jobs.put(connection, KIND, SUBJECT, priority=jobs.BACKFILL, at_ms=at_ms)
