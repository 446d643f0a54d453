"""Where a missing file went, as git sees it or by its content; asked only when one is missing."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.standing.asking_git import ask_git
from hitherto_server.standing.bounded import Bounded
from hitherto_server.standing.deadline import spend
from hitherto_server.standing.listing import list_files
from hitherto_server.standing.reading import Reader, read_file
from hitherto_server.standing.stamp import Stamp, stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KEPT_S = 60.0
"""How long an answer counts while nothing shows that something moved."""
TICK_NS = 20_000_000
"""What a file system's clock may be behind: an answer this near to a move is asked again."""
MAX_CANDIDATES = 50
MAX_REMEMBERED = 4096
COMMIT = re.compile(r"[0-9a-f]{7,64}")

Key = tuple[str, ...]


class Answer(NamedTuple):
    """What was answered, when, and what the working tree showed of itself then."""

    names: tuple[str, ...]
    at_s: float
    at_ns: int
    stamp: Stamp | None


class Moves:
    """Finds where files of one root went: what was asked is kept until something moves again."""

    def __init__(self, root: Path, read: Reader = read_file) -> None:
        self._root = root
        self._read = read
        self._known: Bounded[Key, Answer] = Bounded(MAX_REMEMBERED)

    def find(
        self, path: str, commit: str | None, file_hash: str | None, deadline: float | None = None
    ) -> str | None:
        """Find a missing file's new path: renamed since the commit, or the same content anew."""
        stamp = stamp_of(self._root)
        if stamp is not None:
            renames = self._renames(commit or "HEAD", stamp, deadline)
            if path in renames:
                return renames[path]
        return self._same_content(path, file_hash, stamp, deadline) if file_hash else None

    def _renames(self, commit: str, stamp: Stamp, deadline: float | None) -> Mapping[str, str]:
        if commit != "HEAD" and not COMMIT.fullmatch(commit):
            return {}
        asked = ("diff", "--no-ext-diff", "--no-textconv", "--relative", "-M", "--diff-filter=R",
                 "--name-status", "-z", commit, "--")  # fmt: skip
        fields = self._kept(asked, stamp, 0, lambda: ask_git(self._root, asked, deadline))
        # status, old path, new path, and again
        return dict(zip(fields[1::3], fields[2::3], strict=False))

    def _same_content(
        self, path: str, file_hash: str, stamp: Stamp | None, deadline: float | None
    ) -> str | None:
        # a file that was moved away has changed its folder, or a folder above that is gone too
        found = self._place(path, file_hash, stamp, _changed_ns(self._root, path), deadline)
        if found and not os.path.exists(f"{self._root}/{found}"):  # noqa: PTH110 - a Path costs more
            found = self._place(path, file_hash, stamp, time.time_ns(), deadline)  # it went on
        return found

    def _place(
        self,
        path: str,
        file_hash: str,
        stamp: Stamp | None,
        moved_ns: int,
        deadline: float | None,
    ) -> str | None:
        def search() -> tuple[str, ...]:
            return tuple(self._search(path, file_hash, stamp, moved_ns, deadline))

        found = self._kept(("same", path, file_hash), stamp, moved_ns, search)
        return found[0] if found else None

    def _search(
        self,
        path: str,
        file_hash: str,
        stamp: Stamp | None,
        moved_ns: int,
        deadline: float | None,
    ) -> Iterator[str]:
        for candidate in self._newcomers(path, stamp, moved_ns, deadline):
            spend(deadline)
            if self._read(self._root, candidate).file_hash == file_hash:
                yield candidate
                return

    def _newcomers(
        self, path: str, stamp: Stamp | None, moved_ns: int, deadline: float | None
    ) -> list[str]:
        if stamp is None:
            asked: Key = ("walk",)
            names = self._kept(asked, stamp, moved_ns, lambda: list_files(self._root, deadline))
        else:
            asked = ("ls-files", "--others", "--exclude-standard", "-z")
            names = self._kept(asked, stamp, moved_ns, lambda: ask_git(self._root, asked, deadline))
        kind = PurePosixPath(path)
        alike = (name for name in names if PurePosixPath(name).suffix == kind.suffix)
        nearest = sorted(alike, key=lambda name: PurePosixPath(name).name != kind.name)
        return nearest[:MAX_CANDIDATES]

    def _kept(
        self, key: Key, stamp: Stamp | None, moved_ns: int, ask: Callable[[], tuple[str, ...]]
    ) -> tuple[str, ...]:
        """Return what was answered after something moved last, or ask."""
        now_s, now_ns = time.monotonic(), time.time_ns()
        known = self._known.get(key)
        if (
            known is not None
            and known.stamp == stamp
            and known.at_ns > moved_ns + TICK_NS
            and now_s - known.at_s < KEPT_S
        ):
            return known.names
        answer = Answer(ask(), now_s, now_ns, stamp)
        self._known.put(key, answer)
        return answer.names


def _changed_ns(root: Path, path: str) -> int:
    """Tell when the nearest folder that is left above a missing file was changed."""
    folder = os.path.dirname(path)  # noqa: PTH120 - a Path costs more than the status itself
    while True:
        try:
            return os.stat(f"{root}/{folder}").st_mtime_ns  # noqa: PTH116
        except (OSError, ValueError):
            if not folder:
                return 0
            folder = os.path.dirname(folder)  # noqa: PTH120
