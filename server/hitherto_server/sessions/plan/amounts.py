"""Amounts of a unit, as a decision settles them and as a step of a plan gives them."""

from __future__ import annotations

import re
from typing import Literal

Bound = Literal["most", "least", "just"]

_WORDS = "one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: float(at) for at, word in enumerate(_WORDS.split(), 1)} | {
    "once": 1.0, "twice": 2.0, "fifteen": 15.0, "twenty": 20.0, "thirty": 30.0, "sixty": 60.0,
}  # fmt: skip
UNITS = {
    "s": ("time", 1.0), "sec": ("time", 1.0), "second": ("time", 1.0), "ms": ("time", 0.001),
    "millisecond": ("time", 0.001), "min": ("time", 60.0), "minute": ("time", 60.0),
    "h": ("time", 3600.0), "hour": ("time", 3600.0), "day": ("time", 86400.0),
    "week": ("time", 604800.0), "month": ("time", 2592000.0), "year": ("time", 31536000.0),
    "kb": ("size", 1e3), "mb": ("size", 1e6), "gb": ("size", 1e9), "tb": ("size", 1e12),
    "%": ("%", 1.0), "percent": ("%", 1.0), "px": ("px", 1.0), "character": ("character", 1.0),
    "attempt": ("try", 1.0), "time": ("try", 1.0), "retry": ("try", 1.0), "retrie": ("try", 1.0),
    "request": ("request", 1.0), "connection": ("connection", 1.0), "row": ("row", 1.0),
    "item": ("item", 1.0), "replica": ("replica", 1.0), "worker": ("worker", 1.0),
    "core": ("core", 1.0), "node": ("node", 1.0), "line": ("line", 1.0),
}  # fmt: skip
_NAMED = "|".join(sorted(UNITS, key=len, reverse=True))
AMOUNT = re.compile(
    rf"(?<![\w.:])(\d[\d,]*(?:\.\d+)?|{'|'.join(NUMBERS)})[ -]?"
    rf"(?:(?:parallel|concurrent|more|whole) )?({_NAMED})s?(?!\w)",
    re.IGNORECASE,
)
MOST = re.compile(
    r"\b(?:at (?:the )?most|at maximum|max(?:imum)?|no more than|not more than|more gets|up to"
    r"|(?:exceed|longer than|larger than|above|beyond|over)\b|within|in all|allows?)\b",
    re.IGNORECASE,
)
LEAST = re.compile(
    r"\b(?:at least|min(?:imum)?|no(?:t)? (?:less|fewer|shorter) than|or more|below)\b",
    re.IGNORECASE,
)


def amounts_in(text: str) -> dict[str, frozenset[float]]:
    """Return what a text gives of each kind of unit, in that kind's smallest."""
    found: dict[str, set[float]] = {}
    for number, unit in AMOUNT.findall(text):
        kind, factor = UNITS[unit.lower()]
        value = NUMBERS.get(number.lower()) or float(number.replace(",", ""))
        found.setdefault(kind, set()).add(value * factor)
    return {kind: frozenset(values) for kind, values in found.items()}


def bound_of(text: str) -> Bound:
    """Tell whether a text says how much at most, at least, or just how much."""
    if MOST.search(text):
        return "most"
    return "least" if LEAST.search(text) else "just"


def breaks(settled: float, planned: float, bound: Bound) -> bool:
    """Tell whether an amount goes against a settled one."""
    match bound:
        case "most":
            return planned > settled
        case "least":
            return planned < settled
        case "just":
            return planned != settled
