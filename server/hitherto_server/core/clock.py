"""Time and identity, read at the edge and handed in."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], int]
"""Returns UTC milliseconds since 1970."""

HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS


def now_ms() -> int:
    """Return UTC milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def uuid7(at_ms: int) -> str:
    """Return a version 7 UUID (RFC 9562) whose first 48 bits are `at_ms`."""
    random_bits = secrets.randbits(74)
    value = (at_ms & ((1 << 48) - 1)) << 80
    value |= 0x7 << 76
    value |= (random_bits >> 62) << 64
    value |= 0b10 << 62
    value |= random_bits & ((1 << 62) - 1)
    return str(uuid.UUID(int=value))


def date_of(at_ms: int) -> str:
    """Return the UTC date, `2026-11-30`: dates keep a prompt's bytes stable, ages do not."""
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).date().isoformat()


def minute_of(at_ms: int) -> str:
    """Return the minute as the clock on the wall shows it here: `2026-11-30 14:05`."""
    return f"{datetime.fromtimestamp(at_ms / 1000).astimezone():%Y-%m-%d %H:%M}"
