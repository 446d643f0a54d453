"""Lists of phrases as one pattern: each line an alternative, so that it can be read and sorted."""

from __future__ import annotations

import re


def phrases(lines: str, *, whole_words: bool = True) -> re.Pattern[str]:
    """Return a pattern that finds any of the lines, in either case; each is an expression."""
    listed = [line.strip() for line in lines.splitlines() if line.strip()]
    if whole_words:
        listed = [rf"(?<!\w)(?:{line})(?!\w)" for line in listed]
    return re.compile("|".join(f"(?:{line})" for line in listed), re.IGNORECASE)
