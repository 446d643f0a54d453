"""What we register in the client, and how it is told from what others registered."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.install import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from hitherto_server.install.json_text import Keys

SERVER_NAME = "hitherto"
HOME_SHIM = "/.hitherto/bin/hook"
HOME_MCP_SHIM = "/.hitherto/bin/mcp"
SCRIPT = "/hitherto_hooks/run.py"
MCP_PROGRAM = "hitherto-mcp"
EDITS = "Edit|Write|MultiEdit|NotebookEdit|Bash|ExitPlanMode"
# By its server's name, in the settings' form and in the plugin's longer one.
OWN_TOOLS = "mcp__.*hitherto.*"


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
    Listener("PostToolUse", 3, EDITS),
    # A group of its own: in one matcher with a pattern, the plain names would be patterns too.
    Listener("PostToolUse", 3, OWN_TOOLS),
    Listener("PostToolUseFailure", 3, "Bash"),
    Listener("Stop", 3),
    Listener("PreCompact", 5),
    Listener("SessionEnd", 3),
)


def group_of(listener: Listener, entry: Mapping[str, object]) -> dict[str, object]:
    """Return the matcher group that holds one entry of ours."""
    matcher = {} if listener.matcher is None else {"matcher": listener.matcher}
    return {**matcher, "hooks": [dict(entry)]}


def shell_entry(listener: Listener, shim: str) -> dict[str, object]:
    """Return the entry that runs the shim by the client's shell."""
    command = f"{shim} {listener.event}"
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
    """Whether a hook entry runs our shim, or our script by whichever interpreter."""
    # Exactly program and event: a longer command line is somebody's own, even if we are part of it.
    match words_of(entry):
        case [program, _]:
            return program.endswith(HOME_SHIM) or program == str(own_shim)
        case _:
            return script_of(entry) is not None


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
