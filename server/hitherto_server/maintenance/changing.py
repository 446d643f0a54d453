"""Another model: its vectors are made beside those that serve, then it takes over at once."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.maintenance.embedding import embed_passages
from hitherto_server.store.embedding_models import (
    count_passages,
    drop_vectors,
    forget,
    last_vector,
    list_models,
    switch,
)
from hitherto_server.store.passages import BEHIND_ALL, count_waiting, list_waiting

if TYPE_CHECKING:
    import asyncio

    from hitherto_server.core.clock import Clock
    from hitherto_server.recall.succession import Succession
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.embedding_models import EmbeddingModel, Settled
    from hitherto_server.store.passages import Waiting

BATCH = 16
"""Passages a transaction."""
ROWS = 512
"""Rows a transaction, of vectors that are removed."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far the vectors of a new model are; read from the store, so that no crash resets it."""

    serving: str
    coming: str
    done: int
    total: int
    since_ms: int

    @staticmethod
    def read(connection: Connection) -> Progress | None:
        """Return the progress of the change that is under way, if one is."""
        known = {one.state: one for one in list_models(connection)}
        coming, serving = known.get("coming"), known.get("serving")
        if coming is None or serving is None:
            return None
        total = count_passages(connection)
        done = total - count_waiting(connection, model=coming.name)
        return Progress(serving.name, coming.name, done, total, coming.since_ms)


@dataclass(frozen=True)
class Change:
    """Takes a change of the model as far as it gets before something new is written."""

    store: Store
    models: Succession
    clock: Clock
    wake: asyncio.Event

    async def go_on(self, settled: Settled) -> None:
        """Make vectors of the model that comes, let it serve, remove those of one that leaves."""
        if settled.coming is not None:
            if await self._embed(settled.coming):
                await self._switch(settled.coming)
            else:
                self.wake.set()
            return
        self.models.retire_former()
        for model in settled.leaving:
            await self._remove(model)

    async def _embed(self, coming: EmbeddingModel) -> bool:
        """Embed until nothing waits; stops early where something new was written."""
        before = BEHIND_ALL  # else each step would pass again over all that is done
        while batch := await self._list(coming.name, before):
            await embed_passages(self.store, self.models.wanted, batch)
            before = batch[-1].id
            if self.wake.is_set():  # what was just written is found by the serving model first
                return False
        return not await self._list(coming.name, BEHIND_ALL)

    async def _list(self, model: str, before: int) -> list[Waiting]:
        wait = partial(list_waiting, model=model, limit=BATCH, before=before)
        return await self.store.readers.run(wait)

    async def _switch(self, coming: EmbeddingModel) -> None:
        await self.store.writer.run(partial(switch, model=coming, clock=self.clock))
        self.models.let_serve(coming)
        log.info("%s serves: all passages have its vectors", coming.name)
        self.wake.set()  # fill its index, then remove the vectors before

    async def _remove(self, model: EmbeddingModel) -> None:
        last = await self.store.readers.run(last_vector)
        for after in range(0, last, ROWS):
            step = partial(drop_vectors, model=model.name, after=after, upto=after + ROWS)
            await self.store.writer.run(step, durable=False)
        await self.store.writer.run(partial(forget, model=model.name))
        log.info("the vectors of %s are removed", model.name)
