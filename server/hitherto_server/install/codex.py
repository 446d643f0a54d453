"""Registering with Codex: hooks in its hooks.json, the MCP server in its config.toml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.install import registering
from hitherto_server.install.places import registration_of

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.home import Home
    from hitherto_server.install.receipt import Scope
    from hitherto_server.install.registration import Found
    from hitherto_server.install.shims import Programs
    from hitherto_server.install.work import Changes

TRUST = (
    "Codex runs a new hook only after you trusted it: open `codex`, type /hooks and trust those of "
    "Hitherto, once."
)


def trust_key(hook: Found, path: Path) -> str:
    """Return under which name Codex keeps what a person said of a hook."""
    _, event, group, _, number = hook.keys
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", str(event)).lower()
    return f"{path}:{snake}:{group}:{number}"


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
    place = registration_of(client_home, scope, project, config_dir, client="codex")
    return registering.register(place, home=home, programs=programs)


def uninstall(
    client_home: Path,
    scope: Scope = "user",
    *,
    home: Home,
    project: Path | None = None,
    config_dir: Path | None = None,
) -> Changes:
    """Take exactly our own out of that scope; a file that only we changed is as it was."""
    place = registration_of(client_home, scope, project, config_dir, client="codex")
    return registering.unregister(place, home=home)
