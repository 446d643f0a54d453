"""Runs a bench: every labelled case through its surface's own words, or through its rule."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hitherto_server.benches.bars import missed_of
from hitherto_server.benches.basis import basis_of, is_pinned, rules_basis_of
from hitherto_server.benches.cosines import measuring
from hitherto_server.benches.report import Meter, Report, parts_of
from hitherto_server.benches.rules import RULES
from hitherto_server.benches.trials import TRIALS
from hitherto_server.core.errors import NobodyToAsk
from hitherto_server.judge.asking import Asking

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hitherto_server.benches.report import Sample
    from hitherto_server.benches.trial import Case, Trial
    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.asking import Asks
    from hitherto_server.judge.configuration import JudgeConfig
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface

AT_ONCE = 3
NOTES: dict[Sample, str] = {
    "labelled": "Labelled items that ship with Hitherto, about half of them hard.",
    "own": (
        "Your own memories, which nobody labelled: `accuracy` is how often judge and rule agree, "
        "not how often either is right."
    ),
}
NOT_ASKED = frozenset(("killed", "off", "surface_off", "no_backend"))
"""Reasons for which asking again is of no use."""


@dataclass
class Asker:
    """Asks for a bench: a few at a time, nothing out of the cache, everything counted."""

    judge: Asks
    surface: Surface
    meter: Meter = field(default_factory=Meter)
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def __call__(self, state: Any, questions: Mapping[str, Question]) -> Answers | None:
        """Ask once; None where no judgment came."""
        asking = Asking("bench", uses_cache=False)
        async with self.room:
            found = await self.judge.ask(self.surface, state, questions, asking)
        reason = getattr(found, "reason", None)
        if reason in NOT_ASKED:
            message = f"{self.surface.name} can't be asked: {reason}"
            raise NobodyToAsk(message)
        return self.meter.note(found)


async def measure_rules(surface: str, models_dir: Path, model: str) -> Report:
    """Return how the surface's rule does on the labelled sets."""
    trial, rule = TRIALS[surface], RULES[surface]
    async with measuring(models_dir, model) as cosines:
        said = await rule.answer(cosines)
        model_used = cosines.model
    judged = [
        pair
        for case, answers in zip(trial.cases(), said, strict=True)
        for pair in zip(case.labels, answers, strict=True)
    ]
    return Report(
        surface=surface,
        backend="rules",
        sample="labelled",
        model=model_used,
        calibrated=None,
        basis=rules_basis_of(trial.surface),
        parts=parts_of(trial, judged),
        usage=None,
        note=f"{NOTES['labelled']} {rule.told}",
    )


async def measure_judge(surface: str, judge: Asks, config: JudgeConfig) -> Report:
    """Return how the configured backend does, and which locked switches that opens."""
    trial = TRIALS[surface]
    report = await _measured(trial, trial.cases(), judge, config, "labelled")
    return with_passes(report, trial, config)


async def compare(surface: str, cases: list[Case], judge: Asks, config: JudgeConfig) -> Report:
    """Return how far judge and rule agree on a person's own memories; it opens no switch."""
    return await _measured(TRIALS[surface], cases, judge, config, "own")


async def _measured(
    trial: Trial, cases: list[Case], judge: Asks, config: JudgeConfig, sample: Sample
) -> Report:
    surface = trial.surface
    asker = Asker(judge, surface)
    thresholds = {name: judge.threshold(surface, name) for name in surface.thresholds}
    basis = basis_of(surface, config)
    said = await _all(cases, asker, thresholds)
    meter = asker.meter
    return Report(
        surface=surface.name,
        backend="configured",
        sample=sample,
        model=next(iter(meter.models)) if len(meter.models) == 1 else None,
        calibrated=meter.is_calibrated if meter.latencies_ms else None,
        basis=basis,
        parts=parts_of(trial, said),
        usage=meter.usage(),
        note=NOTES[sample],
    )


def with_passes(report: Report, trial: Trial, config: JudgeConfig) -> Report:
    """Return the report with the switches that it opens; a model that may move opens none."""
    asked = config.backend.wire_model if config.backend else ""
    moving = [] if is_pinned(asked, report.model) else [_moving(asked, report.model)]
    passed, missed = [], []
    for switch in trial.surface.locked:
        timeout_s = config.timeout_of(trial.surface)
        faults = [*moving, *missed_of(report, switch, timeout_s=timeout_s)]
        missed += [f"{switch}: {fault}" for fault in faults]
        if not faults:
            passed.append(switch)
    return replace(report, passed=tuple(passed), missed=tuple(missed))


def _moving(asked: str, answered: str | None) -> str:
    return f"{asked or 'no model'} is not pinned: {answered or 'several versions'} answered"


async def _all(cases: list[Case], asker: Asker, thresholds: Mapping[str, float]) -> list[Any]:
    """Ask about all cases, a few at a time; the first that can't be asked ends the rest."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_one(case, asker, thresholds)) for case in cases]
    except* NobodyToAsk as errors:
        raise errors.exceptions[0] from None
    return [pair for task in tasks for pair in task.result()]


async def _one(case: Case, asker: Asker, thresholds: Mapping[str, float]) -> list[Any]:
    said = await case.judge(asker, thresholds)
    return list(zip(case.labels, said, strict=True))
