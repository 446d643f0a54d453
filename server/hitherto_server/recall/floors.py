"""How good the evidence must be: low where somebody asked, high where nobody did."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from hitherto_server.recall.common_words import common_stems
from hitherto_server.recall.floor_weights import WITH_MEANING, WORDS_ONLY
from hitherto_server.recall.query import FILE_SHAPE
from hitherto_server.recall.stem import stem
from hitherto_server.recall.wishes import is_housekeeping, is_question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.recall.hits import Scores
    from hitherto_server.recall.query import PreparedQuery


class Floor(Protocol):
    """Says why a memory is too far from a question, or None; one that was wrong must be nearer."""

    def __call__(self, scores: Scores, wrong_sessions: int = 0, /) -> str | None:
        """Return the reason why it is not let through."""


LEAST_COVERAGE = 0.20
LEAST_COSINE = 0.15
COMMON_SHARE = 0.4
"""What a word of many requests counts beside one that says what a request is about."""
SAMPLE = 12
"""How many candidates a word's rarity is judged among, whatever the store's size."""
FEW_HOLDERS = 3
"""An identifier that more candidates hold says little about any of them."""
BESIDE = 0.05
"""How much less than the best one a memory beside it may have."""


def explicit_floor(scores: Scores, _wrong_sessions: int = 0, /) -> str | None:
    """Return why a memory is too far from what somebody asked for, or None."""
    return None if let_through_by(scores) else "below the floor"


def let_through_by(scores: Scores) -> str | None:
    """Say what lets a memory through to somebody who asked; None if nothing does."""
    if known := _known_by(scores):
        return known
    if scores.coverage is not None and scores.coverage >= LEAST_COVERAGE:
        return f"coverage {scores.coverage:.2f} >= {LEAST_COVERAGE:.2f}"
    if scores.passage is not None and scores.passage >= LEAST_COSINE:
        return f"cosine {scores.passage:.2f} >= {LEAST_COSINE:.2f}"
    return None


def _known_by(scores: Scores) -> str | None:
    if scores.is_exact:
        return "its id was given"
    if scores.names:
        return "it holds a name of the question"
    if scores.file is not None:
        return "it is tied to a file of the question"
    if scores.is_chunk and scores.bm25:
        return "a chunk that words of the question stand in or around"
    return None


def automatic_floor(query: PreparedQuery, found: Sequence[Scores], *, least: float) -> Floor:
    """Return the floor of one prompt: its best memory must be likely, then each by itself."""
    likely = {one: probability(features) for one, features in measured(query, found)}
    passes = max(likely.values(), default=0.0) >= least

    asked = _asked_by_name(query, found)

    def floor(scores: Scores, wrong_sessions: int = 0, /) -> str | None:
        if scores.is_exact or scores in asked:
            return None
        wanted = raised(least, wrong_sessions)
        if passes and likely[scores] >= wanted - BESIDE:
            return None
        return f"below the floor: probability {likely[scores]:.2f} < {wanted:.2f}"

    return floor


def raised(least: float, wrong_sessions: int) -> float:
    """Return how likely a memory that was wrong must be: each time doubles the odds it needs."""
    times = float(2**wrong_sessions)
    return least * times / (1 - least + least * times)


def _asked_by_name(query: PreparedQuery, found: Sequence[Scores]) -> frozenset[Scores]:
    """Return what holds an identifier that a question is about: the model never saw the name."""
    if not is_question(query.text):
        return frozenset()
    identifiers = (name for name in query.names if not FILE_SHAPE.match(name))
    holders = ([one for one in found if name in one.names] for name in identifiers)
    return frozenset(one for some in holders if len(some) <= FEW_HOLDERS for one in some)


@dataclass(frozen=True)
class Features:
    """What tells a memory that a prompt is about from one that only shares words with it."""

    likeness: float
    """Geometric mean of the cosine and the shared words: both must speak for it."""
    shared: float
    """How much the shared words say, rare ones among the candidates more."""
    shared_gap: float
    """How far another candidate is ahead in that."""
    rarest: float
    """What the rarest of the shared words says."""
    identifier: float
    """1 if it holds an identifier of the prompt, other than a file."""
    housekeeping: float
    """1 if the prompt changes how something is written, not what it does."""
    cosine: float | None = None
    cosine_gap: float | None = None
    """How far another candidate is ahead."""


def measured(query: PreparedQuery, found: Sequence[Scores]) -> list[tuple[Scores, Features]]:
    """Return the features of all candidates of a prompt, each seen beside the others."""
    weights = _rarities(query, found)
    said = [[weights[term] for term in one.held] for one in found]
    cosines = [one.passage for one in found if one.passage is not None]
    beside = _Beside(
        most_shared=max((sum(some) for some in said), default=0.0),
        nearest=max(cosines, default=0.0),
        housekeeping=float(is_housekeeping(query.text)),
    )
    return [(one, _features(one, some, beside)) for one, some in zip(found, said, strict=True)]


def probability(features: Features) -> float:
    """Return how likely it is that a person would want to see the memory."""
    weights = WORDS_ONLY if features.cosine is None else WITH_MEANING
    total = weights["bias"]
    for name, weight in weights.items():
        if name != "bias":
            total += weight * getattr(features, name)
    return 1.0 / (1.0 + math.exp(-max(min(total, 30.0), -30.0)))


@dataclass(frozen=True)
class _Beside:
    """What a candidate is compared with."""

    most_shared: float
    nearest: float
    housekeeping: float


def _features(one: Scores, said: list[float], beside: _Beside) -> Features:
    shared = sum(said)
    words = Features(
        likeness=0.0,
        shared=shared,
        shared_gap=beside.most_shared - shared,
        rarest=max(said, default=0.0),
        identifier=float(any(not FILE_SHAPE.match(name) for name in one.names)),
        housekeeping=beside.housekeeping,
    )
    if one.passage is None:
        return words
    return replace(
        words,
        likeness=math.sqrt(max(one.passage, 0.0) * shared),
        cosine=one.passage,
        cosine_gap=beside.nearest - one.passage,
    )


def _rarities(query: PreparedQuery, found: Sequence[Scores]) -> dict[str, float]:
    """Weigh each term by how few of the candidates hold it: the store's size changes nothing."""
    weights = {}
    for term in (*query.words, *query.names):
        holders = sum(term in one.held for one in found)
        common = COMMON_SHARE if stem(term) in common_stems() else 1.0
        weights[term] = common * math.log(1 + (SAMPLE + 1) / (holders + 0.5))
    return weights
