"""Recall from end to end: the model embeds the question while one reader looks for the rest."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.judge.asking import NobodyAsks
from hitherto_server.recall.admission import Admission, Occasion, admit
from hitherto_server.recall.floors import automatic_floor, explicit_floor
from hitherto_server.recall.looking import (
    MOST_VIEWED_UNASKED,
    Look,
    Looked,
    look_for_brief,
    look_up,
)
from hitherto_server.recall.meaning import begin_meaning
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
    from hitherto_server.judge.asking import Asks
    from hitherto_server.recall.candidates import Floor
    from hitherto_server.recall.hits import Question, Scores
    from hitherto_server.recall.meaning import Embeds
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.database import Store


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
    judge: Asks = field(default_factory=NobodyAsks)

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
        meaning = begin_meaning(self.embedder, query.dense_text)
        look = Look(
            question, query, weight, now_ms, floor, viewed, session_id, meaning.model, self.rarity
        )
        return await self.store.readers.run(
            lambda reading: look_up(reading, look, meaning, self.lookout)
        )
