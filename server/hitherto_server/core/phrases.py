"""Lists of phrases as one pattern, so that they can be read and sorted."""

from __future__ import annotations

import re
from functools import cache


@cache
def any_of(*patterns: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return a pattern that finds whatever one of the others finds, compiled once."""
    return re.compile("|".join(f"(?:{one})" for one in patterns), flags)


def phrases(lines: str, *, whole_words: bool = True) -> re.Pattern[str]:
    """Return a pattern that finds any of the lines, in either case; each is an expression."""
    listed = [line.strip() for line in lines.splitlines() if line.strip()]
    if whole_words:
        listed = [rf"(?<!\w)(?:{line})(?!\w)" for line in listed]
    return any_of(*listed)
