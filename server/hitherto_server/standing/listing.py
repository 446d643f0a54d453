"""Which files a project has: as git lists them, else by a walk that ends."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from hitherto_server.standing.asking_git import ask_git
from hitherto_server.standing.deadline import spend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MAX_WALKED = 20_000
NOT_WALKED = frozenset(
    "node_modules venv __pycache__ target dist build vendor site-packages".split()  # noqa: SIM905
)


def list_files(root: Path, deadline: float | None = None) -> tuple[str, ...]:
    """List a project's files, relative to its root; ignored ones are left out."""
    if (root / ".git").exists():
        asked = ("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        return tuple(dict.fromkeys(ask_git(root, asked, deadline)))
    return tuple(islice(_walk(root, "", deadline), MAX_WALKED))


def only_place(name: str, files: Iterable[str]) -> str | None:
    """Return the one file that a half-named path can mean; None if there are several, or none."""
    end = f"/{name.removeprefix('./').lstrip('/')}"
    found = [file for file in files if file.endswith(end)]
    return found[0] if len(found) == 1 else None


def _walk(root: Path, inside: str, deadline: float | None) -> Iterator[str]:
    spend(deadline)
    try:
        with os.scandir(root / inside) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in listed:
        name = f"{inside}{entry.name}"
        if entry.is_file(follow_symlinks=False):
            yield name
        elif entry.is_dir(follow_symlinks=False) and not _is_skipped(entry.name):
            yield from _walk(root, f"{name}/", deadline)


def _is_skipped(folder: str) -> bool:
    return folder.startswith(".") or folder in NOT_WALKED
