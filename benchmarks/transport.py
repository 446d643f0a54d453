"""What hooks cost inside the real client: a command, the client's own post, and none at all."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

import real_client  # noqa: F401 - the harness of the real client is the tests' own
from harness import at_most, begin, figure, read_options, spread, unmeasured
from homes import person, serving
from prompts import PROMPTS
from realclient_install import VERSION, ClientMissing, find_claude
from realclient_model import ToolCall, Turn, play
from realclient_session import Place, open_session
from seeds import seeded

from hitherto_server.install import claude_code

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Bar
    from homes import Person

KINDS = ("none", "command", "http")
EVENTS = ("UserPromptSubmit", "PostToolUse", "Stop")
RATIO = "hook posted by the client against a command, p50 of the sum of a turn's three"
SAVED = "saved by posting, per turn as the client lives it, p50"


@dataclass(frozen=True)
class Size:
    """How much is measured: sessions of each kind, and turns in each after the first."""

    sessions: int
    turns: int
    memories: int


FULL, QUICK = Size(12, 8, 10_000), Size(1, 4, 500)


@dataclass(frozen=True)
class Home(Place):
    """A place whose folders are where the benchmark has them."""

    who: Person = field(kw_only=True)
    at: Path = field(kw_only=True)

    @property
    def home(self) -> Path:
        return self.who.folder

    @property
    def project(self) -> Path:
        return self.at


@dataclass
class Taken:
    """What the turns of one kind took, in milliseconds."""

    turns: list[float] = field(default_factory=list)
    events: dict[str, list[float]] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)


def connect(kind: str, who: Person) -> None:
    """Register the hooks of one kind, in the place of the one before."""
    transport: Any = "command" if kind == "none" else kind
    claude_code.install(who.folder, home=who.home, transport=transport)
    # without hooks the MCP server stays, so that hooks are all that differs
    path = who.folder / ".claude" / "settings.json"
    settings = json.loads(path.read_bytes())
    path.write_text(json.dumps({**settings, "disableAllHooks": kind == "none"}), encoding="utf-8")


def lead(claude: Path, place: Home, number: int, turns: int, taken: Taken) -> None:
    """Lead one session; its first turn warms up and does not count."""
    call = Turn("So.", (ToolCall("Bash", {"command": "true"}),))
    script = play(*(turn for _ in range(turns + 1) for turn in (call, Turn())))
    with open_session(claude, place, script) as session:
        for turn in range(turns + 1):
            seen = len(session.hook_runs)
            began = time.perf_counter()
            session.say(PROMPTS[(number * (turns + 1) + turn) % len(PROMPTS)])
            if turn:
                taken.turns.append((time.perf_counter() - began) * 1000)
                count(taken, session.hook_runs[seen:])


def count(taken: Taken, runs: Any) -> None:
    """Count the hooks of one turn as the client tells of them."""
    for run in runs:
        taken.events.setdefault(run.event, []).append(run.took_ms)
        taken.outcomes[run.outcome] = taken.outcomes.get(run.outcome, 0) + 1


def bars_of(taken: dict[str, Taken]) -> list[Bar]:
    """Return the figures."""
    found = []
    for kind in ("command", "http"):
        for event in EVENTS:
            value = median(taken[kind].events[event])
            found.append(figure(f"{event} by {kind}, in the client, p50", value, "ms"))
    sums = {
        kind: median(sum(turn) for turn in zip(*(taken[kind].events[e] for e in EVENTS)))  # noqa: B905
        for kind in ("command", "http")
    }
    found.append(at_most(RATIO, sums["http"] / sums["command"], "x", 1.0))
    turns = {kind: median(one.turns) for kind, one in taken.items()}
    for kind in ("command", "http"):
        name = f"a turn with hooks by {kind} over one with none, p50"
        found.append(figure(name, turns[kind] - turns["none"], "ms"))
    found.append(figure(SAVED, turns["command"] - turns["http"], "ms"))
    return found


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    size = QUICK if options.quick else FULL
    run = begin("transport", options)
    claude = find_claude(os.environ)
    if isinstance(claude, ClientMissing):
        run.end([unmeasured(RATIO, "x", "<= 1", claude.reason)], {})
        return
    taken = {kind: Taken() for kind in KINDS}
    with ExitStack() as stack:
        models = options.data / "models"
        who = stack.enter_context(person(models))
        project = seeded(options.data, who, size.memories)
        place = Home(who.folder / "client", who=who, at=project).create()
        stack.enter_context(serving(who)).load_model(project)
        for number in range(size.sessions):
            first = number % len(KINDS)
            for kind in KINDS[first:] + KINDS[:first]:
                connect(kind, who)
                lead(claude, place, number, size.turns, taken[kind])
    details = {
        "client": f"claude-code {VERSION}",
        "memories": size.memories,
        "turns_of_a_kind": size.sessions * size.turns,
        "turn_ms": {kind: spread(one.turns) for kind, one in taken.items()},
        "event_ms": {
            kind: {event: spread(values) for event, values in one.events.items()}
            for kind, one in taken.items()
        },
        "outcomes": {kind: one.outcomes for kind, one in taken.items()},
    }
    run.end(bars_of(taken), details)


if __name__ == "__main__":
    main()
