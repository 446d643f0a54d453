"""Which files a registration is in, client by client and scope by scope."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from hitherto_server.core.errors import ScopeNotPossible
from hitherto_server.install.receipt import Registration

if TYPE_CHECKING:
    from hitherto_server.install.receipt import Client, Scope, Transport


@dataclass(frozen=True)
class Places:
    """The files of one scope, and where in the second our MCP server is entered."""

    settings: Path
    servers: Path
    parents: tuple[str, ...] = ("mcpServers",)


def registration_of(
    client_home: Path,
    scope: Scope,
    project: Path | None,
    config_dir: Path | None,
    *,
    client: Client = "claude-code",
    transport: Transport = "command",
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
        client,
        transport,
    )


def places_of(registration: Registration) -> Places:
    """Return the files that the client reads for that scope."""
    match registration.client:
        case "claude-code":
            return claude_code_places(registration)
        case "codex":
            return codex_places(registration)
        case _:
            assert_never(registration.client)


def claude_code_places(registration: Registration) -> Places:
    """Return the files of Claude Code."""
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


def codex_places(registration: Registration) -> Places:
    """Return the files of Codex, which has no scope between a person's and a project's."""
    match registration.scope:
        case "user":
            usual = Path(registration.client_home) / ".codex"
            config = Path(registration.config_dir) if registration.config_dir else usual
        case "project":
            config = Path(registration.project or "") / ".codex"
        case "local":
            raise ScopeNotPossible(
                "Codex has no local scope.", mend="Run `hitherto install codex --scope user`."
            )
        case _:
            assert_never(registration.scope)
    return Places(config / "hooks.json", config / "config.toml", ("mcp_servers",))
