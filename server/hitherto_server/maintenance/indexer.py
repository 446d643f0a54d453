"""Gives each new passage its vector, in the background, after the write was acknowledged."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.store.derived import put_vector, rebuild_vectors, vector_model
from hitherto_server.store.passages import (
    Waiting,
    count_waiting,
    is_unchanged,
    list_waiting,
    put_embedding,
)

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.maintenance.comparing import Comparer
    from hitherto_server.recall.embedder import Embedder
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

BATCH = 16
RETRY_S = 5.0

log = logging.getLogger(__name__)


@dataclass
class Indexer:
    """Embeds what waits; asleep when nothing does, and while there is no model."""

    store: Store
    embedder: Embedder
    clock: Clock
    comparer: Comparer | None = None
    """Takes over what has its vectors now."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work in the background."""
        self._task = asyncio.create_task(self._run(), name="indexer")
        self.wake.set()

    def notify(self) -> None:
        """Say that there may be passages without a vector."""
        self.wake.set()

    async def close(self) -> None:
        """Stop; what is left is done after the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def waiting(self) -> int | None:
        """Return how many passages wait for their vector; None while no model is loaded."""
        model = self.embedder.model
        if model is None:
            return None
        return await self.store.readers.run(partial(count_waiting, model=model.name))

    async def _run(self) -> None:
        while True:
            await self.wake.wait()
            self.wake.clear()
            try:
                await self._catch_up()
            except HithertoError as error:
                log.warning("indexing waits: %s", error.message)
                await self._pause()
            except Exception:
                # what is written later must get its vectors, whatever was wrong this time
                log.exception("indexing met a bug")
                await self._pause()

    async def _pause(self) -> None:
        await asyncio.sleep(RETRY_S)
        self.wake.set()

    async def _catch_up(self) -> None:
        await self.embedder.wait_loaded()
        model = self.embedder.model
        if model is None:
            return
        await self._prepare_index(model.name, model.dimension)
        while batch := await self.store.readers.run(
            partial(list_waiting, model=model.name, limit=BATCH)
        ):
            for passage in batch:
                await self._embed(passage, model.name, model.dimension)
        if self.comparer is not None:
            await self.comparer.catch_up(model.name)

    async def _prepare_index(self, name: str, dimension: int) -> None:
        """Rebuild the vector index if it holds another model's vectors, or none."""
        if not self.store.has_vector_index:
            return
        held = await self.store.readers.run(vector_model)
        if held != name:
            build = partial(rebuild_vectors, model=name, dimension=dimension, clock=self.clock)
            count = await self.store.writer.run(build)
            log.info("vector index of %s rebuilt from %d vectors", name, count)

    async def _embed(self, passage: Waiting, model: str, dimension: int) -> None:
        vector = (await self.embedder.embed(passage.text)).tobytes()
        has_index = self.store.has_vector_index

        def job(connection: Connection) -> None:
            if not is_unchanged(connection, passage):
                return
            put_embedding(connection, passage.id, model=model, dimension=dimension, vector=vector)
            if has_index:
                put_vector(connection, passage.id, passage.project, vector)

        await self.store.writer.run(job)
