"""A client's transcript as a file: whether a path is one, and its lines one after another."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hitherto_server.core.own_file import own_file
from hitherto_server.standing.paths import is_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_LINE_BYTES = 8 * 1024 * 1024
"""A longer line is an image or a blob: nobody says that much."""
PROJECTS = "projects"
SLUG = re.compile(r"[A-Za-z0-9-]+")
SESSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{7,63}")


def is_transcript(path: str, session_id: str) -> bool:
    """Tell whether a path that a hook names is a transcript of this user's, as a client has it."""
    file = Path(path)
    if not file.is_absolute() or file.name != f"{session_id}.jsonl" or is_private(file):
        return False
    if not (SESSION.fullmatch(session_id) and SLUG.fullmatch(file.parent.name)):
        return False
    if file.parent.parent.name != PROJECTS or os.path.normpath(path) != path:
        return False
    return not file.parent.is_symlink() and own_file(file) is not None


@dataclass
class Lines:
    """Reads a transcript line by line; what is too long is counted and passed over."""

    path: Path
    told: Callable[[int], None] = lambda _: None
    """Called with the number of bytes that were read."""
    start: int = 0
    """Where to begin, in bytes: at a line's beginning."""
    until: int | None = None
    """Where to end at the latest: what is written meanwhile is for the next time."""
    waits: bool = False
    """Leave a last line alone that has no end yet: its other half is still to come."""
    end: int = 0
    """Where reading ended: behind the last line that was read."""
    too_long: int = 0

    def read(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line and where it begins."""
        self.end = self.start
        with self.path.open("rb") as file:
            file.seek(self.start)
            while (self.until is None or self.end < self.until) and (
                line := file.readline(MOST_LINE_BYTES)
            ):
                offset, size = self.end, len(line)
                is_whole = line.endswith(b"\n")
                if not is_whole and size == MOST_LINE_BYTES:
                    self.too_long += 1
                    rest, is_whole = _pass_over(file)
                    size, line = size + rest, b""
                if self.waits and not is_whole:
                    return
                self.told(size)
                self.end += size
                if line:
                    yield offset, line


def time_of(spelled: object) -> int | None:
    """Return the milliseconds of a time that a transcript spells; None where it is none."""
    if not isinstance(spelled, str):
        return None
    try:
        return max(int(datetime.fromisoformat(spelled).timestamp() * 1000), 0)
    except (ValueError, OverflowError):
        return None


def _pass_over(file: BinaryIO) -> tuple[int, bool]:
    """Read on to the end of a line; return how much that was, and whether there is one."""
    size = 0
    while rest := file.readline(MOST_LINE_BYTES):
        size += len(rest)
        if rest.endswith(b"\n"):
            return size, True
    return size, False
