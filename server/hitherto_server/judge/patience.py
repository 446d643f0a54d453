"""How long a backend asks to be left alone."""

from __future__ import annotations

import math
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_WAIT_S = 3600.0
UNSAID_WAIT_S = 10.0
"""What a refusal for too many requests asks for where it says nothing."""
PATIENT = frozenset({429, 503, 529})
"""The statuses with which a server asks for patience; a 503 only where it says how much."""


def wait_asked_for(status: int, headers: Mapping[str, str], now_ms: int) -> float | None:
    """Return the seconds that a reply asks to wait; None if it asks for none."""
    if status not in PATIENT:
        return None
    told = _milliseconds(headers.get("retry-after-ms"))
    if told is None:
        told = _seconds_or_date(headers.get("retry-after"), now_ms)
    if told is None:
        return None if status == 503 else UNSAID_WAIT_S  # noqa: PLR2004 - the protocol's number
    return min(max(told, 0.0), LONGEST_WAIT_S)


def _milliseconds(text: str | None) -> float | None:
    number = _number(text)
    return None if number is None else number / 1000


def _seconds_or_date(text: str | None, now_ms: int) -> float | None:
    if text is None or (number := _number(text)) is not None:
        return None if text is None else number
    try:
        return parsedate_to_datetime(text).timestamp() - now_ms / 1000
    except (ValueError, TypeError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
