"""The peer claude-mem: its prompt hook as its own hooks.json registers it, with its worker up."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness import clean_environ

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = "13.25.3"
BUN_VERSION = "1.4.5"
# what its plugin folder needs at run time, beside the grammars that only indexing uses
NEEDED = ("zod@4.4.3", "shell-quote@1.9.0")
BUN = {
    ("Linux", "x86_64"): "bun-linux-x64",
    ("Linux", "aarch64"): "bun-linux-aarch64",
    ("Darwin", "arm64"): "bun-darwin-aarch64",
    ("Darwin", "x86_64"): "bun-darwin-x64",
}
NPM_S = 240
START_S = 60
QUIET = {
    "CLAUDE_MEM_TELEMETRY": "0",
    "DO_NOT_TRACK": "1",
    "CLAUDE_MEM_CHROMA_ENABLED": "false",
}


class PeerMissing(Exception):
    """The peer can't be measured here, for the reason given."""


@dataclass(frozen=True)
class ClaudeMem:
    """An installed claude-mem whose worker runs."""

    command: list[str]
    environ: dict[str, str]
    hooks: dict[str, list[dict[str, Any]]]
    """Its matcher groups by event, as its hooks.json has them."""
    shell: str = "/bin/bash"


@contextmanager
def running(data: Path, home: Path, project: Path) -> Iterator[ClaudeMem]:
    """Install claude-mem into `data` if need be, and run its worker in a home of its own."""
    plugin, bun = install(data / f"claude-mem-{VERSION}")
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    path = f"{bun.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environ = clean_environ(home, CLAUDE_PLUGIN_ROOT=str(plugin), PATH=path, **QUIET)
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    shell = shutil.which("bash") or "/bin/bash"
    start, prompt = (
        [shell, "-c", hooks[event][0]["hooks"][0]["command"]]
        for event in ("SessionStart", "UserPromptSubmit")
    )
    try:
        _start(start, environ, project)
        yield ClaudeMem(prompt, environ, hooks, shell)
    finally:
        _end_worker(home)


def install(folder: Path) -> tuple[Path, Path]:
    """Return the plugin's folder and bun, got from the package registry where they are missing."""
    plugin, bun = folder / "package" / "plugin", folder / "bin" / "bun"
    if not bun.exists():
        if shutil.which("npm") is None or shutil.which("node") is None:
            message = "node and npm are not installed"
            raise PeerMissing(message)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _install(folder, plugin, bun)
    return plugin, bun


def _install(folder: Path, plugin: Path, bun: Path) -> None:
    package = BUN.get((platform.system(), platform.machine()))
    if package is None:
        message = f"no known bun for {platform.system()} on {platform.machine()}"
        raise PeerMissing(message)
    _run(["npm", "pack", "--silent", f"claude-mem@{VERSION}"], folder)
    _run(["tar", "xzf", f"claude-mem-{VERSION}.tgz"], folder)
    # the package alone: its dependencies for other uses take minutes, and none is loaded by a hook
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    bare = folder / "node"
    bare.mkdir()
    _run(["npm", "install", *quiet, f"@oven/{package}@{BUN_VERSION}", *NEEDED], bare)
    shutil.copytree(bare / "node_modules", plugin / "node_modules", dirs_exist_ok=True)
    bun.parent.mkdir()
    bun.symlink_to(bare / "node_modules" / "@oven" / package / "bin" / "bun")


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=NPM_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        message = f"{command[0]} {command[1]} took more than {NPM_S} s"
        raise PeerMissing(message) from error
    if done.returncode:
        message = f"{command[0]} {command[1]} failed with code {done.returncode}"
        raise PeerMissing(message)


def _start(command: list[str], environ: dict[str, str], project: Path) -> None:
    event = {
        "session_id": "bench-start",
        "cwd": str(project),
        "hook_event_name": "SessionStart",
        "source": "startup",
        "transcript_path": str(project / "none.jsonl"),
    }
    done = subprocess.run(
        command,
        input=json.dumps(event),
        capture_output=True,
        text=True,
        env=environ,
        cwd=project,
        timeout=START_S,
        check=False,
    )
    if '"status":"ready"' not in done.stdout:
        message = f"its worker did not start: {done.stdout[:100]!r}, code {done.returncode}"
        raise PeerMissing(message)


def _end_worker(home: Path) -> None:
    try:
        found = json.loads((home / ".claude-mem" / "worker.pid").read_text(encoding="utf-8"))
        os.kill(int(found["pid"]), signal.SIGTERM)
    except (OSError, ValueError, KeyError):
        return
