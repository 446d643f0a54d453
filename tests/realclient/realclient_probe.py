"""Hook commands for tests of the client itself: they keep what they hear and say what is told."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from realclient_model import Json


@dataclass(frozen=True)
class Probe:
    """Makes hook commands whose calls are kept in one folder."""

    folder: Path

    def command(self, name: str, says: str = "") -> str:
        """Return a shell command that keeps its input under the name and prints the words."""
        log = shlex.quote(str(self.folder / f"{name}.jsonl"))
        return f"(cat; echo) >> {log}; printf %s {shlex.quote(says)}"

    def hooks(self, **commands: str) -> Json:
        """Return a settings value with one hook command for each event named."""
        entries = {
            event: [{"hooks": [{"type": "command", "command": command, "timeout": 10}]}]
            for event, command in commands.items()
        }
        return {"hooks": entries}

    def heard(self, name: str) -> list[Json]:
        """Return what the command of that name was given, call by call."""
        path = self.folder / f"{name}.jsonl"
        if not path.exists():
            return []
        lines = path.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.strip()]


def context(event: str, text: str) -> str:
    """Return a hook's answer that adds context for the model."""
    specific = {"hookEventName": event, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": specific})


def write_plugin(folder: Path, hooks: Json) -> Path:
    """Write a plugin that holds these hooks and return its folder."""
    manifest = folder / ".claude-plugin" / "plugin.json"
    registry = folder / "hooks" / "hooks.json"
    for path, content in ((manifest, {"name": "probe", "version": "1.0.0"}), (registry, hooks)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return folder
