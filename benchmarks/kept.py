"""Where a benchmark finds public sets, and where it may keep what it makes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def sets_in(data: Path) -> Path:
    """Return the folder of public sets: the environment's, else the data folder."""
    return Path(os.environ.get("HITHERTO_BENCH_SETS", data))


def kept_in(data: Path) -> Path:
    """Return where things are kept between runs: the data folder, unless it is read-only."""
    if data.exists() and not data.stat().st_mode & 0o200:
        data = Path(tempfile.gettempdir()) / f"hitherto-bench-{os.getuid()}"
    data.mkdir(parents=True, exist_ok=True)
    return data
