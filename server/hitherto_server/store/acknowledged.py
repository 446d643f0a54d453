"""How many writes were acknowledged, noted beside the database: a lost log is seen by it.

SQLite takes a database whose write-ahead log was deleted, or an older copy, for a sound one.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.sessions import COMMITS, MISSING_WRITES, add_to_counter, counter

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.store.driver import Connection

WIDTH = 20

log = logging.getLogger(__name__)


@dataclass
class Acknowledged:
    """Counts the durable commits of one open database, in it and beside it."""

    path: Path
    count: int
    handle: int | None = None

    def note(self) -> None:
        """Note one more; without a flush, so a power cut may take it, a kill does not."""
        self.count += 1
        try:
            if self.handle is None:
                self.handle = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.pwrite(self.handle, f"{self.count:0{WIDTH}d}\n".encode(), 0)
        except OSError as error:  # the commit itself is on the disk
            log.warning("%s: %s", self.path.name, error.strerror)

    def close(self) -> None:
        """Close the file beside the database."""
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None


def beside(database: Path) -> Path:
    """Return where the count of a database is noted."""
    return database.with_name(f"{database.name}.written")


def count_acknowledged(connection: Connection, database: Path) -> Acknowledged:
    """Compare both counts at the start; what the database lacks is counted as missing."""
    path = beside(database)
    known = counter(connection, COMMITS)
    try:
        noted = int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        noted = 0
    if noted > known:
        missing = noted - known
        log.error("%d writes that were acknowledged are not in the database", missing)
        connection.execute("BEGIN IMMEDIATE")
        add_to_counter(connection, MISSING_WRITES, missing)
        add_to_counter(connection, COMMITS, missing)
        connection.execute("COMMIT")
    return Acknowledged(path, max(known, noted))
