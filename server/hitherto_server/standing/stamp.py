"""What shows at the price of a few status calls that a working tree was moved as a whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

Stamp: TypeAlias = tuple[str, tuple[int, int, int] | None, tuple[int, int, int] | None]
"""What HEAD says, and the status of the branch it names and of the index."""

MAX_HEAD_BYTES = 4096


def stamp_of(root: Path) -> Stamp | None:
    """Return what a checkout, a pull, a commit or `git add` changes; None outside git."""
    folder = _git_folder(root)
    head = None if folder is None else _text(f"{folder}/HEAD")
    if folder is None or head is None:
        return None
    branch = head.removeprefix("ref: ") if head.startswith("ref: ") else ""
    return head, _status(f"{_common(folder)}/{branch}"), _status(f"{folder}/index")


def _git_folder(root: Path) -> str | None:
    place = f"{root}/.git"
    if os.path.isdir(place):  # noqa: PTH112 - a Path costs more than the status itself
        return place
    said = _text(place)  # a worktree's: a file that names the folder
    if said is None or not said.startswith("gitdir: "):
        return None
    return os.path.join(root, said.removeprefix("gitdir: "))  # noqa: PTH118


def _common(folder: str) -> str:
    said = _text(f"{folder}/commondir")
    return folder if said is None else os.path.join(folder, said)  # noqa: PTH118


def _text(path: str) -> str | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(MAX_HEAD_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return None


def _status(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
