"""Two thresholds of one answer: no below the one, yes from the other on, neither between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Band:
    """The names of the two thresholds."""

    no_below: str
    yes_from: str

    def decide(self, probability: float | None, thresholds: Mapping[str, float]) -> bool | None:
        """Return what a probability says; None between the thresholds, or where none came."""
        if probability is None:
            return None
        if probability < thresholds[self.no_below]:
            return False
        return True if probability >= thresholds[self.yes_from] else None

    def is_crossed(self, thresholds: Mapping[str, float]) -> bool:
        """Tell whether a probability could be below the one and above the other at once."""
        return thresholds[self.no_below] > thresholds[self.yes_from]
