"""The measure of how far two builds agree."""

from __future__ import annotations

import numpy as np
import pytest

from hitherto_server.core.errors import InvalidInput, ModelRefused
from hitherto_server.models.parity import Parity, measure, require
from hitherto_server.models.sample_texts import sample_texts


def vectors(rows: int = 50) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(1).normal(size=(rows, 16)).astype(np.float32)


def test_a_build_agrees_with_itself_whatever_its_scale() -> None:
    parity = measure(vectors(), vectors() * 3)
    assert parity.mean_cosine == pytest.approx(1)
    assert parity.top10_overlap == 1
    assert parity.is_reached


def test_unrelated_vectors_do_not_reach_parity() -> None:
    parity = measure(vectors(), vectors()[::-1].copy())
    assert parity.mean_cosine < 0.5
    with pytest.raises(ModelRefused, match="mean cosine"):
        require(parity)


def test_either_bar_alone_refuses() -> None:
    for cosine, overlap in ((0.984, 1.0), (1.0, 0.849)):
        with pytest.raises(ModelRefused):
            require(Parity(500, cosine, overlap))
    require(Parity(500, 0.985, 0.85))


def test_too_few_texts_for_ten_neighbours_cannot_be_compared() -> None:
    with pytest.raises(InvalidInput):
        measure(vectors(10), vectors(10))


def test_the_sample_is_five_hundred_different_texts() -> None:
    texts = sample_texts()
    assert len(texts) == len(set(texts)) == 500
    assert len({len(text) for text in texts}) > 60
    assert texts == sample_texts()
