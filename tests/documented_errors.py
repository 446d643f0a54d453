"""What docs/errors.md promises, as tests read it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "errors.md"
ROW = re.compile(r"^\| `(?P<code>[a-z_]+)` \| (?P<status>\d+) \| ", re.MULTILINE)


@cache
def documented() -> dict[str, str]:
    """Return the status of each documented code, as the page writes it."""
    return {row["code"]: row["status"] for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))}


def documented_codes() -> frozenset[str]:
    """Return every code that the page explains."""
    return frozenset(documented())
