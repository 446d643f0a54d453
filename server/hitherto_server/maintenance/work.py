"""The parts of judged work, wired: its queue, who serves it, and the backfill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.gates import filing
from hitherto_server.maintenance import backfilling, classifying, relating
from hitherto_server.maintenance.backfill import Backfill
from hitherto_server.maintenance.backfilling import Driver
from hitherto_server.maintenance.classifying import Classifier
from hitherto_server.maintenance.filing import Filer
from hitherto_server.maintenance.queue import Queue
from hitherto_server.maintenance.relating import Relater

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Asks
    from hitherto_server.recall.succession import Succession
    from hitherto_server.store.database import Store


@dataclass(frozen=True)
class Work:
    """A queue that is served, and what is driven through it."""

    queue: Queue
    backfill: Backfill


def make_work(
    store: Store,
    judge: Asks,
    clock: Clock,
    embedder: Succession,
    is_busy: Callable[[], bool],
) -> Work:
    """Return the queue with whoever serves it, and the backfill."""
    queue = Queue(store, clock, is_busy)
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
    return Work(queue, backfill)
