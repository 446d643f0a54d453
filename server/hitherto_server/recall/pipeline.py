"""Recall from end to end: the model embeds the question while one reader looks for the rest."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.text import opening_of
from hitherto_server.judge.asking import Asking, NobodyAsks
from hitherto_server.judge.surfaces import brief_rank, rerank
from hitherto_server.recall.admission import Admission, Occasion, admit
from hitherto_server.recall.floors import automatic_floor, explicit_floor
from hitherto_server.recall.judging import (
    Judgment,
    ask_judge,
    floored,
    notes_of,
    outcome_of,
    reordered,
    wish_of,
)
from hitherto_server.recall.looking import (
    MOST_VIEWED_UNASKED,
    Look,
    Looked,
    look_for_brief,
    look_up,
    view_more,
)
from hitherto_server.recall.meaning import begin_meaning
from hitherto_server.recall.people import Acquaintances
from hitherto_server.recall.query import prepare
from hitherto_server.recall.rarity import Rarity
from hitherto_server.recall.reply import reply_of
from hitherto_server.recall.scope_vectors import ScopeVectors
from hitherto_server.recall.standings import Lookout
from hitherto_server.store import ledger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from hitherto_contract.recall import RecallReply
    from hitherto_server.core.clock import Clock
    from hitherto_server.core.settings import Settings
    from hitherto_server.judge.asking import Asks
    from hitherto_server.recall.floors import Floor
    from hitherto_server.recall.hits import Question, Scores
    from hitherto_server.recall.meaning import Embeds
    from hitherto_server.recall.query import PreparedQuery
    from hitherto_server.store.database import Store

    Sized = Callable[[Occasion], Awaitable[Occasion]]


ASKED_JUDGE_S = 1.6
"""A call over MCP waits two seconds for everything."""
LEAST_JUDGE_S = 0.25
"""With less time left nobody is asked: it would end in a timeout."""
NOT_JUDGED = Judgment()


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
    vectors: ScopeVectors = field(default_factory=ScopeVectors)
    judge: Asks = field(default_factory=NobodyAsks)
    _noting: set[asyncio.Task[None]] = field(default_factory=set)

    async def recall(
        self, question: Question, session_id: str | None = None, *, asks_judge: bool = True
    ) -> RecallReply:
        """Answer somebody who asked; where a folder is ignored, no judge hears the question."""
        started = time.perf_counter()
        looked, judgment = await self._look_asked(question), NOT_JUDGED
        if asks_judge:
            looked, judgment = await self._judge_asked(question, looked, session_id)
        elif question.rerank:
            judgment = Judgment(why_not="the folder is ignored")
        took_ms = (time.perf_counter() - started) * 1000
        return reply_of(
            question,
            looked.query,
            looked.evidence,
            looked.found,
            took_ms,
            weight=self.settings.fusion_weight,
            notes=notes_of(judgment),
        )

    async def consider(
        self, question: Question, occasion: Occasion, sized: Sized | None = None
    ) -> Admission:
        """Decide what of the memories an occasion's reader is given unasked.

        `sized` is awaited once all was found: how much may be given is found out meanwhile.
        """
        looked = await self._look_unasked(question, occasion)
        judgment = NOT_JUDGED
        if occasion.judge_until is not None:
            looked, judgment = await self._judge_unasked(question, looked, occasion)
        if sized is not None:
            occasion = await sized(occasion)
        admission = admit(occasion, looked.found, looked.delivered, looked.query)
        return replace(admission, log_id=judgment.log_id)

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
        if lost:
            admission = admission.without({(row.memory_number, row.revision) for row in lost})
        self._note_soon(admission.log_id, outcomes_of(admission))
        return admission

    async def take_back(self, admission: Admission) -> None:
        """Note that an admission that was entered came too late: nobody was given it."""
        late = admission.occasion.admission
        await self.store.writer.run(lambda writing: ledger.take_back(writing, late))
        self.note_withheld(admission)

    def note_withheld(self, admission: Admission) -> None:
        """Note beside the judgment, if one came, that nobody was given what it ranked."""
        self._note_soon(admission.log_id, {**outcomes_of(admission), "withheld": True})

    async def _judge_asked(
        self, question: Question, looked: Looked, session_id: str | None
    ) -> tuple[Looked, Judgment]:
        """Have judged what an answer to somebody wants judged, if anything."""
        ranks = rerank.SURFACE if question.rerank else None
        wish = wish_of(self.judge, looked, ranks)
        if wish is None:
            return looked, NOT_JUDGED
        asking = Asking("tool", session_id, question.project, ASKED_JUDGE_S, preview=question.text)
        judgment = await ask_judge(self.judge, wish, looked, asking)
        before = looked.found
        if judgment.is_about_the_past:
            looked = await self._look_asked(replace(question, include_superseded=True))
        found = tuple(reordered(looked.found, judgment))
        self._note_soon(judgment.log_id, outcome_of(judgment, before, found))
        return replace(looked, found=found), judgment

    async def _judge_unasked(
        self, question: Question, looked: Looked, occasion: Occasion
    ) -> tuple[Looked, Judgment]:
        """Have judged what matters to an occasion, in the time that it has for that."""
        surface = rerank.SURFACE if occasion.channel == "prompt" else brief_rank.SURFACE
        ranks = surface if self.judge.is_on(surface) else None
        wish = wish_of(self.judge, looked, ranks, is_unasked=True)
        left_s = (occasion.judge_until or 0) - time.monotonic()
        if wish is None or left_s < LEAST_JUDGE_S:
            return looked, NOT_JUDGED
        shown = opening_of(question.text, self.settings.kept_prompt_chars)
        asking = Asking("hook", occasion.session_id, question.project, left_s, preview=shown)
        judgment = await ask_judge(self.judge, wish, looked, asking)
        if judgment.is_about_the_past:
            looked = await self._look_unasked(replace(question, include_superseded=True), occasion)
        if not judgment.relevance:
            return looked, judgment
        least = self.judge.threshold(surface, "least_relevance")
        found = floored(looked.found, judgment, least)
        viewed = await self.store.readers.run(
            lambda c: view_more(c, found, looked.delivered, self.lookout, question)
        )
        return replace(looked, found=tuple(viewed)), judgment

    def _note_soon(self, log_id: int | None, outcome: Mapping[str, Any]) -> None:
        """Write down beside a judgment what became of it; nobody waits for that."""
        if log_id is None:
            return
        noting = asyncio.create_task(self.judge.note_outcome(log_id, outcome))
        self._noting.add(noting)
        noting.add_done_callback(self._noting.discard)

    async def _look_asked(self, question: Question) -> Looked:
        # what is judged is more than what is shown: the best of it may stand further down
        viewed = max(question.limit, rerank.MOST_CANDIDATES) if question.rerank else question.limit
        return await self._look(question, lambda *_: explicit_floor, viewed)

    async def _look_unasked(self, question: Question, occasion: Occasion) -> Looked:
        return await self._look(
            question,
            partial(automatic_floor, least=self.settings.injection_floor),
            MOST_VIEWED_UNASKED,
            occasion,
        )

    async def _look(
        self,
        question: Question,
        floor: Callable[[PreparedQuery, Sequence[Scores]], Floor],
        viewed: int,
        occasion: Occasion | None = None,
    ) -> Looked:
        known = await self.acquaintances.of(self.store, question.scopes)
        query = prepare(question.text, known)
        weight, now_ms = self.settings.fusion_weight, self.clock()
        meaning = begin_meaning(self.embedder, query.dense_text)
        look = Look(
            question,
            query,
            weight,
            now_ms,
            floor,
            viewed,
            session_id=occasion.session_id if occasion else None,
            agent=occasion.agent if occasion else "",
            model=meaning.model,
            rarity=self.rarity,
            vectors=self.vectors,
        )
        return await self.store.readers.run(
            lambda reading: look_up(reading, look, meaning, self.lookout)
        )


def outcomes_of(admission: Admission) -> dict[str, Any]:
    """Return which memories an admission gave and which it dropped, for a judgment's log."""
    by_outcome: dict[str, Any] = {"injected": [], "dropped": []}
    for one in admission.decisions:
        if one.outcome in by_outcome and one.found.relevance is not None:
            by_outcome[one.outcome].append(one.found.id)
    return by_outcome
