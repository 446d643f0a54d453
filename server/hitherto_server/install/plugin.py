"""Hitherto as a Claude Code plugin folder, for those who load it instead of registering it."""

from __future__ import annotations

import json
import os
import shlex
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.errors import ScopeNotPossible, UnwritableConfig
from hitherto_server.install import config_file, json_text
from hitherto_server.install.registration import LISTENERS, SERVER_NAME, Listener, group_of
from hitherto_server.install.shims import Programs, find_programs, is_usual, write_shims
from hitherto_server.install.work import Changes, begin

if TYPE_CHECKING:
    from hitherto_server.core.home import Home

ROOT = "${CLAUDE_PLUGIN_ROOT}"
# Not `bin`: the client puts a plugin's `bin` on the PATH of the agent's shell.
SCRIPTS = "scripts"
MANIFEST = Path(".claude-plugin", "plugin.json")
DESCRIPTION = "Local memory: every recalled memory says what shows that it still holds."
README = """# Hitherto

Local memory for coding agents: what was decided, fixed and learned comes back when it matters, and
each memory says what shows that it still holds.

This plugin connects Claude Code with an installed Hitherto. Its hooks and its MCP server are two
small scripts that start the programs of the data home (`$HITHERTO_HOME`, else `~/.hitherto`);
where Hitherto is not installed, the hooks do nothing. Use the plugin or `hitherto install
claude-code`; with both, everything is still counted once.
"""


def write_plugin(
    target: Path, *, home: Home, client_home: Path | None = None, programs: Programs | None = None
) -> Changes:
    """Make the target a plugin folder of ours; raises where it is somebody else's."""
    client_home = client_home or Path.home()
    target = target.absolute()
    refuse_foreign(target)
    with begin(home) as work:
        work.written += write_shims(home, programs or find_programs())
        for name, text in plugin_files(home, client_home).items():
            mode = 0o755 if name.parts[0] == SCRIPTS else 0o644
            if config_file.write_whole(target / name, os.fsencode(text), mode):
                work.written.append(target / name)
        work.keep(work.receipt.with_plugin(target))
        return work.changes()


def refuse_foreign(target: Path) -> None:
    """Raise unless the folder is ours, empty, or still to be made."""
    if target.exists() and not target.is_dir():
        msg = f"{target} is not a folder."
        raise UnwritableConfig(msg, mend="Name another folder.")
    if not target.exists() or not any(target.iterdir()):
        return
    manifest = config_file.read(target / MANIFEST)
    if json_text.value_at(json_text.parse(manifest.text), ("name",)) != SERVER_NAME:
        msg = f"{target} holds something that is not Hitherto's plugin."
        raise ScopeNotPossible(msg, mend="Name an empty folder, or one that does not exist yet.")


def plugin_files(home: Home, client_home: Path) -> dict[Path, str]:
    """Return the plugin's files by their names in the folder."""
    root = '"${HITHERTO_HOME:-$HOME/.hitherto}"'
    setting = "" if is_usual(home, client_home) else usual_home(home)
    return {
        MANIFEST: as_json(manifest()),
        Path("hooks", "hooks.json"): as_json({"description": DESCRIPTION, "hooks": hooks()}),
        Path(".mcp.json"): as_json({"mcpServers": {SERVER_NAME: server()}}),
        Path(SCRIPTS, "hook"): (
            f"#!/bin/sh\n{setting}shim={root}/bin/hook\n"
            '[ -x "$shim" ] && exec "$shim" "$@"\nexit 0\n'
        ),
        Path(SCRIPTS, "mcp"): f'#!/bin/sh\n{setting}exec {root}/bin/mcp "$@"\n',
        Path("README.md"): README,
    }


def usual_home(home: Home) -> str:
    """Return the line that names this data home where the environment names none."""
    return f'[ -n "$HITHERTO_HOME" ] || export HITHERTO_HOME={shlex.quote(str(home.root))}\n'


def manifest() -> dict[str, object]:
    """Return what the client lists about the plugin."""
    return {
        "name": SERVER_NAME,
        "version": version("hitherto"),
        "description": DESCRIPTION,
        "author": {"name": "The Hitherto contributors"},
        "license": "MIT",
        "keywords": ["memory", "mcp", "hooks"],
    }


def hooks() -> dict[str, list[dict[str, object]]]:
    """Return the hooks in exec form: without a shell, nothing needs quoting."""
    events: dict[str, list[dict[str, object]]] = {}
    for listener in LISTENERS:
        events.setdefault(listener.event, []).append(group_of(listener, exec_entry(listener)))
    return events


def exec_entry(listener: Listener) -> dict[str, object]:
    """Return the entry that runs the plugin's own script."""
    return {
        "type": "command",
        "command": f"{ROOT}/{SCRIPTS}/hook",
        "args": [listener.event],
        "timeout": listener.timeout_s,
    }


def server() -> dict[str, object]:
    """Return the MCP entry."""
    return {"type": "stdio", "command": f"{ROOT}/{SCRIPTS}/mcp", "args": [], "alwaysLoad": True}


def as_json(value: object) -> str:
    """Return the text of a file that a person may read."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
