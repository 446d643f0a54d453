"""Judges what kind of statement a memory is and how much hangs on it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces import importance_kind as surface
from hitherto_server.maintenance.asked import Spent, spent_on, without
from hitherto_server.maintenance.queue import Done, Later
from hitherto_server.maintenance.relating import MOVED
from hitherto_server.store import judged as rows
from hitherto_server.store.memories import change_memory, get_row, state_of

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.asking import Asks, Origin
    from hitherto_server.judge.surfaces.importance_kind import Applied, Judged
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.jobs import Job

KIND = "classify"


@dataclass(frozen=True)
class Classified:
    """What a memory was judged to be, before anything is written."""

    row: Row
    judged: Judged
    wanted: Applied
    """What of it is sure enough to be written where the writer left it open."""
    basis_hash: str
    answers: Answers

    @property
    def spent(self) -> Spent:
        return spent_on([self.answers])


@dataclass
class Classifier:
    """Records kind and importance of memories; writes what nobody has stated."""

    store: Store
    judge: Asks
    clock: Clock

    async def __call__(self, job: Job) -> Done | Later:
        """Classify the memory that a job names."""
        classified = await self.consider(job.subject, "maintenance")
        if isinstance(classified, Unavailable):
            return without(classified)
        if classified is None:
            return Done()
        applied: list[Applied] = []

        def written(connection: Connection) -> Later | None:
            found = write(connection, classified, at_ms=self.clock())
            if found is None:
                return MOVED
            applied.append(found)
            return None

        async def then() -> None:
            await self.note(classified, applied[0])

        return Done(written, then)

    async def consider(self, memory_id: str, origin: Origin) -> Classified | Unavailable | None:
        """Ask what a memory is; None where it is gone, replaced or judged as it reads now."""
        row = await self.store.readers.run(partial(_find_unjudged, memory_id=memory_id))
        if row is None:
            return None
        statement = surface.Statement(row["content"], row["category"], row["project_name"])
        asking = Asking(origin, project_id=row["project"] or None, retries=1)
        answers = await self.judge.ask(
            surface.SURFACE, surface.state_of(statement), surface.questions_for(), asking
        )
        if isinstance(answers, Unavailable):
            return answers
        judged = surface.read(answers)
        if judged.kind is None and judged.importance is None:
            return Unavailable("invalid", "no answer was usable", answers.log_id)
        return Classified(row, judged, self._wanted(judged, answers), _basis(row, answers), answers)

    async def note(self, classified: Classified, applied: Applied) -> None:
        """Say in the log what was done with the answer."""
        outcome = {
            "memory": classified.row["id"],
            "kind": classified.judged.kind,
            "importance": classified.judged.importance,
            "applied_kind": applied.kind,
            "applied_importance": applied.importance,
        }
        await self.judge.note_outcome(classified.answers.log_id, outcome)

    def _wanted(self, judged: Judged, answers: Answers) -> Applied:
        if not answers.calibrated:
            return surface.Applied()
        of = self.judge.threshold
        wanted = surface.decide(
            judged,
            least=of(surface.SURFACE, "least_confidence"),
            least_importance=of(surface.SURFACE, "least_importance_confidence"),
        )
        if self.judge.is_on(surface.SURFACE, surface.APPLY_IMPORTANCE):
            return wanted
        return replace(wanted, importance=None)


def write(connection: Connection, classified: Classified, *, at_ms: int) -> Applied | None:
    """Write what was judged, in the caller's transaction; None if the memory has moved on."""
    row = rows.find_record(connection, classified.row["id"])
    if row is None or row["revision"] != classified.row["revision"]:
        return None
    applied = _applicable(connection, row, classified.wanted)
    rows.put_verdict(connection, _verdict(classified, at_ms))
    if applied.kind is None and applied.importance is None:
        return applied
    whole = get_row(connection, row["id"])
    state = state_of(connection, whole)
    state = replace(
        state,
        kind=applied.kind or state.kind,
        importance=applied.importance or state.importance,
    )
    change_memory(connection, whole, state, change="edit", actor=rows.JUDGE, at_ms=at_ms)
    return applied


def _applicable(connection: Connection, row: Row, wanted: Applied) -> Applied:
    """Return what would change something that the writer left open, and nobody undid."""
    still_open = rows.list_open(connection, row["number"])
    kind, importance = wanted.kind, wanted.importance
    return surface.Applied(
        kind if "kind" in still_open and kind != row["kind"] else None,
        importance if "importance" in still_open and importance != row["importance"] else None,
    )


def _find_unjudged(connection: Connection, memory_id: str) -> Row | None:
    row = rows.find_record(connection, memory_id)
    if row is None or rows.is_judged(connection, row["number"], surface.SURFACE.name):
        return None
    return row


def _basis(row: Row, answers: Answers) -> str:
    one = surface.SURFACE
    parts = [answers.model, f"{one.name} {one.version} {one.question_hash}", row["content"]]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _verdict(classified: Classified, at_ms: int) -> rows.Verdict:
    judged = classified.judged
    answer = {**vars(judged), "calibrated": classified.answers.calibrated}
    return rows.Verdict(
        number=classified.row["number"],
        revision=classified.row["revision"],
        surface=surface.SURFACE.name,
        answer=json.dumps(answer, sort_keys=True),
        probability=judged.kind_confidence,
        basis_hash=classified.basis_hash,
        at_ms=at_ms,
    )
