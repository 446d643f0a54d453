"""Registering with Claude Code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.install import registering
from hitherto_server.install.places import places_of, registration_of
from hitherto_server.install.receipt import Scope
from hitherto_server.install.registering import repair
from hitherto_server.install.work import Changes

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.home import Home
    from hitherto_server.install.receipt import Transport
    from hitherto_server.install.shims import Programs

__all__ = ["Changes", "Scope", "install", "places_of", "repair", "uninstall"]


def install(
    client_home: Path,
    scope: Scope = "user",
    *,
    home: Home,
    project: Path | None = None,
    config_dir: Path | None = None,
    programs: Programs | None = None,
    transport: Transport = "command",
) -> Changes:
    """Register hooks and MCP server in that scope; raises before the first change, or succeeds."""
    place = registration_of(client_home, scope, project, config_dir, transport=transport)
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
    place = registration_of(client_home, scope, project, config_dir)
    return registering.unregister(place, home=home)
