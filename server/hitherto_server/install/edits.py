"""What each file of a registration shall come to hold, or no longer hold."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.login import hook_token
from hitherto_server.core.token import read_token
from hitherto_server.install.changes import (
    DeadHooks,
    DeadServer,
    HookChange,
    MovedRequests,
    ServerChange,
)
from hitherto_server.install.codex_table import TableChange
from hitherto_server.install.places import places_of
from hitherto_server.install.registration import (
    http_entry,
    listeners_of,
    server_entry,
    shell_entry,
)
from hitherto_server.install.shims import Programs, hook_shim, is_usual, mcp_shim

if TYPE_CHECKING:
    from hitherto_server.core.home import Home
    from hitherto_server.install.changes import TextChange
    from hitherto_server.install.places import Places
    from hitherto_server.install.receipt import Registration
    from hitherto_server.install.registration import Listener
    from hitherto_server.install.work import Work

Edits = list[tuple[Path, "TextChange"]]


def wanted_edits(registration: Registration, work: Work, programs: Programs) -> Edits:
    """Return the files of a registration, each with what it shall come to hold."""
    places = places_of(registration)
    before = work.original_value(places.settings)
    hooks = HookChange(hook_shim(work.home), wanted_hooks(registration, work.home), before)
    return [
        (places.settings, hooks),
        (places.servers, server_change(registration, places, work, programs)),
    ]


def unwanted_edits(registration: Registration, work: Work) -> Edits:
    """Return the files of a registration, each with the change that takes ours out."""
    places = places_of(registration)
    before = work.original_value(places.settings)
    return [
        (places.settings, HookChange(hook_shim(work.home), (), before)),
        (places.servers, server_change(registration, places, work, None)),
    ]


def dead_edits(
    registration: Registration, work: Work, programs: Programs, port: int | None
) -> Edits:
    """Return the files of a registration, each with the change that mends what is dead in it."""
    places, client = places_of(registration), registration.client
    shim = hook_program(work.home, Path(registration.client_home))
    edits: Edits = [(places.settings, DeadHooks(hook_shim(work.home), shim, client))]
    if registration.transport == "http" and port is not None:
        edits.append((places.settings, MovedRequests(port, hook_token(read_token(work.home)))))
    if client == "claude-code":
        # Codex starts the shim, which is mended by itself
        server = DeadServer(mcp_shim(work.home), places.parents, str(programs.mcp))
        edits.append((places.servers, server))
    return edits


def wanted_hooks(
    registration: Registration, home: Home
) -> tuple[tuple[Listener, dict[str, object]], ...]:
    """Return each event that is listened to, with its entry."""
    client = registration.client
    shim = hook_program(home, Path(registration.client_home))
    commands = {listener: shell_entry(listener, shim, client) for listener in listeners_of(client)}
    if registration.transport == "http":
        token, port = hook_token(read_token(home)), port_of(home)
        is_judged = home.judged.exists()
        for listener in commands:
            # the client takes no other kind there, and only a command can start the server
            if listener.event != "SessionStart":
                commands[listener] = http_entry(listener, port, token, is_judged=is_judged)
    return tuple(commands.items())


def port_of(home: Home) -> int:
    """Return the port that the server listens on, or will."""
    try:
        return int(json.loads(home.record.read_bytes())["port"])
    except (OSError, ValueError, KeyError, TypeError):
        from hitherto_server.core.settings import load_settings

        return load_settings().port


def server_change(
    registration: Registration, places: Places, work: Work, programs: Programs | None
) -> TextChange:
    """Return the change of the file of MCP servers; without programs it takes ours out."""
    home, client_home = work.home, Path(registration.client_home)
    before = work.original_value(places.servers)
    if registration.client == "codex":
        is_shared = registration.scope == "project"
        table = None if programs is None else codex_server(home, is_shared=is_shared)
        return TableChange(mcp_shim(home), places.parents, table)
    if programs is None:
        return ServerChange(mcp_shim(home), places.parents, None, before)
    # Project settings are shared: they hold no path of this machine.
    is_shared = registration.scope == "project"
    program = "${HOME}/.hitherto/bin/mcp" if is_shared else str(programs.mcp)
    environ = {} if is_usual(home, client_home) else {"HITHERTO_HOME": str(home.root)}
    server = server_entry(program, environ)
    return ServerChange(mcp_shim(home), places.parents, server, before)


def codex_server(home: Home, *, is_shared: bool) -> dict[str, object]:
    """Return Codex's table: the shim, which knows its data home and survives a moved program."""
    if is_shared:  # Codex fills no variables in; a shell does
        return {"command": "sh", "args": ["-c", 'exec "$HOME/.hitherto/bin/mcp"']}
    return {"command": str(mcp_shim(home))}


def hook_program(home: Home, client_home: Path) -> str:
    """Return the shim as a shell word: without a path of this machine where that is possible."""
    if is_usual(home, client_home):
        return '"$HOME/.hitherto/bin/hook"'
    return shlex.quote(str(hook_shim(home)))
