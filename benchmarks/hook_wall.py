"""How long a hook holds the client up: the whole registered command, from shell to exit."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import peer_claude_mem
from harness import (
    Bar,
    at_least,
    at_most,
    begin,
    figure,
    interleaved,
    percentile,
    read_options,
    spread,
    unmeasured,
    wall_ms,
)
from homes import Person, install, person, serving
from prompts import ABOUT, PROMPTS
from seeds import PROJECTS, seeded

from hitherto_server.install.shims import hook_choice, hook_shim

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Options

EVENTS = ("UserPromptSubmit", "PostToolUse")
PEER = "claude-mem"
RATIO_BAR = "prompt hook of claude-mem against ours, p50"


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    memories: int
    rounds: int
    warm_up: int


FULL, QUICK = Size(10_000, 160, 10), Size(2_000, 24, 4)


@dataclass(frozen=True)
class Caller:
    """Calls hooks as the client does: `sh -c COMMAND`, event on stdin, answer on stdout."""

    who: Person
    project: Path
    scratch: Path

    def shell(self, event: str) -> list[str]:
        """Return the registered command of an event."""
        return ["/bin/sh", "-c", f"$HOME/.hitherto/bin/hook {event}"]

    def call(self, name: str, event: str, fields: Callable[[int], dict[str, Any]], n: int) -> float:
        """Call a hook for the nth time and return its wall time; each call is a session's first."""
        given = self.written(f"{name}-{n}", {"hook_event_name": event, **fields(n)})
        environ = {**self.who.environ, "CLAUDE_PROJECT_DIR": str(self.project)}
        return wall_ms(self.shell(event), environ, given, self.scratch / f"{name}-{n}.out")

    def written(self, session: str, fields: dict[str, Any]) -> Path:
        """Write what the client would send."""
        body = {
            "session_id": f"bench-{session}",
            "transcript_path": str(self.project / "none.jsonl"),
            "cwd": str(self.project),
            "permission_mode": "default",
            **fields,
        }
        path = self.scratch / f"{session}.in"
        path.write_text(json.dumps(body), encoding="utf-8")
        return path


def trivial(_: int) -> dict[str, Any]:
    """A prompt that asks for nothing."""
    return {"prompt": "ok"}


def edited(number: int) -> dict[str, Any]:
    """A tool call that is noted and not answered."""
    return {
        "tool_name": "Edit",
        "tool_input": {"file_path": "src/refunds.py", "old_string": "a", "new_string": str(number)},
        "tool_response": {"filePath": "src/refunds.py"},
    }


def prompt(number: int) -> dict[str, Any]:
    """One of the forty prompts, in turn."""
    return {"prompt": PROMPTS[number % len(PROMPTS)]}


def bare(command: list[str], who: Person, scratch: Path, _: int) -> float:
    """Return what a command that does nothing takes."""
    return wall_ms(command, who.environ, Path("/dev/null"), scratch / "bare.out")


def peer_call(peer: peer_claude_mem.ClaudeMem, caller: Caller, number: int) -> float:
    """Call the peer's prompt hook with the same prompts."""
    fields = {"hook_event_name": "UserPromptSubmit", **prompt(number)}
    given = caller.written(f"peer-{number}", fields)
    return wall_ms(peer.command, peer.environ, given, caller.scratch / f"peer-{number}.out")


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    size = QUICK if options.quick else FULL
    run = begin("hook_wall", options)
    with ExitStack() as stack:
        models = options.data / "models"
        who = stack.enter_context(person(models))
        away = install(who.folder / "away", models)
        shutil.copy2(hook_shim(who.home), hook_shim(away.home))  # chosen once: one interpreter
        project = seeded(options.data, who, size.memories)
        scratch = who.folder / "scratch"
        scratch.mkdir()
        stack.enter_context(serving(who)).load_model(project)
        caller = Caller(who, project, scratch)
        runs = interpreter_of(who)
        works = ours(caller, away, runs)
        refused = add_peers(works, stack, options, caller)
        taken = interleaved(works, size.rounds, size.warm_up)
        said = answers(scratch, size.rounds)
        said |= {"spooled": spooled(who), "spooled_while_away": spooled(away)}
    details = {
        "memories": size.memories,
        "projects": PROJECTS,
        "answers": said,
        "interpreters": {"hooks": build_of(runs), "server": build_of(sys.executable)},
        "wall_ms": {name: spread(values) for name, values in taken.items()},
        "commands": COMMANDS,
    }
    run.end(bars_of(taken, said, refused), details)


COMMANDS = {
    "bare": (
        "PYTHON -I -S -c pass of the interpreter that the hooks run, started directly: the floor, "
        "and what both ratios divide by"
    ),
    "bare_shell": "the same interpreter by `sh -c exec …`",
    "bare_server": "the same with the interpreter that the server runs",
    "trivial": "sh -c '$HOME/.hitherto/bin/hook UserPromptSubmit', prompt `ok`, answered 204",
    "tool": "the same with PostToolUse of an edit, noted and answered 204",
    "away": "UserPromptSubmit with no server: the event goes to the spool",
    "prompt": "UserPromptSubmit with recall: forty prompts, 24 about the project and 16 not",
    "claude-mem": (
        f"bash -c of the UserPromptSubmit command in hooks.json of claude-mem "
        f"{peer_claude_mem.VERSION}, bun {peer_claude_mem.BUN_VERSION}, worker up, empty store, "
        "telemetry and Chroma off, the same prompts; it recalls nothing by default"
    ),
    "node": "node -e 0",
}


def interpreter_of(who: Person) -> str:
    """Return the interpreter that the person's hooks run."""
    choice = hook_choice(who.home)
    if choice is None:
        message = "no hooks are installed"
        raise RuntimeError(message)
    return str(choice.interpreter)


BUILD = """
import json, sys, sysconfig
arguments = sysconfig.get_config_var("CONFIG_ARGS") or ""
print(json.dumps({
    "version": sys.version.split()[0],
    "configured_with_optimizations": "--enable-optimizations" in arguments,
    "shared_libpython": sys.platform == "linux" and "libpython" in open("/proc/self/maps").read(),
}))
"""


def build_of(interpreter: str) -> dict[str, Any]:
    """Return name and version of an interpreter, and what it says of how it was built.

    Debian's is profile-optimised without saying so: its sysconfig is that of another build.
    """
    command = [interpreter, "-I", "-S", "-c", BUILD]
    done = subprocess.run(command, capture_output=True, check=True)
    return {"name": Path(interpreter).resolve().name, **json.loads(done.stdout)}


def ours(caller: Caller, away: Person, python: str) -> dict[str, Callable[[int], float]]:
    """Return what is measured of us, and the floors of the interpreter that runs it."""
    nothing = ["-I", "-S", "-c", "pass"]
    by_shell = ["/bin/sh", "-c", f"exec '{python}' -I -S -c pass"]
    lonely = Caller(away, caller.project, caller.scratch)
    return {
        "bare": partial(bare, [python, *nothing], caller.who, caller.scratch),
        "bare_shell": partial(bare, by_shell, caller.who, caller.scratch),
        "bare_server": partial(bare, [sys.executable, *nothing], caller.who, caller.scratch),
        "trivial": partial(caller.call, "trivial", EVENTS[0], trivial),
        "tool": partial(caller.call, "tool", EVENTS[1], edited),
        "away": partial(lonely.call, "away", EVENTS[0], trivial),
        "prompt": partial(caller.call, "prompt", EVENTS[0], prompt),
    }


def add_peers(
    works: dict[str, Callable[[int], float]], stack: ExitStack, options: Options, caller: Caller
) -> str | None:
    """Add the peers that can be measured here; returns why claude-mem can't, if so."""
    node = shutil.which("node")
    if node is not None and options.peer in {None, "node"}:
        works["node"] = partial(bare, [node, "-e", "0"], caller.who, caller.scratch)
    if options.peer not in {None, PEER}:
        return "not asked for"
    home = caller.who.folder / "peer"
    try:
        running = peer_claude_mem.running(options.data, home, caller.project)
        works[PEER] = partial(peer_call, stack.enter_context(running), caller)
    except peer_claude_mem.PeerMissing as error:
        return str(error)
    return None


def answers(scratch: Path, rounds: int) -> dict[str, int]:
    """Count the prompts that got memories, and those that should have."""
    injected = [n for n in range(rounds) if (scratch / f"prompt-{n}.out").stat().st_size]
    about = [n for n in range(rounds) if PROMPTS[n % len(PROMPTS)] in ABOUT]
    return {
        "prompts": rounds,
        "about_the_project": len(about),
        "of_these_answered": len(set(injected) & set(about)),
        "others_answered": len(set(injected) - set(about)),
    }


def spooled(who: Person) -> int:
    """Count the events that no server took."""
    try:
        return (who.home.spool / "events").read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def bars_of(taken: dict[str, list[float]], said: dict[str, int], refused: str | None) -> list[Bar]:
    """Put each figure beside what it has to reach."""
    middle = {name: median(values) for name, values in taken.items()}
    ratio = {name: value / middle["bare"] for name, value in middle.items()}
    late = f"{said['spooled']} events of all were answered too late and spooled"
    prompt_p95 = percentile(taken["prompt"], 0.95)
    bars = [
        figure("bare interpreter, p50", middle["bare"], "ms"),
        figure("bare interpreter by the shell, p50", middle["bare_shell"], "ms"),
        figure("the server's interpreter, bare, p50", middle["bare_server"], "ms"),
        at_most("trivial prompt against the bare interpreter", ratio["trivial"], "x", 1.5),
        figure("trivial prompt, p50", middle["trivial"], "ms"),
        figure("tool event, p50", middle["tool"], "ms"),
        at_most("server away against the bare interpreter", ratio["away"], "x", 1.5),
        at_most("prompt hook with recall, p50", middle["prompt"], "ms", 35, late),
        at_most("prompt hook with recall, p95", prompt_p95, "ms", 80, late),
    ]
    if "node" in middle:
        bars.append(figure("bare node, p50", middle["node"], "ms"))
    if PEER not in middle:
        return [*bars, unmeasured(RATIO_BAR, "x", ">= 5", refused or "")]
    bars.append(figure(f"prompt hook of {PEER}, p50", middle[PEER], "ms"))
    return [*bars, at_least(RATIO_BAR, middle[PEER] / middle["prompt"], "x", 5)]


if __name__ == "__main__":
    main()
