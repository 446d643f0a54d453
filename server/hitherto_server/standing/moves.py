"""Where a missing file went, as git sees it; asked only when a file is missing."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from hitherto_server.standing.bounded import Bounded
from hitherto_server.standing.deadline import OutOfTime, spend
from hitherto_server.standing.reading import Reader, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_GIT_S = 2.0
KEPT_S = 5.0
MAX_CANDIDATES = 50
MAX_REMEMBERED = 64
COMMIT = re.compile(r"[0-9a-f]{7,64}")
# nothing that a repository configures may run: no hooks, no drivers, no file monitor
SAFE = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


class GitMoves:
    """Finds where files of one root went: each commit's renames are asked for once in a while."""

    def __init__(self, root: Path, read: Reader = read_file) -> None:
        self._root = root
        self._read = read
        self._known: Bounded[tuple[str, ...], tuple[float, tuple[str, ...]]] = Bounded(
            MAX_REMEMBERED
        )

    def find(
        self, path: str, commit: str | None, file_hash: str | None, deadline: float | None = None
    ) -> str | None:
        """Find a missing file's new path: renamed since the commit, or the same content anew."""
        renames = self._renames(commit or "HEAD", deadline)
        if path in renames:
            return renames[path]
        for candidate in self._newcomers(path, deadline):
            spend(deadline)
            if file_hash and self._read(self._root, candidate).file_hash == file_hash:
                return candidate
        return None

    def _renames(self, commit: str, deadline: float | None) -> Mapping[str, str]:
        if commit != "HEAD" and not COMMIT.fullmatch(commit):
            return {}
        asked = ("diff", "--no-ext-diff", "--no-textconv", "--relative", "-M", "--diff-filter=R")
        fields = self._git((*asked, "--name-status", "-z", commit, "--"), deadline)
        # status, old path, new path, and again
        return dict(zip(fields[1::3], fields[2::3], strict=False))

    def _newcomers(self, path: str, deadline: float | None) -> Iterator[str]:
        names = self._git(("ls-files", "--others", "--exclude-standard", "-z"), deadline)
        kind = PurePosixPath(path)
        alike = (name for name in names if PurePosixPath(name).suffix == kind.suffix)
        nearest = sorted(alike, key=lambda name: PurePosixPath(name).name != kind.name)
        yield from nearest[:MAX_CANDIDATES]

    def _git(self, arguments: tuple[str, ...], deadline: float | None) -> tuple[str, ...]:
        now = time.monotonic()
        asked_at, answer = self._known.get(arguments) or (-KEPT_S, ())
        if now - asked_at < KEPT_S:
            return answer
        answer = _run(self._root, arguments, deadline)
        self._known.put(arguments, (now, answer))
        return answer


def _run(root: Path, arguments: tuple[str, ...], deadline: float | None) -> tuple[str, ...]:
    spend(deadline)
    left = MAX_GIT_S if deadline is None else min(MAX_GIT_S, deadline - time.perf_counter())
    try:
        done = subprocess.run(
            ["git", *SAFE, "-C", str(root), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=max(left, 0.001),
            env=_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise OutOfTime from error
    except OSError:
        return ()  # no git here: nothing can be followed
    if done.returncode != 0:
        return ()
    return tuple(os.fsdecode(field) for field in done.stdout.split(b"\0") if field)


def _environment() -> dict[str, str]:
    # a server started from a git hook inherits GIT_DIR and would look at another repository
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
