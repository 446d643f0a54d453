"""Gives each new passage its vector, in the background, after the write was acknowledged."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.background import Background
from hitherto_server.core.errors import HithertoError
from hitherto_server.maintenance.changing import Change, Progress
from hitherto_server.maintenance.embedding import embed_passages
from hitherto_server.store.derived import vector_model
from hitherto_server.store.embedding_models import is_settled, list_models, settle
from hitherto_server.store.filling import begin_vectors, fill_vectors, finish_vectors
from hitherto_server.store.former import drop_former
from hitherto_server.store.passages import count_waiting, list_waiting

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.maintenance.comparing import Comparer
    from hitherto_server.models.traits import Traits
    from hitherto_server.recall.succession import Succession
    from hitherto_server.store.database import Store
    from hitherto_server.store.embedding_models import Settled

BATCH = 16

log = logging.getLogger(__name__)


@dataclass
class Indexer:
    """Embeds what waits; asleep when nothing does, and while there is no model."""

    store: Store
    models: Succession
    clock: Clock
    comparer: Comparer | None = None
    """Takes over what has its vectors now."""
    background: Background = field(default_factory=lambda: Background("indexing"))
    is_busy: bool = False
    """Whether something that was just written gets its vectors."""

    def start(self) -> None:
        """Begin to work in the background."""
        self.background.start(self.background.repeat(self._work))
        self.background.wake.set()

    def notify(self) -> None:
        """Say that there may be passages without a vector."""
        self.background.wake.set()

    async def close(self) -> None:
        """Stop; what is left is done after the next start."""
        await self.background.close()

    async def waiting(self) -> int | None:
        """Return how many passages wait for their vector; None while no model is loaded."""
        model = self.models.model
        if model is None:
            return None
        return await self.store.readers.run(partial(count_waiting, model=model.name))

    async def progress(self) -> Progress | None:
        """Return how far a change of the model is, or None where there is none."""
        return await self.store.readers.run(Progress.read)

    async def _work(self) -> None:
        await self.background.wake.wait()
        self.background.wake.clear()
        await self.catch_up()

    async def catch_up(self) -> None:
        """Give all that waits its vectors, as the background does once it is woken."""
        await self.models.wait_loaded()
        settled = await self._settle()
        self.is_busy = True
        try:
            await self._serve_new()
        finally:
            self.is_busy = False
        if settled is not None:
            await Change(self.store, self.models, self.clock, self.background.wake).go_on(settled)

    async def _settle(self) -> Settled | None:
        """Note which model the settings name; None where it isn't loaded."""
        wanted = self.models.wanted.model
        if wanted is None:
            return None
        known = await self.store.readers.run(list_models)
        settled = is_settled(known, wanted.name)
        if settled is None:
            noting = partial(
                settle,
                wanted=wanted.name,
                configured=self.models.configured,
                dimension=wanted.dimension,
                clock=self.clock,
            )
            settled = await self.store.writer.run(noting)
        self.models.let_serve(settled.serving)
        return settled

    async def _serve_new(self) -> None:
        """Give what was written its vectors of the model that answers."""
        embedder, model = self.models.answering, self.models.model
        if embedder is None or model is None:
            return
        await self._prepare_index(model)
        await self._drop_former()
        while batch := await self.store.readers.run(
            partial(list_waiting, model=model.name, limit=BATCH)
        ):
            for passage in batch:
                await embed_passages(self.store, embedder, [passage])
        if self.comparer is not None:
            await self.comparer.catch_up(model)

    async def _prepare_index(self, model: Traits) -> None:
        """Fill the vector index anew if it holds another model's vectors, or not all."""
        if await self.store.readers.run(vector_model) == model.name:
            return
        name, dimension, clock = model.name, model.dimension, self.clock
        run = self.store.writer.run
        await run(partial(begin_vectors, model=name, dimension=dimension, clock=clock))
        after: int | None = 0
        while after is not None:
            after = await run(partial(fill_vectors, model=name, after=after), durable=False)
        await run(partial(finish_vectors, model=name, dimension=dimension, clock=clock))
        log.info("vector index of %s filled", name)

    async def _drop_former(self) -> None:
        """Remove the index of earlier versions; one that can't be removed is left where it is."""
        try:
            while await self.store.writer.run(drop_former, durable=False):
                pass
        except HithertoError as error:
            log.warning("the former vector index stays: %s", error.message)
