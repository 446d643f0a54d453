"""Where a missing file went, as git sees it or by its content; asked only when one is missing."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from hitherto_server.standing.asking_git import ask_git
from hitherto_server.standing.bounded import Bounded
from hitherto_server.standing.deadline import spend
from hitherto_server.standing.listing import list_files
from hitherto_server.standing.reading import Reader, read_file
from hitherto_server.standing.stamp import Stamp, stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KEPT_S = 60.0
UNSTAMPED_S = 5.0
"""How long an answer counts while nothing shows a change, and where nothing would show it."""
MAX_CANDIDATES = 50
MAX_REMEMBERED = 64
COMMIT = re.compile(r"[0-9a-f]{7,64}")

Key = tuple[str, ...]
Answer = tuple[float, object, tuple[str, ...]]


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
        fields = self._kept(asked, stamp, KEPT_S, lambda: ask_git(self._root, asked, deadline))
        # status, old path, new path, and again
        return dict(zip(fields[1::3], fields[2::3], strict=False))

    def _same_content(
        self, path: str, file_hash: str, stamp: Stamp | None, deadline: float | None
    ) -> str | None:
        # a file that was moved away has changed its folder, or a folder above that is gone too
        seen = (stamp, _nearest_folder(self._root, path))
        key = ("same", path, file_hash)

        def search() -> tuple[str, ...]:
            return tuple(self._search(path, file_hash, stamp, seen[1], deadline))

        found = self._kept(key, seen, UNSTAMPED_S if stamp is None else KEPT_S, search)
        return found[0] if found else None

    def _search(
        self,
        path: str,
        file_hash: str,
        stamp: Stamp | None,
        folder: object,
        deadline: float | None,
    ) -> Iterator[str]:
        for candidate in self._newcomers(path, stamp, folder, deadline):
            spend(deadline)
            if self._read(self._root, candidate).file_hash == file_hash:
                yield candidate
                return

    def _newcomers(
        self, path: str, stamp: Stamp | None, folder: object, deadline: float | None
    ) -> list[str]:
        if stamp is None:
            asked: Key = ("walk",)
            names = self._kept(asked, folder, UNSTAMPED_S, lambda: list_files(self._root, deadline))
        else:
            asked = ("ls-files", "--others", "--exclude-standard", "-z")
            seen = (stamp, folder)
            names = self._kept(asked, seen, KEPT_S, lambda: ask_git(self._root, asked, deadline))
        kind = PurePosixPath(path)
        alike = (name for name in names if PurePosixPath(name).suffix == kind.suffix)
        return sorted(alike, key=lambda name: PurePosixPath(name).name != kind.name)[
            :MAX_CANDIDATES
        ]

    def _kept(
        self, key: Key, seen: object, at_most_s: float, ask: Callable[[], tuple[str, ...]]
    ) -> tuple[str, ...]:
        now = time.monotonic()
        known = self._known.get(key)
        if known is not None and known[1] == seen and now - known[0] < at_most_s:
            return known[2]
        answer = ask()
        self._known.put(key, (now, seen, answer))
        return answer


def _nearest_folder(root: Path, path: str) -> tuple[str, int] | None:
    """Tell the nearest folder that is left above a missing file, and when it changed."""
    folder = os.path.dirname(path)  # noqa: PTH120 - a Path costs more than the status itself
    while True:
        try:
            return folder, os.stat(f"{root}/{folder}").st_mtime_ns  # noqa: PTH116
        except (OSError, ValueError):
            if not folder:
                return None
            folder = os.path.dirname(folder)  # noqa: PTH120
