"""How far the vectors of one build of a model agree with those of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hitherto_server.core.errors import InvalidInput, ModelRefused

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

MIN_COSINE = 0.985
MIN_OVERLAP = 0.85
NEIGHBOURS = 10


@dataclass(frozen=True, slots=True)
class Parity:
    """The agreement of two sets of vectors of the same texts."""

    texts: int
    mean_cosine: float
    top10_overlap: float

    @property
    def is_reached(self) -> bool:
        """Whether the second set may stand for the first."""
        return self.mean_cosine >= MIN_COSINE and self.top10_overlap >= MIN_OVERLAP


def measure(reference: Vectors, candidate: Vectors) -> Parity:
    """Return the mean cosine of each text with itself and how many of its ten nearest it keeps."""
    if reference.shape != candidate.shape or len(reference) <= NEIGHBOURS:
        message = f"cannot compare vectors of shapes {reference.shape} and {candidate.shape}"
        raise InvalidInput(message)
    left, right = _unit(reference), _unit(candidate)
    return Parity(
        texts=len(left),
        mean_cosine=float(np.mean(np.sum(left * right, axis=1))),
        top10_overlap=_overlap(_nearest(left), _nearest(right)),
    )


def require(parity: Parity) -> None:
    """Refuse a build that does not agree with its original."""
    if not parity.is_reached:
        message = (
            f"the graph's vectors differ from the model's: mean cosine {parity.mean_cosine:.3f} "
            f"(at least {MIN_COSINE}), top-10 overlap {parity.top10_overlap:.2f} "
            f"(at least {MIN_OVERLAP}) on {parity.texts} texts"
        )
        raise ModelRefused(message, mend="Export with `--no-check` only to look at the graph.")


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _nearest(vectors: Vectors) -> NDArray[np.intp]:
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -np.inf)
    return np.argsort(-likeness, axis=1, kind="stable")[:, :NEIGHBOURS]


def _overlap(left: NDArray[np.intp], right: NDArray[np.intp]) -> float:
    kept = [len(set(a) & set(b)) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    return float(np.mean(kept)) / NEIGHBOURS
