"""Whether standing tells the truth: memories of real changes, replayed over later versions.

The packages' published versions make a history; memories are written from what one version changed
and looked at in every later one. The truth is read by other means than the code under test
(`part_oracle.py`). Half of the packages are for development; the bars are those of the others.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from harness import (
    SEED,
    Bar,
    at_least,
    at_most,
    begin,
    figure,
    percentile,
    read_options,
    spread,
    unmeasured,
)
from histories import PACKAGES, History, Package, history_of
from standing_memories import Draft, Files, drafts, last_piece, read_tree, truth_of

from hitherto_server.standing.anchors import Anchor, anchor
from hitherto_server.standing.decide import MemoryFacts
from hitherto_server.standing.files import FileStates, Remembered, standings
from hitherto_server.standing.moves import Moves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from standing_memories import Truth

    from hitherto_server.standing.decide import StandingView

QUICK = frozenset({"click", "@tanstack/query-core", "golang-github-spf13-cobra", "pydantic-core"})
FACTS = MemoryFacts("agent", learned_at_ms=0)
SETTLED_S = 2.2
HITS = 10
MOST_CASES = 12
TIME_BAR = "standing of ten hits, warm, p95"
BARS = (
    ("intact memories that stay current", "%", ">= 80"),
    ("removed parts that are noticed", "%", ">= 100"),
)


@dataclass(frozen=True)
class Size:
    """How much is replayed."""

    a_step: int
    steps: int | None
    rounds: int


FULL, SHORT = Size(40, None, 300), Size(12, 4, 60)


@dataclass(frozen=True)
class Stored:
    """A memory with its anchors, and the version that it was written about."""

    draft: Draft
    anchors: tuple[Anchor, ...]
    born: int


@dataclass(frozen=True)
class Seen:
    """One memory at one later version: what was said, and what is true."""

    package: Package
    stored: Stored
    at: int
    view: StandingView
    truths: tuple[Truth, ...]

    @property
    def is_intact(self) -> bool:
        return all(truth == "intact" for truth in self.truths)

    @property
    def is_noticed(self) -> bool:
        return self.view.standing in {"changed", "stale"}


@dataclass
class Tally:
    """What all observations of some packages add up to."""

    seen: list[Seen] = field(default_factory=list)

    def judged(self) -> list[Seen]:
        """Keep those whose truth is known."""
        return [one for one in self.seen if "unclear" not in one.truths]

    def figures(self) -> dict[str, Any]:
        """Return the shares that the bars ask for, with their counts; None of nothing."""
        judged = self.judged()
        removed = [one for one in judged for truth in one.truths if truth == "removed"]
        differing = [one for one in judged if {"differs", "removed"} & set(one.truths)]
        changed = [one for one in judged if one.view.standing == "changed"]
        stale = [one for one in judged if one.view.standing == "stale"]
        intact = [one for one in judged if one.is_intact]
        return {
            "observations": len(self.seen),
            "open": len(self.seen) - len(judged),
            "intact": len(intact),
            "intact stay current": share(one.view.standing == "current" for one in intact),
            "removed parts": len(removed),
            "removed noticed": share(one.is_noticed for one in removed),
            "not intact": len(differing),
            "not intact noticed": share(one.is_noticed for one in differing),
            "said changed": len(changed),
            "changed is right": share(not one.is_intact for one in changed),
            "said stale": len(stale),
            "stale is right": share(set(one.truths) == {"removed"} for one in stale),
            "standings": dict(Counter(one.view.standing for one in self.seen)),
        }


def share(values: Iterable[bool]) -> float | None:
    """Return a share in percent, or None of nothing."""
    found = list(values)
    # rounded down: one part of thousands that was not noticed must show
    return math.floor(10_000 * sum(found) / len(found)) / 100 if found else None


def replay(history: History, size: Size) -> tuple[list[Seen], list[Stored]]:
    """Write memories at each version and look at all of them in every later one."""
    chance = random.Random(f"{SEED} {history.package.name}")
    states, moves = FileStates(), Moves(history.root)
    trees: list[Files] = []
    stored: list[Stored] = []
    seen: list[Seen] = []
    for number, step in enumerate(history.steps):
        history.check_out(step)
        trees.append(read_tree(history.root))
        for one in stored:
            view = look([one], history.root, states, moves)[0]
            truths = tuple(
                truth_of(part, trees[one.born], trees[number]) for part in one.draft.named
            )
            seen.append(Seen(history.package, one, number, view, truths))
        if 0 < number < len(history.steps) - 1:
            made = drafts(trees[-2], trees[-1], step.version, size.a_step, chance)
            stored += [store(draft, history.root, states, step.commit, number) for draft in made]
    return seen, stored


def store(draft: Draft, root: Path, states: FileStates, commit: str, born: int) -> Stored:
    """Tie a memory to its files by the code that ships."""
    files, edited = draft.files, draft.edited
    return Stored(
        draft, anchor(draft.text, files, root, states.read, edited=edited, commit=commit), born
    )


def look(
    stored: Sequence[Stored], root: Path, states: FileStates, moves: Moves
) -> tuple[StandingView, ...]:
    """Say how far memories hold by the code that ships, with all the time it takes."""
    return standings([Remembered(FACTS, one.anchors) for one in stored], root, states, moves)


@dataclass(frozen=True)
class Took:
    """What a look at ten hits took, by the clock and of the processor."""

    wall_ms: float
    cpu_ms: float


def warm(history: History, stored: Sequence[Stored], rounds: int) -> list[Took]:
    """Time the standing of ten hits at the last version, when every file has been seen once."""
    if len(stored) < HITS:
        return []
    chance = random.Random(SEED)
    states, moves = FileStates(), Moves(history.root)
    time.sleep(SETTLED_S)  # a file that was written a moment ago is read again each time
    look(stored, history.root, states, moves)
    taken = []
    for _ in range(rounds):
        hits = chance.sample(list(stored), HITS)
        began, used = time.perf_counter(), time.thread_time()
        look(hits, history.root, states, moves)
        cpu_ms = (time.thread_time() - used) * 1000
        taken.append(Took((time.perf_counter() - began) * 1000, cpu_ms))
    return taken


def tied(stored: Sequence[Stored]) -> float | None:
    """Return how many of the parts that memories name were anchored in their files."""
    return share(
        any(
            found.path == part.path
            and any(_same_name(part.kind, part.name, one.kind, one.name) for one in found.parts)
            for found in one_memory.anchors
        )
        for one_memory in stored
        for part in one_memory.draft.named
    )


def _same_name(kind: str, name: str, found_kind: str, found: str) -> bool:
    if kind == "line":
        return found_kind == "line" and found == name
    return found_kind == kind and last_piece(found) == last_piece(name)


def cases(judged: Sequence[Seen]) -> dict[str, list[str]]:
    """Spell some of the observations that went wrong, for whoever wants to look."""
    wrong: dict[str, Callable[[Seen], bool]] = {
        "intact but not current": lambda one: one.is_intact and one.view.standing != "current",
        "removed but not noticed": lambda one: "removed" in one.truths and not one.is_noticed,
        "different but not noticed": lambda one: "differs" in one.truths and not one.is_noticed,
        "stale but something is left": lambda one: (
            one.view.standing == "stale" and set(one.truths) != {"removed"}
        ),
    }
    return {name: _some([one for one in judged if is_so(one)]) for name, is_so in wrong.items()}


def _some(seen: list[Seen]) -> list[str]:
    random.Random(SEED).shuffle(seen)
    return [
        f"{one.package.name} {one.stored.born}->{one.at}: {one.stored.draft.described()}"
        f" | said {one.view.standing}: {one.view.reason} | true: {', '.join(one.truths)}"
        for one in seen[:MOST_CASES]
    ]


@dataclass
class Findings:
    """What all packages together showed."""

    packages: dict[str, Any] = field(default_factory=dict)
    halves: dict[str, Tally] = field(
        default_factory=lambda: {"development": Tally(), "test": Tally()}
    )
    languages: dict[str, Tally] = field(default_factory=dict)
    """Of the test half."""
    taken: list[Took] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def add(self, history: History, size: Size) -> None:
        """Replay a package's history and keep what it showed."""
        package = history.package
        seen, stored = replay(history, size)
        timed = warm(history, stored, size.rounds)
        self.taken += timed
        self.packages[package.name] = {
            "half": package.half,
            "language": package.language,
            "versions": [step.version for step in history.steps],
            "memories": len(stored),
            "named parts tied": tied(stored),
            "templates": dict(Counter(one.draft.template for one in stored)),
            **Tally(seen).figures(),
            "ten hits warm ms": spread([one.wall_ms for one in timed], 3) if timed else None,
            "cases": cases(Tally(seen).judged()),
        }
        self.halves[package.half].seen += seen
        if package.half == "test":
            self.languages.setdefault(package.language, Tally()).seen += seen

    def details(self) -> dict[str, Any]:
        """Return what the result's file keeps beside the bars."""
        return {
            "packages": self.packages,
            "not fetched": self.missing,
            **{half: tally.figures() for half, tally in self.halves.items()},
            "test by language": {name: one.figures() for name, one in self.languages.items()},
            "how": "memories of what a version changed, looked at in every later version; the truth"
            " is read by ast, by the parsers of configuration files, and by lines for Go, Rust and"
            " TypeScript; files whose renaming is open (40 to 60 % of lines alike) are not judged",
        }


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    size = SHORT if options.quick else FULL
    run = begin("standing", options)
    findings = Findings()
    for package in PACKAGES:
        if options.quick and package.name not in QUICK:
            continue
        history = history_of(package, options.data, size.steps)
        if history is None:
            findings.missing.append(package.name)
        else:
            findings.add(history, size)
            print(package.name, summary(findings.packages[package.name]), flush=True)
    run.end(bars_of(findings), findings.details())


def summary(figures: dict[str, Any]) -> str:
    """Return a package's figures on one line."""
    told = (
        "memories",
        "observations",
        "intact stay current",
        "removed noticed",
        "changed is right",
    )
    return ", ".join(f"{name} {figures[name]}" for name in told)


def bars_of(findings: Findings) -> list[Bar]:
    """Put each figure beside what it has to reach."""
    test = findings.halves["test"].figures()
    if not test["observations"]:
        reason = "no history could be fetched"
        bars = [unmeasured(name, unit, bar, reason) for name, unit, bar in BARS]
        return [*bars, unmeasured(TIME_BAR, "ms", "<= 5", reason)]
    missing = findings.missing
    note = f"without {', '.join(missing)}" if missing else None
    bars = [
        _share_bar(BARS[0], test["intact stay current"], 80, note),
        _share_bar(BARS[1], test["removed noticed"], 100, note),
        *_shares(test, findings),
    ]
    if findings.taken:
        wall = [one.wall_ms for one in findings.taken]
        cpu = [one.cpu_ms for one in findings.taken]
        bars += [
            at_most(TIME_BAR, percentile(wall, 0.95), "ms", 5),
            figure("standing of ten hits, warm, p50", median(wall), "ms"),
            figure("standing of ten hits, warm, processor time, p95", percentile(cpu, 0.95), "ms"),
        ]
    return bars


def _shares(test: dict[str, Any], findings: Findings) -> Iterator[Bar]:
    """Give the shares without a bar, those that there are."""
    development = findings.halves["development"].figures()
    named = [
        ("parts that differ or are gone, noticed", test["not intact noticed"]),
        ("`changed` that is right", test["changed is right"]),
        ("`stale` that is right", test["stale is right"]),
        *(
            (f"intact stay current, {language}", tally.figures()["intact stay current"])
            for language, tally in sorted(findings.languages.items())
        ),
        ("intact stay current, development half", development["intact stay current"]),
        ("removed noticed, development half", development["removed noticed"]),
    ]
    for name, value in named:
        if value is not None:
            yield figure(name, value, "%")


def _share_bar(
    bar: tuple[str, str, str], value: float | None, least: float, note: str | None
) -> Bar:
    name, unit, asked = bar
    if value is None:
        return unmeasured(name, unit, asked, "there was none")
    return at_least(name, value, unit, least, note)


if __name__ == "__main__":
    main()
