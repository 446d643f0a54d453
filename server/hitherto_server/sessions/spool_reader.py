"""Takes in what the hooks wrote down while no server answered: each event once, none lost."""

from __future__ import annotations

import fcntl
import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.text import is_count
from hitherto_server.gates.secrets import redact

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

FIELDS = 4
MAX_UNREADABLE_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Record:
    """One spooled hook call; `project` is percent-encoded, `body` the client's JSON."""

    event: str
    time_ns: int
    project: str
    body: bytes


def parse_record(line: bytes) -> Record:
    """Read one line of the spool; a torn one is refused."""
    fields = line.rstrip(b"\n").split(b"\t", FIELDS - 1)
    if len(fields) != FIELDS or not is_count(fields[1].decode("latin-1")):
        message = "a spooled line is no record"
        raise InvalidInput(message)
    event, time_ns, project, body = fields
    return Record(
        event.decode("utf-8", "replace"),
        int(time_ns),
        project.decode("latin-1"),
        body,
    )


@dataclass(frozen=True)
class Spool:
    """The spool folder, from the reader's side."""

    folder: Path

    @property
    def events(self) -> Path:
        return self.folder / "events"

    @property
    def draining(self) -> Path:
        return self.folder / "events.draining"

    @property
    def unreadable(self) -> Path:
        return self.folder / "events.unreadable"

    @property
    def dropped(self) -> Path:
        return self.folder / "dropped"

    @property
    def lost(self) -> Path:
        """Where hooks count what is lost while the disk takes no new file; one byte is ours."""
        return self.folder.parent / "run" / "lost"

    def make_ready(self) -> None:
        """Make what hooks can't make while the disk is full."""
        try:
            file = os.open(self.lost, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.write(file, b"\n")
            finally:
                os.close(file)
        except OSError:  # it is there; or the disk is full now, and the next start makes it
            return

    def is_waiting(self) -> bool:
        """Tell whether there is anything to take in."""
        return self.events.exists() or self.draining.exists()

    def take(self) -> Path | None:
        """Move the events aside, under the writers' lock; a left-over batch comes first."""
        if self.draining.exists():
            return self.draining
        try:
            file = os.open(self.events, os.O_RDWR)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.events.rename(self.draining)
        except FileNotFoundError:
            return None
        finally:
            os.close(file)
        return self.draining

    def read_lines(self, batch: Path) -> list[bytes]:
        """Return the lines of a batch that was taken; the spool's bound is theirs."""
        with batch.open("rb") as file:
            return [line for line in file if line.strip()]

    def keep_unreadable(self, line: bytes) -> None:
        """Put a line that is no record where a person can look at it, without its secrets."""
        if _size(self.unreadable) > MAX_UNREADABLE_BYTES:
            return
        file = os.open(self.unreadable, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(file, "ab") as kept:
            text = redact(line.decode("utf-8", "surrogateescape").rstrip("\n")).text
            kept.write(text.encode("utf-8", "surrogateescape") + b"\n")

    def done(self, batch: Path) -> None:
        """Forget a batch whose events are all in the store."""
        batch.unlink(missing_ok=True)

    def counts(self) -> dict[str, int]:
        """Return what waits (bytes), what was dropped and what could not be read."""
        return {
            "waiting_bytes": _size(self.events) + _size(self.draining),
            "dropped": _size(self.dropped) + max(_size(self.lost) - 1, 0),
            "unreadable_bytes": _size(self.unreadable),
        }


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
