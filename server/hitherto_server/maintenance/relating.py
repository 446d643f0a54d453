"""Judges what a memory is to those that lie nearest."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces import relations, supersession
from hitherto_server.judge.surfaces.relations import Limits
from hitherto_server.maintenance.asked import without
from hitherto_server.maintenance.pairs import NotReadable, find_case, record_of
from hitherto_server.maintenance.queue import Done, Later
from hitherto_server.maintenance.related import Considered, Related, basis_of, outcome_of, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.asking import Asks, Origin
    from hitherto_server.judge.surfaces.relations import Heard, Turn
    from hitherto_server.maintenance.pairs import Case
    from hitherto_server.models.traits import Traits
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.jobs import Job

KIND = "relate"
MOVED = Later("it was changed while it was judged", counts=False, after_s=0.0)
NOT_LOADED = Later("the embedding model is not loaded", counts=False, after_s=60.0)


@dataclass
class Relater:
    """Relates memories by judgment; whatever a person or an agent said of two of them stands."""

    store: Store
    judge: Asks
    clock: Clock
    model: Callable[[], Traits | None]
    """Whose vectors are searched, once it is loaded."""
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One search at a time: the other reader is for whoever waits."""

    async def __call__(self, job: Job) -> Done | Later:
        """Relate the memory that a job names."""
        considered = await self.consider(job.subject, "maintenance")
        if isinstance(considered, Unavailable):
            return without(considered)
        if not isinstance(considered, Considered):
            return considered or Done()
        related: list[Related] = []

        def written(connection: Connection) -> Later | None:
            found = write(connection, considered, at_ms=self.clock())
            if found is None:
                return MOVED
            related.append(found)
            return None

        async def then() -> None:
            await self.note(considered, related[0])

        return Done(written, then)

    async def consider(
        self, memory_id: str, origin: Origin
    ) -> Considered | Unavailable | Later | None:
        """Ask what a memory is to its neighbours; None where it is gone or has no vector yet."""
        look = partial(find_case, memory_id=memory_id, model=self.model())
        try:
            async with self._looking:
                case = await self.store.readers.run(look)
        except NotReadable:
            return NOT_LOADED
        if case is None:
            return None
        return await self._judged(case, origin) if case.pairs else Considered(case)

    async def note(self, considered: Considered, related: Related) -> None:
        """Say in the log what was done with the answers."""
        for one in considered.answers:
            await self.judge.note_outcome(one.log_id, outcome_of(considered, related))

    async def _judged(self, case: Case, origin: Origin) -> Considered | Unavailable:
        limits, laters = self._limits(), self._laters(case)
        first = await self._ask(case, laters, "as_written", origin)
        if isinstance(first, Unavailable):
            return first
        heard = relations.hear(first, list(laters))
        doubtful = [at for at, one in heard.items() if relations.is_in_doubt(one, limits)]
        if not doubtful:
            return _considered(case, heard, limits, (first,))
        again = await self._ask(case, {at: laters[at] for at in doubtful}, "turned", origin)
        if isinstance(again, Unavailable):
            return again
        turned = relations.hear(again, doubtful)
        heard |= {at: relations.joined(heard[at], turned[at]) for at in doubtful}
        return _considered(case, heard, limits, (first, again))

    def _limits(self) -> Limits:
        of = self.judge.threshold
        return Limits(
            duplicate=of(relations.SURFACE, "least_confidence"),
            contradiction=of(relations.SURFACE, "least_probability"),
            newer=of(supersession.SURFACE, "least_probability"),
        )

    def _laters(self, case: Case) -> dict[int, relations.Later | None]:
        is_asked = self.judge.is_on(supersession.SURFACE)
        return {at: pair.later if is_asked else None for at, pair in case.pairs.items()}

    async def _ask(
        self,
        case: Case,
        laters: Mapping[int, relations.Later | None],
        turn: Turn,
        origin: Origin,
    ) -> Answers | Unavailable:
        candidates = {at: record_of(case.pairs[at].other) for at in laters}
        asking = Asking(
            origin,
            project_id=case.row["project"] or None,
            riders=(supersession.SURFACE.name,) if any(laters.values()) else (),
            retries=1,
        )
        return await self.judge.ask(
            relations.SURFACE,
            relations.state_of(record_of(case.row), candidates, turn),
            relations.questions_for(laters, turn),
            asking,
        )


def _considered(
    case: Case, heard: Mapping[int, Heard], limits: Limits, answers: tuple[Answers, ...]
) -> Considered:
    rulings = {at: relations.decide(one, limits) for at, one in heard.items()}
    calibrated = all(one.calibrated for one in answers)
    newer = relations.replacements(heard, rulings) if calibrated else {}
    replaces = supersession.choose(newer, limits.newer)
    return Considered(
        case,
        rulings,
        replaces,
        None if replaces is None else newer[replaces],
        calibrated,
        basis_of(case, limits, answers),
        answers,
    )
