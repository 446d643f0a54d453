"""Whether a file that another program named is this user's own."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def own_file(path: Path) -> os.stat_result | None:
    """Return the state of a regular file that is this user's; None for all else, links included."""
    try:
        found = path.lstat()
    except OSError:
        return None
    is_own = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid()
    return found if is_own else None
