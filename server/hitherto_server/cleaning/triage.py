"""Judges what may be expendable, wave by wave, and tells after each how far it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from hitherto_server.cleaning.entries import Score
from hitherto_server.cleaning.expendable import basis, key_of, ranked, score_as_kept
from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.store.cleaning import NewScore, put_scores

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

    from hitherto_server.cleaning.expendable import Found
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.answers import Answers, Reason
    from hitherto_server.judge.asking import Asks, Origin
    from hitherto_server.store.database import Store

A_REQUEST = 10
A_WAVE = 6
"""Requests at a time."""
HOPELESS: frozenset[Reason] = frozenset(
    {"killed", "off", "surface_off", "no_backend", "not_before", "breaker_open", "cancelled"}
)
"""Whoever is told so is not asked again: the rest of the run would hear the same."""

T = TypeVar("T")


@dataclass(frozen=True)
class Snapshot:
    """How far a run is, and the ranking so far."""

    found: Sequence[Found]
    judged: int = 0
    """By this run."""
    reused: int = 0
    """Scored before, and still so."""
    failed: Mapping[Reason, int] | None = None
    """Why how many candidates got no score."""
    done: bool = False

    @property
    def waiting(self) -> int:
        """How many candidates have no score."""
        return sum(one.entry.score is None for one in self.found)


@dataclass
class _Run:
    """What one run has found out so far."""

    by_number: dict[int, Found]
    reused: int
    judged: int
    failed: dict[Reason, int]
    is_hopeless: bool = False

    def snapshot(self, *, done: bool = False) -> Snapshot:
        found = ranked(self.by_number.values())
        return Snapshot(found, self.judged, self.reused, dict(self.failed), done)

    def fail(self, reason: Reason, count: int) -> None:
        if count:
            self.failed[reason] = self.failed.get(reason, 0) + count
        self.is_hopeless = self.is_hopeless or reason in HOPELESS


@dataclass(frozen=True)
class Triage:
    """Asks how expendable memories are: ten a request, six requests at a time."""

    store: Store
    judge: Asks
    clock: Clock
    backend: Callable[[], str | None]
    """Who would be asked now; another one's scores don't count. None: nobody."""

    async def run(self, found: Sequence[Found], *, origin: Origin) -> AsyncIterator[Snapshot]:
        """Yield a snapshot at once and after each wave, and at the end one that is done.

        Whoever stops listening ends it: what is being asked is given up.
        """
        scored = sum(one.entry.score is not None for one in found)
        run = _Run({one.number: one for one in found}, scored, 0, {})
        waiting = [one for one in found if one.entry.score is None]
        yield run.snapshot()
        a_wave = A_WAVE if self._may_ask() else 1  # one is enough to hear why not
        for wave in _cut(_requests(waiting), a_wave):
            await self._judge(run, wave, origin)
            if run.is_hopeless:
                left = sum(one.entry.score is None for one in run.by_number.values())
                run.fail(_last(run.failed), left - sum(run.failed.values()))
                break
            yield run.snapshot()
        yield run.snapshot(done=True)

    def _may_ask(self) -> bool:
        from hitherto_server.judge.surfaces.trash_triage import SURFACE

        return self.judge.is_on(SURFACE)

    async def _judge(self, run: _Run, wave: Sequence[Sequence[Found]], origin: Origin) -> None:
        """Ask of all candidates of a wave at once; keep what came before anybody is told."""
        replies = await asyncio.gather(*(self._ask(request, origin) for request in wave))
        scores: list[NewScore] = []
        for request, reply in zip(wave, replies, strict=True):
            if isinstance(reply, Unavailable):
                run.fail(reply.reason, len(request))
            else:
                scores += self._taken(run, request, reply)
        if scores:
            at_ms = self.clock()
            await self.store.writer.run(partial(put_scores, scores=scores, at_ms=at_ms))
        for reply in replies:
            if not isinstance(reply, Unavailable):
                await self.judge.note_outcome(reply.log_id, {"scored": len(reply.by_key)})

    async def _ask(self, request: Sequence[Found], origin: Origin) -> Answers | Unavailable:
        from hitherto_server.judge.surfaces import trash_triage as surface

        candidates = [replace(one.candidate, key=key_of(at)) for at, one in enumerate(request)]
        state: Any = surface.state_of(candidates)
        questions = surface.questions_for(candidates)
        asking = Asking(origin, project_id=request[0].project)
        return await self.judge.ask(surface.SURFACE, state, questions, asking)

    def _taken(self, run: _Run, request: Sequence[Found], answers: Answers) -> list[NewScore]:
        """Take over what was answered; an unusable answer fails its candidate alone."""
        from hitherto_server.judge.surfaces.trash_triage import HIGHEST

        backend, at_ms, scores = self.backend() or "", self.clock(), []
        for at, one in enumerate(request):
            said = answers.score(key_of(at))
            if said is None:
                run.fail("invalid", 1)
                continue
            score = Score(said.score, said.confidence, answers.model, at_ms)
            run.by_number[one.number] = one.scored(score)
            run.judged += 1
            scores.append(
                NewScore(
                    one.number,
                    one.revision,
                    score_as_kept(score, backend),
                    said.score / HIGHEST,
                    basis(one.candidate, answers.model, backend),
                )
            )
        return scores


def _last(failed: dict[Reason, int]) -> Reason:
    """Return why the run was given up."""
    return next(reason for reason in reversed(failed) if reason in HOPELESS)


def _requests(waiting: Iterable[Found]) -> Iterator[list[Found]]:
    """Cut candidates into requests of one project each: an ignored one keeps no other back."""
    by_project: dict[int | None, list[Found]] = {}
    for one in waiting:
        by_project.setdefault(one.project, []).append(one)
    for some in by_project.values():
        yield from _cut(some, A_REQUEST)


def _cut(some: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(some)
    while piece := list(islice(rest, size)):
        yield piece
