"""Start the server detached, as the hooks do, when it is away."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

# The session's own secrets and its interpreter's settings are none of the server's business.
SESSION_ONLY = ("CLAUDE", "ANTHROPIC_", "AI_AGENT", "PYTHON", "HITHERTO_HOME")
AGAIN_S = 3.0


class Backend:
    """The server of one data home, as far as this process started it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = float("-inf")
        self._trouble = ""

    def start(self) -> None:
        """Start it unless that was just done; it takes a lock, so a second one ends by itself."""
        if time.monotonic() - self._started_at < AGAIN_S:
            return
        self._started_at = time.monotonic()
        self.last_end()  # reaps the one before
        try:
            self._process = spawn_detached(serve_command(self._home), self._home)
            self._trouble = ""
        except OSError as error:
            self._process = None
            self._trouble = f" (starting it failed: {error.strerror})"

    def last_end(self) -> str:
        """Say how the server that was started here ended, if it did."""
        ended = self._process.poll() if self._process else None
        return self._trouble if ended is None else f" (the one started here ended: code {ended})"


def serve_command(home: Path) -> list[str]:
    """Return the command that the installer or the last start wrote, else one of our own."""
    try:
        written = (home / "run" / "serve.cmd").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        written = ""
    command = [line for line in written.split("\n") if line]
    return command or [sys.executable, "-P", "-m", "hitherto_server", "serve"]


def spawn_detached(command: list[str], home: Path) -> subprocess.Popen[bytes]:
    """Run the command in a session of its own, with its output in the log."""
    logs = home / "logs"
    for folder in (home, logs):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = {name: v for name, v in os.environ.items() if not name.startswith(SESSION_ONLY)}
    log = os.open(logs / "server.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return subprocess.Popen(
            command,
            cwd=home,
            env=kept | {"HITHERTO_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)


def data_home() -> Path:
    """Return the data home that the environment names (`HITHERTO_HOME`), else `~/.hitherto`."""
    named = os.environ.get("HITHERTO_HOME")
    return Path(named).expanduser().absolute() if named else Path.home() / ".hitherto"
