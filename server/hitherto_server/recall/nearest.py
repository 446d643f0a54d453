"""The passage of a memory that is nearest to a question."""

from __future__ import annotations

from typing import NamedTuple


class Nearest(NamedTuple):
    """A memory's best passage."""

    cosine: float
    start: int
    end: int
