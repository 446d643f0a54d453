"""Has a memory beside its changed file judged, and keeps what that decides."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.text import identifiers_in
from hitherto_server.judge.answers import Answers
from hitherto_server.judge.surfaces.stale_check import KEY, Pair, decide, questions_for, state_of
from hitherto_server.recall.verdicts import question
from hitherto_server.standing.reading import FileText
from hitherto_server.standing.verdicts import basis_of
from hitherto_server.store.verdicts import NewVerdict, put

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Asking, Asks
    from hitherto_server.judge.surface import Surface
    from hitherto_server.judge.surfaces.stale_check import Verdict
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.standing.reading import FileState
    from hitherto_server.store.database import Store

UNCALIBRATED = "not calibrated: it only advises"
MOVED_ON = "the memory was changed meanwhile"


@dataclass(frozen=True)
class Subject:
    """A memory at one revision, and one of its files by its present path."""

    number: int
    id: str
    revision: int
    content: str
    path: str


@dataclass(frozen=True)
class Checked:
    """What became of a subject: judged (and maybe kept), without a judgment, or unreadable."""

    subject: Subject
    outcome: Literal["judged", "unjudged", "unreadable"]
    verdict: Verdict | None = None
    probability: float | None = None
    reason: str = ""
    is_kept: bool = False
    """Whether standing counts it from now on."""


@dataclass(frozen=True)
class StaleJudge:
    """Reads a file as standing does, asks, and writes the verdict down."""

    store: Store
    lookout: Lookout
    judge: Asks
    clock: Clock

    async def check(
        self, surface: Surface, root: Path, subject: Subject, asking: Asking
    ) -> Checked:
        """Have one memory beside one file judged; never raises for what the judge does."""
        state = await asyncio.to_thread(self.lookout.files.read, root, subject.path)
        if state.content is None or state.file_hash is None:
            return Checked(subject, "unreadable", reason=_why_unread(state))
        text = FileText(subject.path, state.content).text
        pair = Pair(subject.content, subject.path, text, tuple(identifiers_in(subject.content)))
        asked_at_ms = self.clock()  # who confirms it meanwhile answers what comes then
        answers = await self.judge.ask(surface, state_of(pair), questions_for(), asking)
        if not isinstance(answers, Answers):
            return Checked(subject, "unjudged", reason=answers.reason)
        probability = answers.noul(KEY)
        if probability is None:
            return Checked(subject, "unjudged", reason="invalid")
        checked = await self._kept(
            surface, subject, state.file_hash, probability, answers, asked_at_ms=asked_at_ms
        )
        await self.judge.note_outcome(
            answers.log_id,
            {"memory": subject.id, "verdict": checked.verdict, "kept": checked.is_kept},
        )
        return checked

    async def _kept(
        self,
        surface: Surface,
        subject: Subject,
        file_hash: str,
        probability: float,
        answers: Answers,
        *,
        asked_at_ms: int,
    ) -> Checked:
        said = decide(
            probability,
            holds_from=self.judge.threshold(surface, "holds_from"),
            stale_below=self.judge.threshold(surface, "stale_below"),
        )
        judged = partial(Checked, subject, "judged", said, probability)
        if not answers.calibrated:
            return judged(UNCALIBRATED)
        verdict = NewVerdict(
            number=subject.number,
            revision=subject.revision,
            surface=surface.name,
            answer=said,
            probability=probability,
            basis_hash=basis_of(question(), subject.revision, subject.path, file_hash),
            judged_at_ms=asked_at_ms,
        )
        if not await self.store.writer.run(lambda writing: put(writing, verdict)):
            return Checked(subject, "unjudged", reason=MOVED_ON)
        self.lookout.verdicts.any_kept = True
        return judged(is_kept=True)


def _why_unread(state: FileState) -> str:
    if state.condition == "gone":
        return "it is gone"
    return state.reason or "it is no text"
