"""What an outage of the judge costs the prompts of sessions, as their hooks live it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from harness import at_least, at_most, begin, figure, read_options, spread
from homes import person, serving
from prompts import ABOUT
from seeds import seeded

import hitherto_hooks
from hitherto_server.judge.breaker import FIRST_WINDOW_S

sys.path.insert(0, str(Path(__file__).parent.parent))  # the stub is the tests' own

from tests.system_one_stub import BROKEN, DRIPPING, GARBAGE, HANGING, SystemOneStub

if TYPE_CHECKING:
    from harness import Bar, Options
    from homes import Person, Server

HOOK = [sys.executable, "-I", "-S", str(Path(hitherto_hooks.__file__).parent / "run.py")]
OUTAGES = {"hanging": HANGING, "slow drip": DRIPPING, "500": BROKEN, "garbage": GARBAGE}
REFUSED, HEALTHY, OFF = "refused", "answers at once", "switched off"
NOT_ASKED = ("relations", "supersession", "importance-kind", "category-check")
"""What works in the background keeps no prompt waiting."""
NOBODY = "http://127.0.0.1:9"
PROMPTS_EACH = 20
"""More than that, and a session has been told all that there is to tell."""


@dataclass(frozen=True)
class Plan:
    """How much is measured: sessions side by side, and for how long each kind of outage."""

    sessions: int
    seconds: float
    memories: int


FULL, QUICK = Plan(3, 75.0, 2_000), Plan(2, 4.0, 300)


@dataclass
class Lived:
    """What the sessions lived through while the judge was as it was."""

    took_ms: list[float] = field(default_factory=list)
    """How long the hook of each prompt took."""
    timeouts: list[tuple[str, float]] = field(default_factory=list)
    """Session, and when a judgment for it began that came to nothing by the clock (s)."""
    reasons: dict[str, int] = field(default_factory=dict)
    asked: int = 0
    """Requests that the backend got."""
    judged: int = 0
    """Judgments that were tried for these prompts, whatever came of them."""

    @property
    def waits(self) -> int:
        """The most timeouts of one session within one breaker window."""
        return max(
            (
                sum(
                    other == who and at <= then < at + FIRST_WINDOW_S
                    for other, then in self.timeouts
                )
                for who, at in self.timeouts
            ),
            default=0,
        )


@dataclass
class Desk:
    """A server, its project, and the stub that judges."""

    who: Person
    server: Server
    project: Path
    stub: SystemOneStub

    def choose(self, kind: str) -> None:
        """Have the judge be as it is to be; each kind is a backend of its own."""
        url = NOBODY if kind == REFUSED else self.stub.url
        self.stub.fault = OUTAGES.get(kind)
        self.stub.model = kind.replace(" ", "-")
        backend = {"profile": "custom", "base_url": url, "model": self.stub.model}
        off = {name: {"on": False} for name in NOT_ASKED}
        asked = {"on": kind != OFF, "backend": backend, "surfaces": off}
        self.server.ask("/v1/judge/config", asked)

    def live(self, kind: str, plan: Plan) -> Lived:
        """Lead the sessions, one prompt after another, while the judge is of that kind."""
        self.choose(kind)
        lived, before = Lived(), len(self.stub.asked)
        names = [f"{kind} {number}" for number in range(plan.sessions)]
        for name in names:
            self.hook("SessionStart", name, source="startup")
        began_all = time.monotonic()
        for number in range(PROMPTS_EACH * len(names)):
            due = began_all + number * plan.seconds / (PROMPTS_EACH * len(names))
            time.sleep(max(due - time.monotonic(), 0))
            name, text = names[number % len(names)], ABOUT[number // len(names)]
            lived.took_ms.append(self.hook("UserPromptSubmit", name, prompt=text))
        lived.asked = len(self.stub.asked) - before
        for name in names:
            self._count(name, lived)
        return lived

    def _count(self, session: str, lived: Lived) -> None:
        from urllib.parse import quote

        found = self.server.ask(f"/v1/judge/log?limit=500&session_id={quote(session)}")
        for entry in found["entries"]:
            ended = entry["unavailable_reason"] or "answered"
            lived.reasons[ended] = lived.reasons.get(ended, 0) + 1
            lived.judged += 1
            if ended == "timeout":
                lived.timeouts.append((session, entry["asked_at_ms"] / 1000))

    def hook(self, event: str, session: str, **body: Any) -> float:
        """Run a hook to its end and return its wall time."""
        given = {"session_id": session, "cwd": str(self.project), "hook_event_name": event, **body}
        began = time.perf_counter()
        done = subprocess.run(
            [*HOOK, event],
            input=json.dumps(given).encode(),
            env={**self.who.environ, "CLAUDE_PROJECT_DIR": str(self.project)},
            cwd=self.project,
            capture_output=True,
            check=True,
            timeout=60,
        )
        if done.stderr:
            message = f"a hook complained: {done.stderr[:200]!r}"
            raise RuntimeError(message)
        return (time.perf_counter() - began) * 1000


def measure(options: Options, plan: Plan) -> dict[str, Lived]:
    """Return what the sessions lived through, by how the judge was."""
    with ExitStack() as stack:
        stub = stack.enter_context(SystemOneStub())
        who = stack.enter_context(person(options.data / "models"))
        project = seeded(options.data, who, plan.memories)
        server = stack.enter_context(serving(who))
        server.load_model(project)
        desk = Desk(who, server, project, stub)
        brief = Plan(plan.sessions, min(plan.seconds, 15.0), plan.memories)
        desk.live(f"{HEALTHY}, first", Plan(1, 1.0, plan.memories))  # warms up
        lived = {kind: desk.live(kind, brief) for kind in (OFF, HEALTHY, REFUSED)}
        # what lasts costs time: these go on beyond one window
        return lived | {kind: desk.live(kind, plan) for kind in OUTAGES}


def bars_of(lived: dict[str, Lived]) -> list[Bar]:
    """Put the figures beside what they have to reach."""
    usual = median(lived[OFF].took_ms)
    healthy = lived[HEALTHY]
    found = [
        figure("prompt hook with judgments off, p50", usual, "ms"),
        figure("prompt hook with a judge that answers at once, p50", median(healthy.took_ms), "ms"),
        at_least(
            "prompts for which a judge is asked", healthy.judged / len(healthy.took_ms), "", 0.5
        ),
    ]
    for kind in (REFUSED, *OUTAGES):
        one = lived[kind]
        found += [
            at_most(
                f"judge {kind}: timeouts of a session per breaker window",
                one.waits,
                "",
                1,
            ),
            figure(f"judge {kind}: requests that it got", one.asked, ""),
            figure(f"judge {kind}: the slowest prompt hook", max(one.took_ms), "ms"),
            figure(f"judge {kind}: prompt hook, p50", median(one.took_ms), "ms"),
        ]
    return found


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    plan = QUICK if options.quick else FULL
    run = begin("judge_outage", options)
    lived = measure(options, plan)
    details = {
        "sessions": plan.sessions,
        "window_s": FIRST_WINDOW_S,
        "hook_ms": {kind: spread(one.took_ms) for kind, one in lived.items()},
        "requests": {kind: one.asked for kind, one in lived.items()},
        "judgments": {kind: one.reasons for kind, one in lived.items()},
        "how": "hooks as processes, one prompt after another, sessions in turn; the judge is a "
        "stub on this machine; surfaces of the background are off",
    }
    run.end(bars_of(lived), details)


if __name__ == "__main__":
    main()
