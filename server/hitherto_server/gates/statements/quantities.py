"""Numbers with their units, so that 500 ms and 0.5 s are the same and 30 s and 30 min are not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Dimension = Literal["number", "time", "size", "share", "version", "clock", "date", "code"]

NAMING = frozenset(("version", "code", "date", "clock"))
"""Dimensions that name rather than measure: one may stand for another."""
SIZE_TOLERANCE = 0.05
"""1 GB is 1000 or 1024 MB, as one likes."""

_TIME = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "millisecond": 1e-3, "s": 1, "sec": 1,
    "second": 1, "sekunde": 1, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600,
    "stunde": 3600, "d": 86400, "day": 86400, "tag": 86400, "week": 604800, "woche": 604800,
    "month": 2629746, "monat": 2629746, "year": 31556952, "yr": 31556952, "jahr": 31556952,
}  # fmt: skip
_SIZE = {
    "b": 1, "byte": 1, "kb": 1e3, "kib": 1024, "mb": 1e6, "mib": 1024**2, "gb": 1e9,
    "gib": 1024**3, "tb": 1e12, "tib": 1024**4, "ki": 1024, "mi": 1024**2, "gi": 1024**3,
    "ti": 1024**4,
}  # fmt: skip
_SHARE = {"%": 0.01, "percent": 0.01, "prozent": 0.01}
_PLURALS = {"sekunden": "sekunde", "minuten": "minute", "stunden": "stunde", "tage": "tag",
            "tagen": "tag", "wochen": "woche", "monate": "monat", "monaten": "monat",
            "jahre": "jahr", "jahren": "jahr"}  # fmt: skip
_WORDS = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
NUMBER_WORDS = {word: float(number) for number, word in enumerate(_WORDS.split(), 2)} | {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
    "hundred": 100, "thousand": 1000, "dozen": 12, "twice": 2, "double": 2,
    "zwei": 2, "drei": 3, "vier": 4, "zehn": 10, "deux": 2, "trois": 3,
}  # fmt: skip
_FACTORS = {"k": 1e3, "m": 1e6}

_UNIT = "|".join(
    sorted((re.escape(u) for u in (*_TIME, *_SIZE, *_SHARE, *_PLURALS)), key=len, reverse=True)
)
_NUMBER_WORD = "|".join(NUMBER_WORDS)
QUANTITY = re.compile(
    rf"""
      (?P<date>\d{{4}}-\d\d(?:-\d\d)?(?!\d))
    | (?P<clock>\d{{1,2}}:\d\d(?::\d\d)?(?!\d))
    | (?P<code>0x[0-9a-f]+)
    | (?P<version>v?\d+\.\d+\.\d+(?:[\w.+-]*\w)?|v\d+(?:\.\d+)*)(?!\w)
    | (?P<number>\d[\d_]*(?:,\d{{3}})*(?:\.\d+)?|\b(?:{_NUMBER_WORD})\b)
      (?: (?P<factor>[km])(?!\w) | [ -]?(?P<unit>{_UNIT})s?(?!\w) )?
    | \b(?:an?|one|per|every|each)\s(?P<single>second|minute|hour|day|week|month|year|sec|min|hr)\b
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,  # else a long s or a dotless i passes for a letter of it
)
_ORDINAL = re.compile(r"\ba\s+second\b", re.IGNORECASE)


@dataclass(frozen=True)
class Quantity:
    """A value of some dimension, as it compares and as it was written."""

    dimension: Dimension
    size: float | str
    shown: str

    def equals(self, other: Quantity) -> bool:
        """Tell whether both are the same amount; a bare number fits any unit."""
        if self.dimension != other.dimension:
            bare = "number" in {self.dimension, other.dimension}
            return bare and _digits(self.shown) == _digits(other.shown)
        if isinstance(self.size, str) or isinstance(other.size, str):
            return self.size == other.size
        tolerance = SIZE_TOLERANCE if self.dimension == "size" else 1e-9
        return abs(self.size - other.size) <= tolerance * max(abs(self.size), abs(other.size))

    def differs_by_unit(self, other: Quantity) -> bool:
        """Tell whether the two have the same digits and another unit."""
        if NAMING & {self.dimension, other.dimension}:
            return False
        return not self.equals(other) and _digits(self.shown) == _digits(other.shown)


def quantity_of(found: re.Match[str]) -> Quantity | None:
    """Return what a match of `QUANTITY` says, or None if it is no amount after all."""
    shown = " ".join(found.group().split())
    for dimension in ("date", "clock", "code", "version"):
        if (text := found[dimension]) is not None:
            return Quantity(dimension, _plain(text), shown)
    if found["single"] is not None:
        if _ORDINAL.fullmatch(shown):
            return None
        return Quantity("time", _TIME[found["single"].lower()], shown)
    return _measured(found, shown)


def _measured(found: re.Match[str], shown: str) -> Quantity:
    digits = found["number"].lower().replace(",", "").replace("_", "")
    number = NUMBER_WORDS.get(digits)
    size = float(digits) if number is None else float(number)
    size *= _FACTORS.get((found["factor"] or "").lower(), 1)
    unit = (found["unit"] or "").lower()
    unit = _PLURALS.get(unit, unit)
    if unit in _TIME:
        return Quantity("time", size * _TIME[unit], shown)
    if unit in _SIZE:
        return Quantity("size", size * _SIZE[unit], shown)
    if unit in _SHARE:
        return Quantity("share", size * _SHARE[unit], shown)
    # 3.10 is no 3.1: a bare decimal may be a version
    return Quantity("number", digits if "." in digits else size, shown)


def _plain(text: str) -> str:
    text = text.lower().removeprefix("v")
    return "0" + text if re.match(r"\d:", text) else text


def _digits(shown: str) -> str:
    found = re.match(r"v?(\d[\d.,_]*|[a-zà-ÿ]+)", shown.lower())
    text = found[1].replace(",", "").rstrip(".") if found else shown
    number = NUMBER_WORDS.get(text)
    return text if number is None else f"{number:g}"


def changed_amounts(
    old: Sequence[Quantity], new: Sequence[Quantity]
) -> tuple[list[Quantity], list[Quantity]] | None:
    """Return the amounts that differ, if each side has one of a kind that the other lacks."""
    before, after = without_equal(old, new), without_equal(new, old)
    if any(_are_comparable(one, other) for one in before for other in after):
        return before, after
    return None


def without_equal(amounts: Sequence[Quantity], others: Sequence[Quantity]) -> list[Quantity]:
    """Return the amounts to which the others have no equal, each counted once."""
    left = list(others)
    found = []
    for amount in amounts:
        twin = next((other for other in left if amount.equals(other)), None)
        if twin is None:
            found.append(amount)
        else:
            left.remove(twin)
    return found


def _are_comparable(one: Quantity, other: Quantity) -> bool:
    kinds = {one.dimension, other.dimension}
    return len(kinds) == 1 or "number" in kinds or kinds <= NAMING
