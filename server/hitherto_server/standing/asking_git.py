"""Asking git about a working tree, so that nothing which a repository configures is run."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

from hitherto_server.standing.deadline import OutOfTime, spend

if TYPE_CHECKING:
    from pathlib import Path

MAX_GIT_S = 2.0
# nothing that a repository configures may run: no hooks, no drivers, no file monitor
SAFE = ("-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def ask_git(root: Path, arguments: tuple[str, ...], deadline: float | None) -> tuple[str, ...]:
    """Return the fields that a git command prints, ended by zeros; none where it fails."""
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
