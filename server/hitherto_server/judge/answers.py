"""What a judgment answers: one answer a question, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Reason = Literal[
    "killed",  # HITHERTO_JUDGE=off
    "off",  # the master switch
    "surface_off",
    "ignored",  # the folder that it is about is left alone
    "no_backend",  # no backend is configured: the rules answer
    "not_before",  # the backend asked for patience
    "breaker_open",  # it failed lately
    "timeout",
    "http",
    "invalid",
    "budget",  # too little time is left to ask, or the question is too large
    "cancelled",
]


@dataclass(frozen=True)
class Unavailable:
    """No judgment came; the caller's rule stands."""

    reason: Reason
    detail: str = ""
    """One line for people, without anything private."""
    log_id: int | None = None


@dataclass(frozen=True)
class Noul:
    """How probable "yes" is, 0 to 1; near 0.5 it says nothing."""

    probability: float


@dataclass(frozen=True)
class Choice:
    """Which option holds: the probability of each, and how far the best stands out, 0 to 1."""

    choice: str
    probabilities: Mapping[str, float]
    confidence: float


@dataclass(frozen=True)
class Score:
    """A place on ordered levels: the expected level (0 is the first), its confidence 0 to 1."""

    score: float
    probabilities: tuple[float, ...]
    confidence: float


Answer = Noul | Choice | Score


@dataclass(frozen=True)
class Answers:
    """What came back: each question's answer, or why that one can't be used."""

    by_key: Mapping[str, Answer | Unavailable]
    model: str
    """The version that answered, not the alias that was asked for."""
    calibrated: bool
    """False: its probabilities may rank or advise, never refuse a write, supersede or heal."""
    cached: bool = False
    latency_ms: float = 0.0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    log_id: int | None = field(default=None, compare=False)

    def noul(self, key: str) -> float | None:
        """Return the probability of yes; None if that question has no usable answer."""
        answer = self.by_key.get(key)
        return answer.probability if isinstance(answer, Noul) else None

    def holds(self, key: str, least_probability: float) -> bool | None:
        """Tell whether yes is so probable; None if that question has no usable answer."""
        probability = self.noul(key)
        return None if probability is None else probability >= least_probability

    def choice(self, key: str) -> Choice | None:
        """Return the choice; None if that question has no usable answer."""
        answer = self.by_key.get(key)
        return answer if isinstance(answer, Choice) else None

    def score(self, key: str) -> Score | None:
        """Return the score; None if that question has no usable answer."""
        answer = self.by_key.get(key)
        return answer if isinstance(answer, Score) else None


def choice_confidence(probabilities: Mapping[str, float]) -> float:
    """Return how far the best of n options stands out: 0 is all alike, 1 is certain."""
    count = len(probabilities)
    if count == 1:
        return 1.0
    return (max(probabilities.values()) - 1 / count) / (1 - 1 / count)


def score_confidence(probabilities: tuple[float, ...]) -> float:
    """Return how closely the levels gather around the likeliest: 1 is all on one."""
    count = len(probabilities)
    mode = max(range(count), key=probabilities.__getitem__)
    away = sum(p * abs(level - mode) for level, p in enumerate(probabilities))
    by_chance = sum(abs(level - (count - 1) / 2) for level in range(count)) / count
    return max(0.0, 1 - away / by_chance)
