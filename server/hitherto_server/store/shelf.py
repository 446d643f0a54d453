"""The folder of backups: how they are named, which there are, and which may go."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.clock import DAY_MS
from hitherto_server.core.private_file import write_private

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.core.home import Home

Why = Literal["auto", "manual", "before-import", "replaced"]
"""`replaced` is what a restore put aside; before an upgrade it is `before-schema-N`."""

STAMP = "%Y%m%d-%H%M%S"
STAMPED = re.compile(r"(?P<why>[a-z-]+)-(?P<stamp>\d{8}-\d{6})-(?P<ms>\d{3})")
UPGRADE = re.compile(r"(?P<why>before-schema)-\d+-(?P<ms>\d{13})")
SNAPSHOTS = frozenset({"auto", "before-schema", "before-import"})
"""What is made unasked may be deleted unasked."""
KEPT_BEFORE = 3
DAYS = 7
"""For so many days the newest backup of each is kept, after that the newest of each week."""


@dataclass(frozen=True)
class Backup:
    """One file of the folder."""

    path: Path
    why: str
    made_at_ms: int
    size_bytes: int


def name_for(why: Why, at_ms: int) -> str:
    """Return the name of a new backup: names in order are times in order."""
    moment = datetime.fromtimestamp(at_ms // 1000, tz=UTC)
    return f"{why}-{moment.strftime(STAMP)}-{at_ms % 1000:03d}.db"


def list_backups(folder: Path) -> list[Backup]:
    """Return the backups of a folder, the newest first."""
    found = [_backup(path) for path in folder.glob("*.db") if path.is_file()]
    return sorted(found, key=lambda one: (one.made_at_ms, one.path.name), reverse=True)


def _backup(path: Path) -> Backup:
    info = path.stat()
    why, made_at_ms = "other", int(info.st_mtime * 1000)
    if named := STAMPED.fullmatch(path.stem):
        moment = datetime.strptime(named["stamp"], STAMP).replace(tzinfo=UTC)
        why, made_at_ms = named["why"], int(moment.timestamp()) * 1000 + int(named["ms"])
    elif named := UPGRADE.fullmatch(path.stem):
        why, made_at_ms = named["why"], int(named["ms"])
    return Backup(path, why, made_at_ms, info.st_size)


def too_many(backups: Sequence[Backup], *, kept: int) -> list[Backup]:
    """Return which of the backups may go, of the newest first; what a person made stays."""
    autos = [one for one in backups if one.why == "auto"]
    leaders = _leaders(autos)[:kept]
    gone = [one for one in autos if one not in leaders]
    for why in sorted(SNAPSHOTS - {"auto"}):
        gone += [one for one in backups if one.why == why][KEPT_BEFORE:]
    return gone


def _leaders(autos: Sequence[Backup]) -> list[Backup]:
    """Return the newest of each day, and of each week where the days are long past."""
    if not autos:
        return []
    today = autos[0].made_at_ms // DAY_MS
    found: dict[tuple[str, int], Backup] = {}
    for one in autos:
        day = one.made_at_ms // DAY_MS
        period = ("day", day) if today - day < DAYS else ("week", day // 7)
        found.setdefault(period, one)
    return list(found.values())


def note_elsewhere(home: Home, *copies: Path) -> None:
    """Note copies that were made outside of the data home: an erase names those that are there."""
    known = list_elsewhere(home)
    new = [path for path in copies if path not in known and home.root not in path.parents]
    with suppress(OSError):  # the copy is made all the same
        write_private(_elsewhere(home), "".join(f"{path}\n" for path in [*known, *new]))


def list_elsewhere(home: Home) -> list[Path]:
    """Return the copies outside of the data home that are still there."""
    try:
        lines = _elsewhere(home).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [path for path in map(Path, filter(None, lines)) if path.exists()]


def _elsewhere(home: Home) -> Path:
    return home.backups / "elsewhere"
