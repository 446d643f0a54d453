"""Start the server detached, as the hooks do, when it is away."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

# The session's own secrets and its interpreter's settings are none of the server's business.
SESSION_ONLY = ("CLAUDE", "ANTHROPIC_", "AI_AGENT", "PYTHON", "HITHERTO_HOME")
CLIENT_HOME = "CLAUDE_CONFIG_DIR"
AGAIN_S = 10.0


class Backend:
    """The server of one data home, as far as this process started it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._pid: int | None = None
        self._tried_at = float("-inf")
        self._end = ""

    def start(self) -> bool:
        """Start it unless that was just tried, and tell whether what was started still runs.

        It takes a lock, so where two start it, one ends by itself.
        """
        if time.monotonic() - self._tried_at >= AGAIN_S:
            self._tried_at = time.monotonic()
            self.last_end()  # collects the one before
            try:
                self._pid, self._end = spawn_detached(serve_command(self._home), self._home), ""
            except OSError as error:
                self._end = f" (starting it failed: {error.strerror})"
        self.last_end()
        return self._pid is not None

    def answered(self) -> None:
        """Note that it serves: when it is away the next time, it is started at once."""
        self._tried_at = float("-inf")

    def last_end(self) -> str:
        """Say how the server that was started here ended, if it did."""
        if self._pid is not None:
            ended, status = os.waitpid(self._pid, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                self._pid, self._end = None, f" (the one started here ended: code {code})"
        return self._end


def serve_command(home: Path) -> list[str]:
    """Return the command that the installer or the last start wrote, else one of our own."""
    try:
        written = (home / "run" / "serve.cmd").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        written = ""
    command = [line for line in written.split("\n") if line]
    return command or [sys.executable, "-P", "-m", "hitherto_server", "serve"]


def spawn_detached(command: list[str], home: Path) -> int:
    """Run the command in a session of its own, with its output in the log; return its process."""
    logs = home / "logs"
    for folder in (home, logs):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = {
        name: value
        for name, value in os.environ.items()
        if name == CLIENT_HOME or not name.startswith(SESSION_ONLY)
    }
    log = os.open(logs / "server.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        process = subprocess.Popen(
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
    process.returncode = 0  # else `Popen` warns of a child that is meant to outlive it
    return process.pid


def data_home() -> Path:
    """Return the data home that the environment names (`HITHERTO_HOME`), else `~/.hitherto`."""
    named = os.environ.get("HITHERTO_HOME")
    return Path(named).expanduser().absolute() if named else Path.home() / ".hitherto"
