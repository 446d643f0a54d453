"""All judged work in the background: its queue, who serves it, and what is put into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.gates import filing
from hitherto_server.judge.surfaces import importance_kind, relations
from hitherto_server.maintenance import backfilling, classifying, relating
from hitherto_server.maintenance.backfill import Backfill
from hitherto_server.maintenance.backfilling import Driver
from hitherto_server.maintenance.classifying import Classifier
from hitherto_server.maintenance.filing import Filer
from hitherto_server.maintenance.queue import Queue
from hitherto_server.maintenance.relating import Relater
from hitherto_server.store import jobs

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Asks
    from hitherto_server.recall.succession import Succession
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row


@dataclass
class JudgedWork:
    """Has new and changed memories judged, and drives the backfill."""

    judge: Asks
    queue: Queue
    backfill: Backfill

    def start(self) -> None:
        """Begin to work in the background."""
        self.queue.start()

    async def close(self) -> None:
        """Stop; what was begun is taken up again after the next start."""
        await self.queue.close()

    def notify(self) -> None:
        """Say that there may be something to do."""
        self.queue.notify()

    def ask_for(self, connection: Connection, row: Row, *, at_ms: int) -> None:
        """Have a memory judged if anybody may be asked; a candidate waits until it is admitted."""
        if row["tier"] != "admitted":
            return
        if self.judge.is_on(relations.SURFACE):
            jobs.put(connection, relating.KIND, row["id"], priority=jobs.RELATE, at_ms=at_ms)
        if self.judge.is_on(importance_kind.SURFACE):
            jobs.put(connection, classifying.KIND, row["id"], priority=jobs.CLASSIFY, at_ms=at_ms)


def make_judged_work(
    store: Store,
    judge: Asks,
    clock: Clock,
    embedder: Succession,
) -> JudgedWork:
    """Return the judged work of a server, wired."""
    queue = Queue(store, clock)
    relater = Relater(store, judge, clock, lambda: embedder.model)
    classifier = Classifier(store, judge, clock)

    def is_loading() -> bool:
        if embedder.model is None and embedder.state != "failed":
            embedder.start_loading()
        return embedder.state == "loading"

    driver = Driver(store, judge, clock, relater, classifier, is_loading)
    for kind, handler in (
        (relating.KIND, relater),
        (classifying.KIND, classifier),
        (filing.KIND, Filer(store, judge, clock)),
        (backfilling.KIND, driver),
    ):
        queue.serve(kind, handler)
    backfill = Backfill(store, judge, clock, queue, driver)
    queue.at_start = backfill.take_up
    return JudgedWork(judge, queue, backfill)
