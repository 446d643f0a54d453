"""The place of an endurance run: a person's home on a small disk, and the installed program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from installed import Installed, bare_environ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 1 << 16
SMALLEST = 1
POLL_S = 0.05


class MountingFailed(Exception):
    """This process may not mount a small disk."""


@dataclass
class Place:
    """One person with a data home on a disk of their own; projects lie elsewhere."""

    folder: Path
    installed: Installed
    hooks: dict[str, str] = field(default_factory=dict)
    mcp: list[str] = field(default_factory=list)

    @property
    def person(self) -> Path:
        return self.folder / "person"

    @property
    def home(self) -> Path:
        return self.person / ".hitherto"

    @property
    def ballast(self) -> Path:
        return self.person / "ballast"

    @property
    def mcp_errors(self) -> Path:
        return self.folder / "mcp.errors"

    def environ(self, project: Path, session: str) -> dict[str, str]:
        """Return what a client hands to what it starts for one session."""
        return {
            **bare_environ(),
            "HOME": str(self.person),
            "HITHERTO_PORT": "0",
            "CLAUDE_PROJECT_DIR": str(project),
            "CLAUDE_CODE_SESSION_ID": session,
        }

    def connect(self) -> None:
        """Install for Claude Code, and read from its files what it would start."""
        environ = self.environ(self.person, "install")
        command = [str(self.installed.hitherto), "install", "claude-code"]
        run = subprocess.run(
            command, env=environ, cwd=self.person, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        settings = json.loads((self.person / ".claude" / "settings.json").read_bytes())
        for event, groups in settings["hooks"].items():
            self.hooks[event] = groups[0]["hooks"][0]["command"]
        server = json.loads((self.person / ".claude.json").read_bytes())["mcpServers"]["hitherto"]
        command = [server["command"], *server.get("args", [])]
        self.mcp = [part.replace("$HOME", str(self.person)) for part in command]

    def fill(self) -> None:
        """Leave no byte on the disk."""
        with self.ballast.open("ab", buffering=0) as ballast:
            size = BLOCK
            while size >= SMALLEST:
                try:
                    ballast.write(b"\0" * size)
                except OSError:
                    size //= 16

    def empty(self) -> None:
        """Give the space back."""
        self.ballast.unlink(missing_ok=True)

    def processes(self) -> dict[int, str]:
        """Return the processes that live of this place, with their command lines."""
        mark = f"HOME={self.person}\0".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with suppress(OSError):
                if mark in (entry / "environ").read_bytes():
                    said = (entry / "cmdline").read_bytes()
                    found[int(entry.name)] = said.replace(b"\0", b" ").decode(errors="replace")
        return found

    def servers(self) -> list[int]:
        """Return the processes that serve, or are about to."""
        return [pid for pid, said in self.processes().items() if said.rstrip().endswith("serve")]

    def kill_all(self) -> None:
        """Leave no process of this place behind."""
        for _ in range(5):
            for pid in self.processes():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if waits(lambda: not self.processes(), 2.0):
                return


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """Mount a disk of that size on a folder until the block ends."""
    folder.mkdir(parents=True)
    options = f"size={megabytes}m,mode=0755"
    command = ["mount", "-t", "tmpfs", "-o", options, "hitherto-endurance", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MountingFailed(str(error)) from error
    if done.returncode:
        raise MountingFailed(done.stderr.strip())
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def waits(holds: Callable[[], object], seconds: float) -> bool:
    """Poll until something holds; False if it does not come to pass in time."""
    ends = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > ends:
            return False
        time.sleep(POLL_S)
    return True
