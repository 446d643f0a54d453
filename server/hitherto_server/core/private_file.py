"""Files of the owner's alone."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LEFT_BEHIND = re.compile(r"\..+\.[a-z0-9_]{8}")
"""What `mkstemp` calls a file that is to take another's place."""
LEFT_AFTER_S = 60.0
"""Nobody writes one for so long: its writer was killed."""
OTHERS = 0o077
COPIED_AT_ONCE = 1 << 20


def write_private(path: Path, text: str) -> None:
    """Write a file of the owner's alone, whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)  # a full disk would keep one of each try
        raise


def copy_private(source: Path, target: Path) -> None:
    """Copy a file to one of the owner's alone; a half one never has its name. Raises OSError."""
    unfinished = target.with_name(f".{target.name}.part")
    try:
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with source.open("rb") as read, os.fdopen(handle, "wb") as written:
            shutil.copyfileobj(read, written, COPIED_AT_ONCE)
            written.flush()
            os.fsync(written.fileno())
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def remove_left_behind(folders: Iterable[Path]) -> None:
    """Remove what writers that were killed left beside the files that they were to replace."""
    written_before = time.time() - LEFT_AFTER_S
    for folder in folders:
        for path in folder.glob(".*"):
            try:
                if LEFT_BEHIND.fullmatch(path.name) and path.lstat().st_mtime < written_before:
                    path.unlink()
            except OSError:  # it is somebody's after all, or gone
                continue


def close_to_others(folders: Iterable[Path]) -> None:
    """Take from others what an older version, a copy or a person's shell let them read."""
    for folder in folders:
        for path in folder.glob("*"):
            try:
                mode = path.lstat().st_mode
                if stat.S_ISREG(mode) and stat.S_IMODE(mode) & OTHERS:
                    path.chmod(stat.S_IMODE(mode) & ~OTHERS)
            except OSError:  # it is somebody else's, or gone
                continue
