"""Recall from end to end: the words while the model embeds, then one job for all the rest."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from hitherto_server.core.errors import ModelError
from hitherto_server.recall.admission import Admission, Occasion, admit
from hitherto_server.recall.arms import Dense, ask_passages
from hitherto_server.recall.floors import automatic_floor, explicit_floor
from hitherto_server.recall.looking import (
    MOST_VIEWED_UNASKED,
    Look,
    Looked,
    look_by_words,
    look_for_brief,
    look_up,
)
from hitherto_server.recall.people import Acquaintances
from hitherto_server.recall.query import prepare
from hitherto_server.recall.rarity import Rarity
from hitherto_server.recall.reply import reply_of
from hitherto_server.recall.standings import Lookout
from hitherto_server.store import ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_contract.recall import RecallReply
    from hitherto_server.core.clock import Clock
    from hitherto_server.core.settings import Settings
    from hitherto_server.recall.candidates import Floor
    from hitherto_server.recall.hits import Question, Scores
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.database import Store


UNASKED_EMBED_S = 0.12
ASKED_EMBED_S = 1.0
"""What a recall waits for its query's vector; a prompt has 300 ms for everything."""


class NamedModel(Protocol):
    """A model that is loaded."""

    @property
    def name(self) -> str: ...


class Embeds(Protocol):
    """What recall needs of an embedder."""

    @property
    def state(self) -> str: ...
    @property
    def model(self) -> NamedModel | None: ...
    async def embed(self, text: str) -> Any: ...


@dataclass
class Recaller:
    """Finds memories, for whoever asks and for the automatic channels."""

    store: Store
    embedder: Embeds
    settings: Settings
    clock: Clock
    lookout: Lookout = field(default_factory=Lookout)
    acquaintances: Acquaintances = field(default_factory=Acquaintances)
    rarity: Rarity = field(default_factory=Rarity)

    async def recall(self, question: Question) -> RecallReply:
        """Answer somebody who asked."""
        started = time.perf_counter()
        looked = await self._look(question, lambda *_: explicit_floor, question.limit)
        took_ms = (time.perf_counter() - started) * 1000
        weight = self.settings.fusion_weight
        return reply_of(
            question, looked.query, looked.evidence, looked.found, took_ms, weight=weight
        )

    async def consider(self, question: Question, occasion: Occasion) -> Admission:
        """Decide what of the memories an occasion's reader is given unasked."""
        looked = await self._look(
            question,
            partial(automatic_floor, least=self.settings.injection_floor),
            MOST_VIEWED_UNASKED,
            occasion.session_id,
        )
        return admit(occasion, looked.found, looked.delivered, looked.query)

    async def brief(self, question: Question, occasion: Occasion) -> Admission:
        """Decide what a session is told at its start, or after a compaction, without a question."""
        now_ms = self.clock()
        found, delivered = await self.store.readers.run(
            lambda reading: look_for_brief(
                reading, question, occasion.session_id, now_ms, self.lookout
            )
        )
        return admit(occasion, found, delivered)

    async def deliver(self, admission: Admission) -> Admission:
        """Enter an admission in the ledger and return what of it may be given: nothing twice."""
        # not waiting for the disk: a power cut ends the session too, and with it what it was given
        lost = await self.store.writer.run(
            lambda writing: ledger.put(writing, admission.rows), durable=False
        )
        if not lost:
            return admission
        return admission.without({(row.memory_number, row.revision) for row in lost})

    async def take_back(self, admission: Admission) -> None:
        """Note that an admission that was entered came too late: nobody was given it."""
        late = admission.occasion.admission
        await self.store.writer.run(lambda writing: ledger.take_back(writing, late))

    async def _look(
        self,
        question: Question,
        floor: Callable[[PreparedQuery, Sequence[Scores]], Floor],
        viewed: int,
        session_id: str | None = None,
    ) -> Looked:
        known = await self.acquaintances.of(self.store, question.scopes)
        query = prepare(question.text, known)
        weight, now_ms = self.settings.fusion_weight, self.clock()
        model = self.embedder.model
        name = None if model is None or query.dense_text is None else model.name
        look = Look(
            question,
            query,
            weight,
            now_ms,
            floor,
            viewed,
            session_id,
            name,
            self.rarity,
        )
        run = self.store.readers.run
        words = asyncio.ensure_future(run(lambda reading: look_by_words(reading, look)))
        found, dense = await asyncio.gather(words, self._meant(look, words))
        return await run(lambda reading: look_up(reading, look, found, dense, self.lookout))

    async def _meant(self, look: Look, words: asyncio.Future[Any]) -> Dense:
        """Return the query's vector, with what is near it if a large store's words take longer."""
        unasked = look.is_unasked
        dense = await self._dense(look.query, UNASKED_EMBED_S if unasked else ASKED_EMBED_S)
        if dense.vector is None or words.done():  # one job more would cost what it saves
            return dense
        ask = partial(ask_passages, scopes=look.question.scopes, dense=dense, unasked=unasked)
        return replace(dense, near=await self.store.readers.run(ask))

    async def _dense(self, query: PreparedQuery, at_most_s: float) -> Dense:
        """Return the query's vector; a model that takes too long leaves recall to the words."""
        if query.dense_text is None:
            return Dense(None, None, "no words beside names")
        model = self.embedder.model
        if self.embedder.state != "ready" or model is None:
            return Dense(None, None, f"model {self.embedder.state}")
        try:
            async with asyncio.timeout(at_most_s):
                vector = await self.embedder.embed(query.dense_text)
        except TimeoutError:
            return Dense(None, None, "model too slow")
        except ModelError as error:
            return Dense(None, None, error.code.replace("_", " "))
        return Dense(vector.astype("<f4", copy=False).tobytes(), model.name)
