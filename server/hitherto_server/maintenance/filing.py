"""Judges in which category a memory belongs; it is offered in the clean-up and moved by nobody."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.text import content_hash
from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces.category_check import (
    STAYS,
    SURFACE,
    Leaf,
    decide,
    options_of,
    questions_for,
    state_of,
)
from hitherto_server.maintenance.asked import without
from hitherto_server.maintenance.queue import Done, Later
from hitherto_server.store.categories import find_filed, list_leaves
from hitherto_server.store.judged import Verdict, put_verdict

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.asking import Asks
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.jobs import Job

MOVED = Later("it was changed while it was judged", counts=False, after_s=0.0)


@dataclass(frozen=True)
class Filed:
    """A memory, where it is filed, and where it could be."""

    row: Row
    own: Leaf | None
    options: tuple[Leaf, ...]


@dataclass
class Filer:
    """Serves the jobs that ask where a memory belongs."""

    store: Store
    judge: Asks
    clock: Clock

    async def __call__(self, job: Job) -> Done | Later:
        """Judge the category of the memory that a job names."""
        filed = await self.store.readers.run(partial(find_case, memory_id=job.subject))
        if filed is None:
            return Done()
        answers = await self.judge.ask(
            SURFACE,
            state_of(filed.row["content"], filed.row["kind"], filed.own, filed.options),
            questions_for(filed.options),
            Asking("maintenance", project_id=filed.row["project"] or None, retries=1),
        )
        if isinstance(answers, Unavailable):
            return without(answers)
        choice = answers.choice("category")
        if choice is None:
            return Later("invalid")
        least = self.judge.threshold(SURFACE, "least_confidence")
        goal = decide(choice, filed.options, filed.row["category_id"], least)
        verdict = Verdict(
            number=filed.row["number"],
            revision=filed.row["revision"],
            surface=SURFACE.name,
            answer=STAYS if goal is None else str(goal.id),
            probability=choice.confidence,
            basis_hash=basis_of(filed, answers, least),
            at_ms=self.clock(),
        )
        outcome = {"memory": job.subject, "goal": goal.id if goal else None}

        async def then() -> None:
            await self.judge.note_outcome(answers.log_id, outcome)

        write = partial(_write, memory_id=job.subject, verdict=verdict)
        return Done(write, then)


def find_case(connection: Connection, memory_id: str) -> Filed | None:
    """Return a memory with the categories to choose from; None where there is no choice."""
    row = find_filed(connection, memory_id)
    if row is None:
        return None
    leaves = [Leaf(one.id, one.path) for one in list_leaves(connection, row["project"])]
    options = options_of(leaves, row["category_id"])
    own = next((one for one in options if one.id == row["category_id"]), None)
    return Filed(row, own, tuple(options)) if any(one != own for one in options) else None


def basis_of(filed: Filed, answers: Answers, least_confidence: float) -> str:
    """Return a hash of all that a verdict rests on."""
    parts = [
        answers.model,
        f"{SURFACE.name} {SURFACE.version} {SURFACE.question_hash} {least_confidence}",
        content_hash(filed.row["content"]),
        str(filed.row["category_id"]),
        *(f"{one.id} {one.name}" for one in filed.options),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _write(connection: Connection, memory_id: str, verdict: Verdict) -> Later | None:
    row = find_filed(connection, memory_id)
    if row is None:
        return None
    if row["revision"] != verdict.revision:
        return MOVED
    put_verdict(connection, verdict)
    return None
