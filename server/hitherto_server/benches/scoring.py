"""What answers beside labels amount to: confusion, precision, recall, calibration, order."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hitherto_server.benches.trial import Aspect, Label, Said

    Judged = Sequence[tuple[Label, Said]]

UNDECIDED = "undecided"
BINS = 10


@dataclass(frozen=True)
class Bin:
    """Answers of about the same probability: what they claimed, and how many were right."""

    count: int
    claimed: float
    right: float


@dataclass(frozen=True)
class Calibration:
    """How far probabilities can be believed; the error is 0 where they all can."""

    error: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Levels:
    """How well levels, or an order, were met."""

    correlation: float | None
    """Spearman's, of all items or the mean of their groups; 1 is the labels' own order."""
    mean_error: float | None
    """In levels; None where only an order was said."""
    within_one: float | None
    """Share of the levels said that are the label's own or the next one."""
    ndcg: float | None
    """Of groups that are ranked; None elsewhere."""


@dataclass(frozen=True)
class Figures:
    """What was right and wrong of one aspect."""

    count: int
    undecided: int
    accuracy: float | None
    """Of what was decided; None if nothing was."""
    precision: float | None
    """Of the label that counts, else the mean over labels; None where it was never said."""
    recall: float | None
    confusion: Mapping[str, Mapping[str, int]]
    """Expected label, then what was said."""
    calibration: Calibration | None = None
    levels: Levels | None = None


def figures_of(aspect: Aspect, judged: Judged) -> Figures:
    """Return what the answers to one aspect amount to."""
    table = _confusion(aspect, judged)
    decided = [(label, said) for label, said in judged if said.label is not None]
    right = sum(label.expected == said.label for label, said in decided)
    counted = (aspect.positive,) if aspect.positive else aspect.labels
    return Figures(
        count=len(judged),
        undecided=len(judged) - len(decided),
        accuracy=right / len(decided) if decided else None,
        precision=_mean(_precision(table, one) for one in counted),
        recall=_mean(_recall(table, one) for one in counted),
        confusion=table,
        calibration=calibration_of(
            [
                (said.chance, label.expected == said.of)
                for label, said in judged
                if said.chance is not None
            ]
        ),
        levels=_levels(judged),
    )


def calibration_of(claims: Sequence[tuple[float, bool]]) -> Calibration | None:
    """Return how far claimed probabilities agree with what came true, in ten bins."""
    if not claims:
        return None
    binned = sorted(claims, key=lambda one: _bin(one[0]))
    bins = []
    for _, group in groupby(binned, key=lambda one: _bin(one[0])):
        inside = list(group)
        bins.append(
            Bin(
                len(inside),
                sum(claimed for claimed, _ in inside) / len(inside),
                sum(is_right for _, is_right in inside) / len(inside),
            )
        )
    error = sum(one.count * abs(one.claimed - one.right) for one in bins) / len(claims)
    return Calibration(error, tuple(bins))


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the rank correlation; None where one side is all alike."""
    first, second = _ranks(one), _ranks(other)
    mean = (len(first) + 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    spread = math.prod(sum((a - mean) ** 2 for a in ranks) for ranks in (first, second))
    return both / math.sqrt(spread) if spread else None


def ndcg(grades: Sequence[float], order: Sequence[float]) -> float | None:
    """Return how good an order is against the best one; None where every grade is 0."""
    said = [grade for _, grade in sorted(zip(order, grades, strict=True), key=lambda one: -one[0])]
    best = _gain(sorted(grades, reverse=True))
    return _gain(said) / best if best else None


def _gain(grades: Sequence[float]) -> float:
    return sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades))


def _confusion(aspect: Aspect, judged: Judged) -> dict[str, dict[str, int]]:
    counts = Counter((label.expected, said.label or UNDECIDED) for label, said in judged)
    columns = (*aspect.labels, *aspect.also_said, UNDECIDED)
    return {row: {column: counts[row, column] for column in columns} for row in aspect.labels}


def _precision(table: Mapping[str, Mapping[str, int]], label: str) -> float | None:
    said = sum(row[label] for row in table.values())
    return table[label][label] / said if said else None


def _recall(table: Mapping[str, Mapping[str, int]], label: str) -> float | None:
    """Return the share that was found: what is undecided was not."""
    there = sum(table[label].values())
    return table[label][label] / there if there else None


def _levels(judged: Judged) -> Levels | None:
    placed = [(label, said, place) for label, said in judged if (place := _place(said)) is not None]
    known = [(label, said, place) for label, said, place in placed if label.grade is not None]
    if not known:
        return None
    groups: dict[str, list[tuple[float, float]]] = {}
    for label, _, place in known:
        groups.setdefault(label.id, []).append((label.grade or 0.0, place))
    is_grouped = len(groups) < len(known)
    pools = (
        list(groups.values()) if is_grouped else [[one for some in groups.values() for one in some]]
    )
    errors = [
        abs((label.grade or 0.0) - said.grade) for label, said, _ in known if said.grade is not None
    ]
    return Levels(
        correlation=_mean(spearman(*zip(*pool, strict=True)) for pool in pools),
        mean_error=_mean(errors),
        within_one=_mean([float(one <= 1) for one in errors]),
        ndcg=_mean(ndcg(*zip(*pool, strict=True)) for pool in pools) if is_grouped else None,
    )


def _place(said: Said) -> float | None:
    return said.order if said.grade is None else said.grade


def _mean(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None


def _bin(claimed: float) -> int:
    return min(int(claimed * BINS), BINS - 1)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return each value's rank; equal ones share the middle of theirs."""
    order = sorted(values)
    first = {value: order.index(value) for value in set(values)}
    counts = Counter(values)
    return [first[value] + (counts[value] + 1) / 2 for value in values]
