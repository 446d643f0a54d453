"""Time that runs out: a check that cannot finish says so instead of guessing."""

from __future__ import annotations

import time


class OutOfTime(Exception):
    """The deadline passed before everything was looked at."""


def spend(deadline: float | None) -> None:
    """Raise `OutOfTime` once `time.perf_counter()` has passed the deadline."""
    if deadline is not None and time.perf_counter() > deadline:
        raise OutOfTime
