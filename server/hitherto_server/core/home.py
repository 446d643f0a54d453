"""The data home: where everything of one installation lies."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hitherto_server.core.errors import HomeUnusable

MAX_SOCKET_BYTES = 100  # the kernel's limit is 108 (Linux) and 104 (macOS)


@dataclass(frozen=True)
class Home:
    """The paths of one data home."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "memory.db"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def socket_pointer(self) -> Path:
        """Names the socket when `run/server.sock` would be too long a path."""
        return self.run / "socket"

    @property
    def record(self) -> Path:
        return self.run / "server.json"

    @property
    def token(self) -> Path:
        return self.run / "token"

    @property
    def lock(self) -> Path:
        return self.run / "server.lock"

    @property
    def env_file(self) -> Path:
        """Holds the key to a judge, and may switch all judging off."""
        return self.root / ".env"

    @property
    def serve_command(self) -> Path:
        return self.run / "serve.cmd"

    @property
    def quiet(self) -> Path:
        """Says to hooks what they may not even write down while no server answers."""
        return self.run / "quiet"

    @property
    def judged(self) -> Path:
        """Is there while prompts are judged, and tells hooks that they may take longer."""
        return self.run / "judged"

    @property
    def spool(self) -> Path:
        return self.root / "spool"

    @property
    def backups(self) -> Path:
        return self.root / "backups"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def models(self) -> Path:
        return self.root / "models"

    @property
    def socket(self) -> Path:
        """The socket that clients connect to: the pointer's, or `run/server.sock`."""
        try:
            return Path(self.socket_pointer.read_text(encoding="utf-8").strip())
        except (OSError, UnicodeDecodeError):
            return self.run / "server.sock"

    def create(self) -> None:
        """Create the folders that are missing, readable by the owner alone."""
        for folder in (self.root, self.run, self.spool, self.backups, self.logs, self.models):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.chmod(0o700)
            except OSError as error:
                message = f"{folder} cannot be made the data home's: {error.strerror}"
                raise HomeUnusable(message) from error


def find_home() -> Home:
    """Return the data home that the environment names (`HITHERTO_HOME`), else `~/.hitherto`."""
    named = os.environ.get("HITHERTO_HOME")
    return Home(Path(named).expanduser().absolute() if named else Path.home() / ".hitherto")
