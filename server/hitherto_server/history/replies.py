"""What the agent answered in a session, from the end of its transcript: each with its time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hitherto_server.core.own_file import own_file
from hitherto_server.history.echoes import Echoes
from hitherto_server.history.rows import Reply, Transcript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hitherto_server.history.rows import Row

MOST_BYTES = 8 * 1024 * 1024
"""Of the end: a session's last turns. It is read beside everything else, but not for long."""

log = logging.getLogger(__name__)


def replies_in(path: Path, counts: Callable[[Row], bool] = lambda _: True) -> list[tuple[int, str]]:
    """Return what the agent said and counts, by its time; nothing where there is no transcript."""
    try:
        start = _start_of_end(path)
        if start is None:
            return []
        rows = Transcript(path, start=start).rows()
        found = [
            (row.at_ms, row.what.text)
            for row in rows
            if isinstance(row.what, Reply) and counts(row)
        ]
    except OSError as error:
        log.info("a transcript could not be read: %s", error.strerror)
        return []
    return sorted(found, key=lambda one: one[0])


def given_in(path: Path) -> list[tuple[int, str]]:
    """Return the sentences that hooks and our tools gave a session, each since when; 0: unknown."""
    echoes = Echoes()
    try:
        if _start_of_end(path) is not None:
            echoes.read(path)
    except OSError as error:
        log.info("a transcript could not be read: %s", error.strerror)
    return echoes.given


def _start_of_end(path: Path) -> int | None:
    """Return where the first whole line of the file's end begins; None for what is no file."""
    about = own_file(path)
    if about is None or path.suffix != ".jsonl":
        return None
    start = about.st_size - MOST_BYTES
    if start <= 0:
        return 0
    with path.open("rb") as file:
        file.seek(start)
        while piece := file.readline(MOST_BYTES):
            if piece.endswith(b"\n"):
                return file.tell()
    return about.st_size
