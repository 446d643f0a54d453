"""What a `remember` costs without a judge, beside one that is not asked, and asking one."""

from __future__ import annotations

import os
import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from corpus_store import provide
from harness import SEED, at_most, begin, figure, interleaved, percentile, read_options, spread
from homes import person, serving

sys.path.insert(0, str(Path(__file__).parent.parent))  # the stub is the tests' own

from tests.system_one_stub import HANGING, SystemOneStub

if TYPE_CHECKING:
    from harness import Bar, Options
    from homes import Server

DRAW = random.Random(SEED)
SYLLABLES = ("ba", "cor", "dri", "fen", "gul", "hos", "jim", "ket", "lum", "nav", "por", "ruz")
NOT_ASKED = ("relations", "supersession", "importance-kind", "category-check")
"""What works in the background has benchmarks of its own."""
WRITE_BUDGET_MS = 1500.0


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    memories: int
    rounds: int
    during_outage: int


FULL, QUICK = Plan(10_000, 100, 20), Plan(1_000, 15, 5)


@dataclass
class Writer:
    """Remembers over the socket, with the judge as each write wants it."""

    server: Server
    project: Path
    stub: SystemOneStub

    def choose(self, *, on: bool) -> None:
        """Turn the judge on or off; it is in force at once."""
        backend = {"profile": "custom", "base_url": self.stub.url, "model": self.stub.model}
        off = {name: {"on": False} for name in NOT_ASKED}
        asked = {"on": on, "backend": backend, "surfaces": off}
        self.server.ask("/v1/judge/config", asked)

    def remember(self, content: str) -> float:
        """Remember something; returns the caller's wall time once it has its vector."""
        payload = {"project_dir": str(self.project), "content": content}
        began = time.perf_counter()
        reply = self.server.ask("/v1/remember", payload)
        taken = (time.perf_counter() - began) * 1000
        if reply["outcome"] != "stored":
            message = f"not stored: {reply}"
            raise RuntimeError(message)
        while self.server.ask("/v1/status")["pending"].get("embeddings", 1):
            time.sleep(0.005)
        return taken

    def without(self, _: int) -> float:
        """Time a write with judgments off."""
        self.choose(on=False)
        return self.remember(_new())

    def repeated(self, _: int) -> float:
        """Time a write that says what a memory says, with judgments off."""
        self.choose(on=False)
        old, again = _twice()
        self.remember(old)
        return self.remember(again)

    def unasked(self, _: int) -> float:
        """Time a write with a judge that has nothing to answer: nothing lies near."""
        self.choose(on=True)
        before = len(self.stub.asked)
        taken = self.remember(_new())
        self._expect(len(self.stub.asked) == before)
        return taken

    def asked(self, _: int) -> float:
        """Time a write about which a judge on this machine is asked once, and says no."""
        self.choose(on=False)
        old, again = _twice()
        self.remember(old)
        self.choose(on=True)
        before = len(self.stub.asked)
        taken = self.remember(again)
        self._expect(len(self.stub.asked) == before + 1)
        return taken

    def outage(self, count: int) -> list[float]:
        """Time writes about each of which a judge would be asked that hangs."""
        self.choose(on=False)
        pairs = [_twice() for _ in range(count)]
        for old, _ in pairs:
            self.remember(old)
        self.choose(on=True)
        self.stub.fault = HANGING
        return [self.remember(again) for _, again in pairs]

    def _expect(self, is_so: bool) -> None:  # noqa: FBT001 - a check
        if not is_so:
            message = f"the judge was asked {len(self.stub.asked)} times, which was not meant"
            raise RuntimeError(message)


def _new() -> str:
    """Return words that lie near no other memory."""
    words = ["".join(DRAW.sample(SYLLABLES, 3)) for _ in range(10)]
    return " ".join(words).capitalize() + "."


def _twice() -> tuple[str, str]:
    """Return one statement in two orders of its words; no slot differs."""
    name = os.urandom(4).hex()
    return (
        f"Run the smoke tests of {name} before each release.",
        f"Before each release, run the smoke tests of {name}.",
    )


def measure(options: Options, plan: Plan) -> tuple[dict[str, list[float]], list[float], int]:
    """Return the times of writes by kind, those during an outage, and what an outage asked."""
    with ExitStack() as stack:
        stub = stack.enter_context(SystemOneStub({f"c{n}": 0.1 for n in (1, 2, 3)}))
        who = stack.enter_context(person(options.data / "models"))
        project = provide(options.data, who, plan.memories)
        server = stack.enter_context(serving(who))
        server.load_model(project)
        writer = Writer(server, project, stub)
        works = {
            "without": writer.without,
            "unasked": writer.unasked,
            "repeated without": writer.repeated,
            "asked": writer.asked,
        }
        taken = interleaved(works, plan.rounds)
        before = len(stub.asked)
        return taken, writer.outage(plan.during_outage), len(stub.asked) - before


def bars_of(
    plan: Plan, taken: dict[str, list[float]], outage: list[float], asked: int
) -> list[Bar]:
    """Put the figures beside what they have to reach."""
    at = f"at {plan.memories:,}"
    without, repeated = median(taken["without"]), median(taken["repeated without"])
    rest = sorted(outage)[:-1]
    return [
        at_most(f"remember without a judge {at}, p50", without, "ms", 25),
        figure(
            f"remember with a judge that is not asked {at}, p50", median(taken["unasked"]), "ms"
        ),
        figure(f"remember of what is known, without a judge {at}, p50", repeated, "ms"),
        figure(f"remember that asks a judge of no delay {at}, p50", median(taken["asked"]), "ms"),
        figure("the same, p95", percentile(taken["asked"], 0.95), "ms"),
        at_most("the slowest of writes whose judge hangs", max(outage), "ms", WRITE_BUDGET_MS),
        at_most(
            "the other writes meanwhile, p50, against no judge", median(rest) / repeated, "x", 2
        ),
        at_most("requests that a judge got which hangs", asked, "requests", 1),
    ]


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    plan = QUICK if options.quick else FULL
    run = begin("judged_writes", options)
    taken, outage, asked = measure(options, plan)
    details: dict[str, Any] = {
        "writes_ms": {name: spread(values) for name, values in taken.items()},
        "during_outage_ms": spread(outage),
        "how": "the model warm, one connection a request, the four kinds in turn; the judge is "
        "a stub on this machine; surfaces of the background are off",
    }
    run.end(bars_of(plan, taken, outage, asked), details)


if __name__ == "__main__":
    main()
