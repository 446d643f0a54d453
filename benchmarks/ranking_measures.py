"""How good a ranking is, and whether two differ by more than chance."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

RESAMPLES = 2000


@dataclass(frozen=True)
class Measured:
    """One question's figures; each is between 0 and 1."""

    ndcg_10: float
    recall_5: float
    recall_10: float
    mrr: float
    any_5: float
    all_5: float


def measure(ranked: Sequence[str], answers: Collection[str]) -> Measured:
    """Return the figures of one ranking, best first, against the answers."""
    hits = [key in answers for key in ranked[:10]]
    gained = sum(1 / math.log2(place + 2) for place, hit in enumerate(hits) if hit)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(answers), 10)))
    first = next((place for place, hit in enumerate(hits) if hit), None)
    five = sum(hits[:5])
    return Measured(
        ndcg_10=gained / ideal,
        recall_5=five / len(answers),
        recall_10=sum(hits) / len(answers),
        mrr=0.0 if first is None else 1 / (first + 1),
        any_5=float(five > 0),
        all_5=float(five == len(answers)),
    )


def means(rows: Sequence[Measured]) -> dict[str, float]:
    """Return the mean of each figure."""
    values = [asdict(row) for row in rows]
    return {name: round(float(np.mean([row[name] for row in values])), 4) for name in values[0]}


def interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean."""
    found = np.asarray(values, dtype=float)
    picks = np.random.default_rng(seed).integers(0, found.size, (RESAMPLES, found.size))
    low, high = np.percentile(found[picks].mean(axis=1), [2.5, 97.5])
    return round(float(low), 4), round(float(high), 4)


def difference(
    ours: Sequence[Measured], theirs: Sequence[Measured], seed: int
) -> dict[str, float | list[float]]:
    """Return ours minus theirs in nDCG@10 over the same questions, with its 95 % interval."""
    paired = [a.ndcg_10 - b.ndcg_10 for a, b in zip(ours, theirs, strict=True)]
    return {"mean": round(float(np.mean(paired)), 4), "ci95": list(interval(paired, seed))}
