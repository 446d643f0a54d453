"""Registering with Claude Code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.install import registering
from hitherto_server.install.places import places_of, registration_of
from hitherto_server.install.receipt import Scope, read_receipt
from hitherto_server.install.registering import repair
from hitherto_server.install.work import Changes

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.home import Home
    from hitherto_server.install.receipt import Registration, Transport
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
    transport: Transport | None = None,
) -> Changes:
    """Register hooks and MCP server in that scope; raises before the first change, or succeeds.

    Without a transport the one that is registered there already stays.
    """
    place = registration_of(client_home, scope, project, config_dir)
    transport = transport or registered_transport(home, place)
    return registering.register(replace(place, transport=transport), home=home, programs=programs)


def registered_transport(home: Home, place: Registration) -> Transport:
    """Return how the hooks of a place reach the server now; by commands where there are none."""
    known = (one for one in read_receipt(home).registrations if one.place == place)
    return next((one.transport for one in known), "command")


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
