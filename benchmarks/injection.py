"""What prompts are given unasked: precision, coverage, silence, and what other memories cost."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import Bar, at_least, at_most, begin, figure, read_options, rounded
from labelled import PROMPTS, read_projects
from labelled_store import labelled_store
from vectors import KeptVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from labelled import LabelledProject, LabelledPrompt
    from labelled_store import LabelledStore

SIZES, QUICK_SIZES = (0, 1_000, 10_000), (0, 300)
HALVES = ("report", "fit")
ANOTHER = "(another memory)"


@dataclass(frozen=True)
class Outcome:
    """What one prompt was given, by the names of its project's memories."""

    project: str
    half: str
    prompt: LabelledPrompt
    given: tuple[str, ...]

    @property
    def right(self) -> int:
        return len(self.prompt.wants.intersection(self.given))


@dataclass(frozen=True)
class Measured:
    """The four figures of many outcomes; None where nothing counts towards one."""

    precision: float | None
    coverage: float | None
    recall: float | None
    silence: float | None

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Measured:
        """Count, over prompts and over single memories."""
        wanting = [one for one in outcomes if one.prompt.wants]
        silent = [one for one in outcomes if not one.prompt.wants]
        given = sum(len(one.given) for one in outcomes)
        return cls(
            precision=_share(sum(one.right for one in outcomes), given),
            coverage=_share(sum(one.right > 0 for one in wanting), len(wanting)),
            recall=_share(
                sum(one.right for one in wanting), sum(len(one.prompt.wants) for one in wanting)
            ),
            silence=_share(sum(not one.given for one in silent), len(silent)),
        )


def _share(some: int, all_of_them: int) -> float | None:
    return rounded(some / all_of_them) if all_of_them else None


@dataclass(frozen=True)
class Step:
    """All outcomes among so many other memories."""

    others: int
    outcomes: tuple[Outcome, ...]
    repeated: int
    """Memories that a replayed session was given twice."""

    def of(self, half: str) -> Measured:
        return Measured.of([one for one in self.outcomes if one.half == half])


async def measure(
    projects: Sequence[LabelledProject],
    others: int,
    vectors: KeptVectors,
    *,
    has_model: bool = True,
) -> Step:
    """Ask every prompt in a session of its own, then replay each session in order."""
    with tempfile.TemporaryDirectory(prefix="hb-") as folder:
        async with labelled_store(
            Path(folder), projects, others, vectors, has_model=has_model
        ) as store:
            outcomes = [
                await _alone(store, project, prompt)
                for project in projects
                for prompt in project.prompts
            ]
            repeated = sum([await _replayed(store, project) for project in projects])
    return Step(others, tuple(outcomes), repeated)


async def _alone(store: LabelledStore, project: LabelledProject, prompt: LabelledPrompt) -> Outcome:
    ids = await store.prompt(project.name, f"{project.name}-alone-{prompt.number}", prompt.text)
    given = tuple(store.names.get(one, ANOTHER) for one in ids)
    half = "fit" if project.half == "fit" else "report"
    return Outcome(project.name, half, prompt, given)


async def _replayed(store: LabelledStore, project: LabelledProject) -> int:
    """Ask each session's prompts twice over: whatever comes again was given already."""
    given: dict[int, list[str]] = defaultdict(list)
    for prompt in (*project.prompts, *project.prompts):
        session = f"{project.name}-session-{prompt.session}"
        given[prompt.session] += await store.prompt(project.name, session, prompt.text)
    return sum(len(ids) - len(set(ids)) for ids in given.values())


def classes(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of each class of prompt."""
    by_class: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        by_class[one.prompt.kind].append(one)
    return {
        name: {"prompts": len(found), **vars(Measured.of(found))}
        for name, found in sorted(by_class.items())
    }


def mistakes(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return each prompt that was given something else than it wants."""
    return [
        {
            "project": one.project,
            "class": one.prompt.kind,
            "prompt": one.prompt.text[:160],
            "wants": sorted(one.prompt.wants),
            "given": list(one.given),
        }
        for one in outcomes
        if set(one.given) - one.prompt.wants
    ]


def bars_of(steps: Sequence[Step], bare: Step) -> list[Bar]:
    """Put the reported half's figures beside the bars, and the fitting half's after them."""
    last = steps[-1]
    found = last.of("report")
    among = f"among {last.others:,} others"
    bars = [
        at_least(f"precision {among}", found.precision or 0.0, "share", 0.90),
        at_least(f"coverage {among}", found.coverage or 0.0, "share of prompts", 0.60),
        at_least(f"silence {among}", found.silence or 0.0, "share of prompts", 0.95),
        at_most("repeated evidence", sum(step.repeated for step in steps), "memories", 0),
    ]
    bars += [
        figure(f"{half} half, {step.others:,} others: {name}", value, "share")
        for half in HALVES
        for step in steps
        for name, value in vars(step.of(half)).items()
        if value is not None
    ]
    bars += [
        figure(f"report half, {bare.others:,} others, no model: {name}", value, "share")
        for name, value in vars(bare.of("report")).items()
        if value is not None
    ]
    return bars + [
        figure(f"{name} lost from 0 to {step.others:,} others", (first or 0) - (now or 0), "share")
        for step in steps[1:]
        for name, first, now in _pairs(steps[0].of("report"), step.of("report"))
    ]


def _pairs(first: Measured, now: Measured) -> list[tuple[str, float | None, float | None]]:
    return [(name, value, getattr(now, name)) for name, value in vars(first).items()]


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--prompts", type=Path, default=PROMPTS)
    own, rest = parser.parse_known_args()
    options = read_options(f"{__doc__} --prompts DIR measures other labelled projects.", rest)
    run = begin("injection", options)
    projects = read_projects(own.prompts)
    if options.quick:  # the fitting half is information
        projects = [one if one.half != "fit" else replace(one, prompts=()) for one in projects]
    vectors = KeptVectors(options.data)
    steps = []
    for others in QUICK_SIZES if options.quick else SIZES:
        steps.append(asyncio.run(measure(projects, others, vectors)))
        vectors.keep()
    bare = asyncio.run(measure(projects, steps[1].others, vectors, has_model=False))
    details = {
        "projects": {one.name: one.half for one in projects},
        "prompts": Counter(one.half for one in steps[0].outcomes),
        "prompts_that_want_nothing": Counter(
            one.half for one in steps[0].outcomes if not one.prompt.wants
        ),
        "classes": {
            half: {
                step.others: classes([one for one in step.outcomes if one.half == half])
                for step in steps
            }
            for half in HALVES
        },
        "mistakes_of_the_reported_half": mistakes(
            [one for one in steps[-1].outcomes if one.half == "report"]
        ),
        "how": "each prompt goes through the hook's own path in a session of its own; then every "
        "session is replayed twice over in order; half of the other memories lie in the labelled "
        "projects, half in twelve others; vectors are real and kept under --data",
    }
    run.end(bars_of(steps, bare), details)


if __name__ == "__main__":
    main()
