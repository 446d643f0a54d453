"""What background work does with an answer that did not come, and what asking has cost it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.maintenance.queue import Done, Later

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.judge.answers import Answers, Reason, Unavailable

NOBODY: frozenset[Reason] = frozenset({"killed", "off", "surface_off", "no_backend"})
"""Nobody is to be asked: the rules stand, and a backfill may ask one day."""
PASSED_OVER: frozenset[Reason] = frozenset({"ignored"})
"""It is not to be asked about, and that says nothing of all others."""
PATIENCE: frozenset[Reason] = frozenset({"not_before", "breaker_open", "cancelled"})
"""It is no fault of what was asked: everything of its kind waits."""


@dataclass(frozen=True)
class Spent:
    """What some requests have taken."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    def __add__(self, other: Spent) -> Spent:
        costs = [one for one in (self.cost_usd, other.cost_usd) if one is not None]
        return Spent(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum(costs) if costs else None,
        )


def spent_on(answers: Sequence[Answers]) -> Spent:
    """Return what some answers have taken; one that was kept from before has taken nothing."""
    total = Spent()
    for one in answers:
        if not one.cached:
            total += Spent(one.input_tokens or 0, one.output_tokens or 0, one.cost_usd)
    return total


def without(unavailable: Unavailable) -> Done | Later:
    """Return what becomes of a job whose question nobody has answered."""
    if unavailable.reason in NOBODY | PASSED_OVER:
        return Done()
    if unavailable.reason in PATIENCE:
        return Later(unavailable.reason, counts=False, holds=True)
    return Later(unavailable.reason)
