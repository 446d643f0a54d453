"""Joining the arms at the level of scores: convex, each side normalised within the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.recall.hits import Scores

if TYPE_CHECKING:
    from hitherto_server.recall.arms import Evidence

NAME_WEIGHT = 2.0
FILE_WEIGHT = 1.0
# A name that the store knows is the surest evidence there is: the dense side never saw it.
WEIGHT_BESIDE_NAMES = 0.40
# What was said around a chunk is in the word index and not in its vector: alone it says little.
WEIGHT_OF_CHUNKS = 0.40
SAID_WEIGHT = 0.30
"""What it adds that the query names who said a memory: the dense side never saw that either."""


@dataclass(frozen=True)
class Ranking:
    """All candidates, best first, and what was measured of each."""

    numbers: tuple[int, ...]
    fused: dict[int, float | None]
    shares: dict[int, float]

    def scores_of(self, number: int, evidence: Evidence) -> Scores:
        """Return what the arms measured of one candidate."""
        near = None if evidence.passages is None else evidence.passages.get(number)
        return Scores(
            passage=None if near is None else near.cosine,
            bm25=None if evidence.words is None else evidence.words.get(number),
            names=frozenset(evidence.names.get(number, ())),
            names_share=self.shares.get(number, 0.0) if evidence.known_names else None,
            file=evidence.files.get(number),
            is_exact=number in evidence.exact,
            is_chunk=number in evidence.chunks,
            fusion=self.fused[number],
        )


@dataclass(frozen=True)
class Sides:
    """What each side says of the candidates, from 0 to 1; None: it was not measured."""

    dense: dict[int, float] | None
    lexical: dict[int, float] | None
    words: dict[int, float]
    """What the words alone say, before names and files."""
    shares: dict[int, float]
    """How much of the known names each memory holds."""
    best: float
    """What the lexical side was divided by."""


def sides_of(evidence: Evidence) -> Sides:
    """Return both sides, each normalised within the query."""
    words, shares = _normalised(evidence.words or {}), _name_shares(evidence)
    total = _lexical(evidence, words, shares)
    best = max(total.values(), default=0.0) if total is not None else 0.0
    lexical = None if total is None else _normalised(total)
    return Sides(_dense(evidence), lexical, words, shares, best)


def weight_of(number: int, evidence: Evidence, weight: float) -> float:
    """Return what the dense side counts for one memory."""
    if evidence.known_names:
        weight = min(weight, WEIGHT_BESIDE_NAMES)
    return min(weight, WEIGHT_OF_CHUNKS) if number in evidence.chunks else weight


def fuse(evidence: Evidence, weight: float) -> Ranking:
    """Rank all candidates; a side that was not measured is left out, not counted as 0."""
    sides = sides_of(evidence)
    fused = {
        number: _joined(number, sides, weight_of(number, evidence, weight))
        for number in evidence.numbers
    }
    fused = _with_speakers(fused, evidence.said)

    def order(number: int) -> tuple[bool, float, int]:
        return number not in evidence.exact, -(fused[number] or 0.0), -number

    return Ranking(tuple(sorted(fused, key=order)), fused, sides.shares)


def _joined(number: int, sides: Sides, weight: float) -> float | None:
    near = None if sides.dense is None else sides.dense.get(number)
    worded = None if sides.lexical is None else sides.lexical.get(number, 0.0)
    if near is None:
        return worded
    if worded is None:
        return near
    return weight * near + (1 - weight) * worded


def _dense(evidence: Evidence) -> dict[int, float] | None:
    if evidence.passages is None:
        return None
    return _spread({number: near.cosine for number, near in evidence.passages.items()})


def _lexical(
    evidence: Evidence, words: dict[int, float], shares: dict[int, float]
) -> dict[int, float] | None:
    if evidence.words is None and not evidence.names and not evidence.files:
        return None
    total = dict(words)
    for number, share in shares.items():
        total[number] = total.get(number, 0.0) + NAME_WEIGHT * share
    for number in evidence.files:
        total[number] = total.get(number, 0.0) + FILE_WEIGHT
    return total


def _name_shares(evidence: Evidence) -> dict[int, float]:
    rarity = {name: holders**-0.5 for name, holders in evidence.known_names.items()}
    whole = sum(rarity.values())
    return {
        number: sum(rarity[name] for name in names) / whole
        for number, names in evidence.names.items()
    }


def _with_speakers(fused: dict[int, float | None], said: set[int]) -> dict[int, float | None]:
    if not said:
        return fused
    whole = 1.0 + SAID_WEIGHT
    return {
        number: None if score is None else (score + SAID_WEIGHT * (number in said)) / whole
        for number, score in fused.items()
    }


def _spread(values: dict[int, float]) -> dict[int, float]:
    """Return cosines from 0 to 1: all of a query's are alike, and what sets them apart counts."""
    best = max(values.values(), default=0.0)
    least = min(*values.values(), best / 2) if values else 0.0
    if best <= 0 or best <= least:
        return dict.fromkeys(values, 0.0)
    return {number: (value - least) / (best - least) for number, value in values.items()}


def _normalised(values: dict[int, float]) -> dict[int, float]:
    best = max(values.values(), default=0.0)
    if best <= 0:
        return dict.fromkeys(values, 0.0)
    return {number: max(value, 0.0) / best for number, value in values.items()}
