"""What we register in the client, and how it is told from what others registered."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from hitherto_contract.version import PROTOCOL
from hitherto_server.install import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from hitherto_server.install.json_text import Keys
    from hitherto_server.install.receipt import Client

SERVER_NAME = "hitherto"
HOME_SHIM = "/.hitherto/bin/hook"
HOME_MCP_SHIM = "/.hitherto/bin/mcp"
SCRIPT = "/hitherto_hooks/run.py"
MCP_PROGRAM = "hitherto-mcp"
EDITS = "Edit|Write|MultiEdit|NotebookEdit|Bash|ExitPlanMode"
# The same tool by its former and its present name.
DISPATCHES = "Task|Agent"
# Whoever's: what they did is evidence of a turn.
MCP_TOOLS = "mcp__.*"
# By its server's name, in the settings' form and in the plugin's longer one.
OWN_TOOLS = "mcp__.*hitherto.*"
CODEX = "codex"
"""The word after the event by which a hook says whose it is; Claude Code's say nothing."""
DEADLINES_S = {"UserPromptSubmit": 0.3, "Stop": 1.5, "SubagentStop": 1.5}
JUDGED_DEADLINES_S = {**DEADLINES_S, "UserPromptSubmit": 1.2, "SubagentStart": 1.2}
"""While a judge is asked."""
OTHER_DEADLINE_S = 0.2
"""As the command hook's own, which imports nothing of this; a test compares them."""
MARK = "X-Hitherto-Protocol"
"""The header by which we know an `http` hook of ours."""


@dataclass(frozen=True)
class Listener:
    """An event that we want to hear, for which tools, and what it may cost."""

    event: str
    timeout_s: int
    matcher: str | None = None

    @property
    def place(self) -> tuple[str, str | None]:
        return (self.event, self.matcher)


LISTENERS = (
    Listener("SessionStart", 5),
    Listener("UserPromptSubmit", 3),
    Listener("PreToolUse", 3, DISPATCHES),
    Listener("SubagentStart", 3),
    Listener("PostToolUse", 3, EDITS),
    # A group of its own: in one matcher with a pattern, the plain names would be patterns too.
    Listener("PostToolUse", 3, MCP_TOOLS),
    Listener("PostToolUse", 3, DISPATCHES),
    Listener("PostToolUseFailure", 3, "Bash"),
    Listener("Stop", 3),
    Listener("SubagentStop", 3),
    Listener("PreCompact", 5),
    Listener("PostCompact", 5),
    Listener("SessionEnd", 3),
)

CODEX_LISTENERS = (
    Listener("SessionStart", 5),
    Listener("UserPromptSubmit", 3),
    Listener("PreToolUse", 3, "spawn_agent|collaborationspawn_agent"),
    Listener("SubagentStart", 3),
    Listener("PostToolUse", 3, "Bash|apply_patch"),
    Listener("PostToolUse", 3, OWN_TOOLS),
    Listener("Stop", 3),
    Listener("PreCompact", 5),
    Listener("SessionEnd", 3),
)
"""Codex tells of a failed command in PostToolUse, and lets a SessionEnd take 3 s at most."""


def listeners_of(client: Client) -> tuple[Listener, ...]:
    """Return the events that we hear from that client."""
    match client:
        case "claude-code":
            return LISTENERS
        case "codex":
            return CODEX_LISTENERS
        case _:
            assert_never(client)


def group_of(listener: Listener, entry: Mapping[str, object]) -> dict[str, object]:
    """Return the matcher group that holds one entry of ours."""
    matcher = {} if listener.matcher is None else {"matcher": listener.matcher}
    return {**matcher, "hooks": [dict(entry)]}


def shell_entry(listener: Listener, shim: str, client: Client = "claude-code") -> dict[str, object]:
    """Return the entry that runs the shim by the client's shell."""
    command = f"{shim} {listener.event}"
    if client == CODEX:
        command += f" {CODEX}"
    return {"type": "command", "command": command, "timeout": listener.timeout_s}


def server_entry(program: str, environ: Mapping[str, str]) -> dict[str, object]:
    """Return the MCP entry that starts the program."""
    # Without `alwaysLoad` the client hides the tools until it is asked for them.
    return {
        "type": "stdio",
        "command": program,
        "args": [],
        "env": dict(environ),
        "alwaysLoad": True,
    }


def is_our_hook(entry: object, own_shim: Path) -> bool:
    """Whether a hook entry runs our shim, our script by whichever interpreter, or asks us."""
    if is_our_request(entry):
        return True
    # Exactly program and event: a longer command line is somebody's own, even if we are part of it.
    match words_of(entry):
        case [program, _] | [program, _, "codex"]:
            return program.endswith(HOME_SHIM) or program == str(own_shim)
        case _:
            return script_of(entry) is not None


def http_entry(
    listener: Listener, port: int, token: str, *, is_judged: bool = False
) -> dict[str, object]:
    """Return the entry by which the client posts the event itself."""
    deadlines_s = JUDGED_DEADLINES_S if is_judged else DEADLINES_S
    deadline_s = deadlines_s.get(listener.event, OTHER_DEADLINE_S)
    return {
        "type": "http",
        "url": f"http://127.0.0.1:{port}/hook/{listener.event}",
        # Less than a second is taken as it is said: a server that hangs costs no more.
        "timeout": deadline_s,
        "headers": {
            "Authorization": f"Bearer {token}",
            MARK: str(PROTOCOL),
            "X-Hitherto-Deadline-Ms": str(round(deadline_s * 1000)),
        },
    }


def is_our_request(entry: object) -> bool:
    """Whether an `http` entry posts to a server of ours."""
    match entry:
        case {"type": "http", "url": str(url), "headers": dict(headers)}:
            return MARK in headers and url.startswith("http://127.0.0.1:")
        case _:
            return False


def script_of(entry: object) -> str | None:
    """Return our script's path if the entry runs that by an interpreter, without the shim."""
    match words_of(entry):
        case [_, *options, script, _] if script.endswith(SCRIPT):
            return script if all(option.startswith("-") for option in options) else None
        case _:
            return None


def words_of(entry: object) -> list[str]:
    """Return program and arguments of a command hook, nothing where they cannot be told."""
    match entry:
        case {"command": str(command), "args": [*arguments]}:
            return [command, *(str(argument) for argument in arguments)]
        case {"command": str(command)}:
            try:
                return shlex.split(command)
            except ValueError:
                return []
        case _:
            return []


def is_our_server(entry: object, own_shim: Path) -> bool:
    """Whether an MCP entry starts our server."""
    match entry:
        case {"command": str(command)}:
            name = command.rpartition("/")[2]
            return (
                name == MCP_PROGRAM or command.endswith(HOME_MCP_SHIM) or command == str(own_shim)
            )
        case _:
            return False


@dataclass(frozen=True)
class Found:
    """A hook entry of ours in the settings: where it is, and what it listens to."""

    keys: Keys
    place: tuple[str, str | None]
    entry: object


def find_our_hooks(settings: object, own_shim: Path) -> Iterator[Found]:
    """Every entry of ours; whatever has an unknown shape is nobody we know."""
    events = json_text.value_at(settings, ("hooks",))
    for event, groups in events.items() if isinstance(events, dict) else ():
        for n, group in enumerate(groups if isinstance(groups, list) else ()):
            entries = group.get("hooks") if isinstance(group, dict) else None
            for m, entry in enumerate(entries if isinstance(entries, list) else ()):
                if is_our_hook(entry, own_shim):
                    place = (event, group.get("matcher"))
                    yield Found(("hooks", event, n, "hooks", m), place, entry)
