"""What a reranker is told of a candidate, and the reranker itself: a conditional logit in numpy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hitherto_server.core.words import folded
from hitherto_server.recall.coverage import occurring
from hitherto_server.recall.fusion import sides_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hitherto_server.recall.arms import Evidence
    from hitherto_server.recall.fusion import Ranking
    from hitherto_server.recall.known import Known
    from hitherto_server.recall.query import PreparedQuery

    Matrix = NDArray[np.float64]

NAMES = (
    "fusion", "near", "words", "cosine", "cosine_gap", "rarity", "both",
    "names", "file", "person", "tags", "length", "importance", "age",
)  # fmt: skip
DAY_MS = 86_400_000
STEPS, STEP = 400, 0.05


def features(
    query: PreparedQuery,
    evidence: Evidence,
    ranking: Ranking,
    known: Known,
    numbers: Sequence[int],
    *,
    now_ms: int,
) -> Matrix:
    """Return one row a candidate; the order of the columns is that of NAMES."""
    sides = sides_of(evidence)
    weights = _rarities(query, [known.match(number).held for number in numbers])
    whole = sum(weights.values()) or 1.0
    cosines = [near.cosine for near in (evidence.passages or {}).values()]
    best = max(cosines, default=0.0)
    rows = []
    for number in numbers:
        text, match = known.text(number), known.match(number)
        near = 0.0 if sides.dense is None else sides.dense.get(number, 0.0)
        words = 0.0 if sides.lexical is None else sides.lexical.get(number, 0.0)
        passage = (evidence.passages or {}).get(number)
        cosine = 0.0 if passage is None else passage.cosine
        rows.append(
            [
                ranking.fused[number] or 0.0,
                near,
                words,
                cosine,
                best - cosine,
                sum(weights[term] for term in match.held) / whole,
                near * words,
                len(match.names) / max(len(query.names), 1),
                float(number in evidence.files),
                float(number in evidence.said),
                _in_tags(query, text),
                math.log1p(len(text["content"])) / 7,
                text["importance"] / 10,
                math.log1p(max(now_ms - text["learned_at_ms"], 0) / DAY_MS) / 7,
            ]
        )
    return np.array(rows, dtype=float).reshape(len(rows), len(NAMES))


def _rarities(query: PreparedQuery, held: Sequence[frozenset[str]]) -> dict[str, float]:
    terms = (*query.words, *query.names)
    holders = {term: sum(term in one for one in held) for term in terms}
    return {term: math.log(1 + (len(held) + 1) / (holders[term] + 0.5)) for term in terms}


def _in_tags(query: PreparedQuery, text: Any) -> float:
    held = occurring(query, folded(f"{text['tags']} {text['category']}"))
    return len(held) / max(len(query.words) + len(query.names), 1)


def fit(questions: Sequence[tuple[Matrix, Matrix]], ridge: float = 1.0) -> Matrix:
    """Return weights that make the answers of each question likely among its candidates.

    A question is its candidates' rows and which of them are answers (0 or 1); the same questions
    give the same weights.
    """
    useful = [(rows, right / right.sum()) for rows, right in questions if right.sum() > 0]
    spread = np.concatenate([rows for rows, _ in useful]).std(axis=0) + 1e-9
    scaled = [((rows - rows.mean(axis=0)) / spread, right) for rows, right in useful]
    weights = np.zeros(spread.size)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = ridge * weights / len(scaled)
        for rows, right in scaled:
            slope += rows.T @ (_shares(rows @ weights) - right) / len(scaled)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        weights -= STEP * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    found: Matrix = weights / spread
    return found


def _shares(scores: Matrix) -> Matrix:
    powers = np.exp(scores - scores.max())
    found: Matrix = powers / powers.sum()
    return found
