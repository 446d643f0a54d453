"""The data home: whether it can be written, who may read it, space, clock and spool."""

from __future__ import annotations

import os
import shutil
import stat
import time
from typing import TYPE_CHECKING

from hitherto_server.doctor.finding import Finding, fault, well

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.core.home import Home

OTHERS = stat.S_IRWXG | stat.S_IRWXO
SHARED = ("models", "bin")
"""Folders with nothing of the person's in them: who may read their files doesn't matter."""
MOST_NAMED = 3
LEAST_FREE_BYTES = 500_000_000
COPIES_THAT_FIT = 2
"""A backup and what the database writes meanwhile."""
CLOCK_SLACK_S = 120
OUR_FIRST_DAY = 1_767_225_600
"""2026-01-01: a clock that stands before is wrong."""


def home(home: Home) -> Iterator[Finding]:
    """Look at everything that can be told from the files alone."""
    if not home.root.is_dir():
        yield well("data home", f"{home.root} is not there yet: the server makes it")
        return
    yield _writable(home)
    yield _modes(home)
    yield _space(home)
    yield _clock(home)
    yield _unreadable_events(home)


def _writable(home: Home) -> Finding:
    if os.access(home.root, os.W_OK | os.X_OK):
        return well("data home", str(home.root))
    mend = f"Run `chmod u+rwx {home.root}`, or point HITHERTO_HOME at another folder."
    return fault("data home", f"{home.root} can't be written", mend)


def _modes(home: Home) -> Finding:
    open_ones = [str(path) for path in _private_paths(home) if _is_open(path)]
    if not open_ones:
        return well("file modes", "readable by the owner alone")
    named = " ".join(open_ones[:MOST_NAMED])
    more = f" and {len(open_ones) - MOST_NAMED} more" if len(open_ones) > MOST_NAMED else ""
    mend = f"Run `chmod -R go-rwx {home.root}`."
    return fault("file modes", f"others may read {named}{more}", mend)


def _private_paths(home: Home) -> Iterator[Path]:
    yield home.root
    yield home.socket
    for path in _entries(home.root):
        yield path
        if path.name not in SHARED and path.is_dir() and not path.is_symlink():
            yield from _entries(path)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # which is a finding of its own
        return []


def _is_open(path: Path) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & OTHERS)


def _space(home: Home) -> Finding:
    free = shutil.disk_usage(home.root).free
    size = home.database.stat().st_size if home.database.exists() else 0
    wanted = max(LEAST_FREE_BYTES, COPIES_THAT_FIT * size)
    said = f"{free / 1e9:.1f} GB are free"
    if free >= wanted:
        return well("disk", said)
    mend = f"Free some: {wanted / 1e9:.1f} GB leave room for a backup."
    return fault("disk", f"{said} where {home.root} lies", mend)


def _clock(home: Home) -> Finding:
    now = time.time()
    if now < OUR_FIRST_DAY:
        return fault("clock", f"it stands at {_day(now)}", "Set the machine's clock.")
    ahead = [path for path in (home.database, home.record) if _written_at(path) > now]
    if not ahead:
        return well("clock", "no file of ours is of the future")
    newest = max(map(_written_at, ahead))
    said = f"it stands at {_day(now)}, but {ahead[0].name} was written at {_day(newest)}"
    return fault("clock", said, "Set the machine's clock; ages and pauses count by it.")


def _written_at(path: Path) -> float:
    try:
        return path.stat().st_mtime - CLOCK_SLACK_S
    except OSError:
        return 0


def _day(at_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_s))


def _unreadable_events(home: Home) -> Finding:
    aside = home.spool / "events.unreadable"
    if not aside.exists():
        return well("spool", "every event could be read")
    mend = f"Look at it, then delete it: {aside}"
    return fault("spool", "some events could not be read and were kept aside", mend)
