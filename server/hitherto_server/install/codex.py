"""Registering with Codex: hooks in its hooks.json, the MCP server in its config.toml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.install import config_file, json_text, registering
from hitherto_server.install.formats import format_of
from hitherto_server.install.places import places_of, registration_of

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
TWO_FILES = (
    "config.toml has hooks of its own, and hooks.json has ours: Codex says at each start that it "
    "reads both."
)


def what_remains(
    client_home: Path, scope: Scope, project: Path | None, config_dir: Path | None
) -> str:
    """Return what a person has to know, and to do, after an install."""
    place = registration_of(client_home, scope, project, config_dir, client="codex")
    is_doubled = has_hooks_of_its_own(places_of(place).servers)
    return f"{TRUST}\n{TWO_FILES}" if is_doubled else TRUST


def has_hooks_of_its_own(config: Path) -> bool:
    """Whether config.toml holds hooks, too."""
    value = format_of(config).parse(config_file.read(config).text)
    hooks = json_text.value_at(value, ("hooks",))
    return isinstance(hooks, dict) and any(name != "state" for name in hooks)


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
