"""Register Hitherto with Claude Code, mend the registration, and take it back."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from hitherto_server.core.errors import ScopeNotPossible
from hitherto_server.install.changes import DeadHooks, DeadServer, HookChange, ServerChange
from hitherto_server.install.receipt import Registration, Scope
from hitherto_server.install.registration import LISTENERS, server_entry, shell_entry
from hitherto_server.install.shims import (
    Programs,
    find_programs,
    hook_shim,
    is_usual,
    mcp_shim,
    remove_shims,
    shims_work,
    write_shims,
)
from hitherto_server.install.work import Changes, Work, applied, begin

if TYPE_CHECKING:
    from hitherto_server.core.home import Home
    from hitherto_server.install.changes import TextChange


@dataclass(frozen=True)
class Places:
    """The files of one scope, and where in the second our MCP server is entered."""

    settings: Path
    servers: Path
    parents: tuple[str, ...] = ("mcpServers",)


def install(
    client_home: Path,
    scope: Scope = "user",
    *,
    home: Home,
    project: Path | None = None,
    config_dir: Path | None = None,
    programs: Programs | None = None,
) -> Changes:
    """Register hooks and MCP server in that scope; raises before the first change, or succeeds."""
    registration = registration_of(client_home, scope, project, config_dir)
    if scope == "project" and not is_usual(home, client_home):
        msg = f"Project settings name $HOME/.hitherto, but the data home is {home.root}."
        raise ScopeNotPossible(msg)
    programs = programs or find_programs()
    with begin(home) as work:
        edits = wanted_edits(registration, work, programs)
        for path, change in edits:
            work.check(path, applied(change))
        work.written += write_shims(home, programs)
        work.keep(work.receipt.with_registration(registration))
        for path, change in edits:
            work.edit(path, applied(change))
        return work.changes()


def uninstall(
    client_home: Path,
    scope: Scope = "user",
    *,
    home: Home,
    project: Path | None = None,
    config_dir: Path | None = None,
) -> Changes:
    """Take exactly our own out of that scope; a file that only we changed is as it was."""
    registration = registration_of(client_home, scope, project, config_dir)
    with begin(home) as work:
        edits = unwanted_edits(registration, work)
        for path, change in edits:
            work.check(path, work.taken_back(path, change))
        for path, change in edits:
            work.edit(path, work.taken_back(path, change))
        forget(work, registration)
        return work.changes()


def repair(home: Home, *, programs: Programs | None = None) -> Changes:
    """Mend what we registered and whose programs are gone; touches nothing else."""
    with begin(home) as work:
        if not work.receipt.is_in_use:
            return Changes()
        programs = programs or find_programs()
        if not shims_work(home):
            work.written += write_shims(home, programs)
        for registration in work.receipt.registrations:
            client_home, places = Path(registration.client_home), places_of(registration)
            hooks = DeadHooks(hook_shim(home), hook_program(home, client_home))
            server = DeadServer(mcp_shim(home), places.parents, str(programs.mcp))
            work.mend(places.settings, applied(hooks))
            work.mend(places.servers, applied(server))
        return work.changes()


def registration_of(
    client_home: Path, scope: Scope, project: Path | None, config_dir: Path | None
) -> Registration:
    """Return the registration's name; raises ScopeNotPossible where a project is missing."""
    if scope == "user":
        project = None
    elif scope == "project":
        config_dir = None
    if scope != "user" and project is None:
        msg = f"The scope {scope} needs a project."
        raise ScopeNotPossible(msg)
    return Registration(
        os.path.abspath(client_home),  # noqa: PTH100 - `..` goes, links stay
        scope,
        None if project is None else os.path.realpath(project),
        None if config_dir is None else os.path.abspath(config_dir),  # noqa: PTH100
    )


def places_of(registration: Registration) -> Places:
    """Return the files that the client reads for that scope."""
    client_home = Path(registration.client_home)
    project = Path(registration.project or "")
    if registration.config_dir is None:
        config, state = client_home / ".claude", client_home / ".claude.json"
    else:
        config = Path(registration.config_dir)
        state = config / ".claude.json"
    match registration.scope:
        case "user":
            return Places(config / "settings.json", state)
        case "project":
            return Places(project / ".claude" / "settings.json", project / ".mcp.json")
        case "local":
            settings = project / ".claude" / "settings.local.json"
            return Places(settings, state, ("projects", str(project), "mcpServers"))
        case _:
            assert_never(registration.scope)


def wanted_edits(
    registration: Registration, work: Work, programs: Programs
) -> list[tuple[Path, TextChange]]:
    """Return the files of a registration, each with what it shall come to hold."""
    places, client_home = places_of(registration), Path(registration.client_home)
    home = work.home
    shim = hook_program(home, client_home)
    hooks = tuple((listener, shell_entry(listener, shim)) for listener in LISTENERS)
    # Project settings are shared: they hold no path of this machine.
    is_shared = registration.scope == "project"
    program = "${HOME}/.hitherto/bin/mcp" if is_shared else str(programs.mcp)
    environ = {} if is_usual(home, client_home) else {"HITHERTO_HOME": str(home.root)}
    server = server_entry(program, environ)
    hooks_before = work.original_value(places.settings)
    servers_before = work.original_value(places.servers)
    return [
        (places.settings, HookChange(hook_shim(home), hooks, hooks_before)),
        (places.servers, ServerChange(mcp_shim(home), places.parents, server, servers_before)),
    ]


def unwanted_edits(registration: Registration, work: Work) -> list[tuple[Path, TextChange]]:
    """Return the files of a registration, each with the change that takes ours out."""
    places = places_of(registration)
    hooks_before = work.original_value(places.settings)
    servers_before = work.original_value(places.servers)
    hooks = HookChange(hook_shim(work.home), (), hooks_before)
    server = ServerChange(mcp_shim(work.home), places.parents, None, servers_before)
    return [(places.settings, hooks), (places.servers, server)]


def forget(work: Work, registration: Registration) -> None:
    """Drop what only that registration needed: first states, folders we made, the last shims."""
    receipt = work.receipt.without(registration)
    places = [places_of(other) for other in receipt.registrations]
    files = {str(path) for place in places for path in (place.settings, place.servers)}
    folders = tuple(made for made in receipt.folders if is_above_any(made, files))
    for made in set(receipt.folders) - set(folders):
        with suppress(OSError):  # somebody keeps something there
            Path(made).rmdir()
    originals = {path: name for path, name in receipt.originals.items() if path in files}
    work.keep(replace(receipt, originals=originals, folders=folders))
    if not work.receipt.is_in_use:
        work.removed += remove_shims(work.home)


def is_above_any(parent: str, files: set[str]) -> bool:
    """Whether one of the files lies in that folder."""
    return any(file.startswith(f"{parent}/") for file in files)


def hook_program(home: Home, client_home: Path) -> str:
    """Return the shim as a shell word: without a path of this machine where that is possible."""
    if is_usual(home, client_home):
        return '"$HOME/.hitherto/bin/hook"'
    return shlex.quote(str(hook_shim(home)))
