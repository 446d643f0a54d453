"""A day of recorded sessions, played through the registered hooks: what it takes and adds."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import peer_claude_mem
from day_replay import Side, do_in, ours, sessions, theirs
from day_worth import by_chance
from harness import (
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
from homes import person, serving
from seeds import make_project, seeded

sys.path.insert(0, str(Path(__file__).parent.parent))  # the stub is the tests' own

from tests.system_one_stub import Fault, SystemOneStub

if TYPE_CHECKING:
    from day_replay import Step
    from harness import Options
    from homes import Server

PEER = "claude-mem"
JUDGE_TAKES_S = 0.15
RATIO_BAR = "claude-mem's prompt hook against ours, p50"


@dataclass(frozen=True)
class Size:
    """How much is played."""

    memories: int
    sessions: int
    peer_sessions: int
    """The peer takes a second an event."""
    least_events: int


FULL, QUICK = Size(10_000, 99, 99, 200), Size(2_000, 2, 1, 40)


@dataclass(frozen=True)
class Day:
    """One day as both sides lived it."""

    sides: dict[str, Side]
    spooled: int
    worth: dict[str, Any]
    """What memory was worth to its sessions, all together."""
    refused: str | None = None


def main() -> None:
    """Play the day without a judge beside the peer, then with one; compare with the bars."""
    options = read_options(__doc__ or "")
    size = QUICK if options.quick else FULL
    run = begin("day", options)
    plain = live(options, size, judged=False)
    judged = None if options.quick else live(options, size, judged=True)
    bars = bars_of(plain, size) + (judged_figures(judged) if judged else [])
    details = {
        "memories": size.memories,
        "sessions": min(size.sessions, len(sessions())),
        "sides": {name: told(side) for name, side in plain.sides.items()},
        "worth": plain.worth,
        "judged": told(judged.sides["hitherto"]) if judged else None,
        "judge_takes_s": JUDGE_TAKES_S,
        "peer": f"claude-mem {peer_claude_mem.VERSION}, worker up, telemetry and Chroma off",
    }
    run.end(bars, details)


def live(options: Options, size: Size, *, judged: bool) -> Day:
    """Play the sessions by our hooks, then by the peer's; with a judge only by ours."""
    with ExitStack() as stack:
        models = options.data / "models"
        who = stack.enter_context(person(models))
        project = seeded(options.data, who, size.memories)
        scratch = who.folder / "scratch"
        scratch.mkdir()
        server = stack.enter_context(serving(who))
        server.load_model(project)
        if judged:
            judge(server, stack.enter_context(SystemOneStub()))
        sides = {"hitherto": ours(who.folder, who.environ)}
        day = sessions()[: size.sessions]
        play(sides["hitherto"], day, project, scratch)
        spool = who.home.spool / "events"
        spooled = spool.read_bytes().count(b"\n") if spool.exists() else 0
        worth = worth_of(server, day, project)
        slug = "".join(c if c.isalnum() else "-" for c in str(project))
        transcripts = who.folder / ".claude" / "projects" / slug
        worth["by_chance"] = dict(by_chance(who.home.database, transcripts, names_of(day)))
        refused = "not beside a judge" if judged else add_peer(sides, stack, options, project)
        if PEER in sides:  # not in turn with ours: its worker goes on behind its hooks
            play(sides[PEER], day[: size.peer_sessions], untouched(project), scratch)
    return Day(sides, spooled, worth, refused)


def names_of(day: list[list[Step]]) -> list[str]:
    """Return the sessions' ids."""
    return [session[0].event["session_id"] for session in day]


def worth_of(server: Server, day: list[list[Step]], project: Path) -> dict[str, Any]:
    """Return what became of what the sessions were given, and what their replies took."""
    asked = {"project_dir": str(project)}
    answers = [server.ask("/v1/worth", {**asked, "session_id": name}) for name in names_of(day)]
    return {name: answers[-1][name] for name in ("recalls", "tokens", "notices")}


def untouched(project: Path) -> Path:
    """Return the project as it was before the day."""
    return make_project(project.parent / "again", 0)


def add_peer(
    sides: dict[str, Side], stack: ExitStack, options: Options, project: Path
) -> str | None:
    """Add the peer if it can be had here; returns why not, if so."""
    if options.peer not in {None, PEER}:
        return "not asked for"
    home = project.parent.parent / "peer"
    try:
        running = peer_claude_mem.running(options.data, home, project)
        sides[PEER] = theirs(home, stack.enter_context(running))
    except peer_claude_mem.PeerMissing as error:
        return str(error)
    return None


def judge(server: Server, stub: SystemOneStub) -> None:
    """Have every judgment asked of a stub that takes its time."""
    stub.fault = Fault(delay_s=JUDGE_TAKES_S)
    backend = {"profile": "custom", "base_url": stub.url, "model": stub.model}
    server.ask("/v1/judge/config", {"on": True, "backend": backend})


def play(side: Side, day: list[list[Step]], project: Path, scratch: Path) -> None:
    """Play the events in their order."""
    for step in (step for session in day for step in session):
        do_in(project, step)
        side.play(step, project, scratch)


def bars_of(day: Day, size: Size) -> list[Bar]:
    """Put each figure beside what it has to reach."""
    side = day.sides["hitherto"]
    heard = side.told
    prompts = heard.took_ms["UserPromptSubmit"]
    empty = [*heard.answers.get("elsewhere", []), *heard.answers.get("short", [])]
    late = f"{day.spooled} events of all were answered too late and spooled"
    bars = [
        at_least("events played through our hooks", side.calls, "", size.least_events),
        at_most("time added per prompt, p50", median(prompts), "ms", 40, late),
        figure("time added per prompt, p95", percentile(prompts, 0.95), "ms"),
        figure("time added per turn by all hooks, p50", median(heard.turns_ms), "ms"),
        figure("time added per turn by all hooks, p95", percentile(heard.turns_ms, 0.95), "ms"),
        figure("tokens added in the day", sum(heard.tokens.values()), "tokens"),
        figure(
            "tokens added per prompt", heard.tokens["UserPromptSubmit"] / len(prompts), "tokens"
        ),
        at_most("fixed text per prompt", heard.fixed_characters, "characters", 0),
        figure(
            "prompts that should get nothing and got something",
            sum(map(bool, empty)),
            f"of {len(empty)}",
        ),
        figure(
            "prompts about the project that got something",
            heard.answered("about"),
            f"of {len(heard.answers.get('about', []))}",
            "those asked again get nothing twice",
        ),
        at_most("evidence given twice", len(heard.repeats), "", 0, "; ".join(heard.repeats[:2])),
        figure("blocks", sum(heard.blocks.values()), ""),
        at_most("blocks beyond one a prompt, three a session", heard.blocks_too_many, "", 0),
        *worth_bars(day.worth),
    ]
    return bars + peer_bars(day, median(prompts))


def worth_bars(worth: dict[str, Any]) -> list[Bar]:
    """Return what became of what was given, as far as the recorded sessions show."""
    recalls = worth["recalls"]
    shown = recalls["useful"] + recalls["ignored"]
    chance = worth["by_chance"]
    chances = chance.get("used", 0) + chance.get("ignored", 0)
    note = f"{recalls['unclear']} more are unclear; the sessions were recorded without a memory"
    return [
        figure("given memories that were seen used", recalls["useful"], f"of {shown}", note),
        figure(
            "seen used, in sessions that were given them",
            100 * recalls["useful"] / max(shown, 1),
            "%",
        ),
        figure(
            "seen used, in the day's other sessions: by chance",
            100 * chance.get("used", 0) / max(chances, 1),
            "%",
        ),
        figure("replies of the day, counted once", worth["tokens"]["replies"] or 0, ""),
    ]


def peer_bars(day: Day, our_ms: float) -> list[Bar]:
    """Return what the peer took and added on the same events."""
    if PEER not in day.sides:
        return [unmeasured(RATIO_BAR, "x", None, day.refused or "")]
    side = day.sides[PEER]
    heard = side.told
    prompts = heard.took_ms["UserPromptSubmit"]
    return [
        figure(f"{PEER}: hook calls on the same events", side.calls, ""),
        figure(f"{PEER}: time added per prompt, p50", median(prompts), "ms"),
        figure(f"{PEER}: time added per prompt, p95", percentile(prompts, 0.95), "ms"),
        figure(f"{PEER}: time added per turn, p50", median(heard.turns_ms), "ms"),
        figure(f"{PEER}: tokens added in the day", sum(heard.tokens.values()), "tokens"),
        figure(f"{PEER}: fixed text per prompt", heard.fixed_characters, "characters"),
        figure(RATIO_BAR, median(prompts) / our_ms, "x"),
    ]


def judged_figures(day: Day) -> list[Bar]:
    """Return what the day takes with a judge that needs its time and answers by chance."""
    heard = day.sides["hitherto"].told
    prompts = heard.took_ms["UserPromptSubmit"]
    name = f"with a judge that takes {JUDGE_TAKES_S * 1000:.0f} ms"
    chance = "its answers are by chance: they say nothing of what is given"
    return [
        figure(f"{name}: time added per prompt, p50", median(prompts), "ms", chance),
        figure(f"{name}: time added per prompt, p95", percentile(prompts, 0.95), "ms", chance),
        at_most(f"{name}: evidence given twice", len(heard.repeats), "", 0, chance),
        at_most(
            f"{name}: blocks beyond one a prompt, three a session", heard.blocks_too_many, "", 0
        ),
    ]


def told(side: Side) -> dict[str, Any]:
    """Return a side's figures event by event."""
    heard = side.told
    return {
        "calls": side.calls,
        "wall_ms": {event: spread(values) for event, values in sorted(heard.took_ms.items())},
        "turn_ms": spread(heard.turns_ms),
        "tokens": dict(heard.tokens),
        "answered": {kind: heard.answered(kind) for kind in heard.answers},
        "prompts": {kind: len(texts) for kind, texts in heard.answers.items()},
        "characters_per_prompt": {kind: round(heard.characters(kind), 1) for kind in heard.answers},
        "repeats": heard.repeats,
        "blocks": sum(heard.blocks.values()),
    }


if __name__ == "__main__":
    main()
