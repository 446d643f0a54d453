"""What is held of vectors is what was put, wherever it lies, and finds what lies near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hitherto_server.store import signs
from hitherto_server.store.driver import load_vectors, open_raw
from hitherto_server.store.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection

Steps = list[tuple[int, int, int]]
"""A passage, the scope that it is put into (-1: it is dropped), the seed of its vector."""
STEPS = st.lists(st.tuples(st.integers(1, 12), st.integers(-1, 2), st.integers(0, 50)), max_size=60)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    folder = tmp_path_factory.mktemp("signs")
    connection = open_raw(folder / "memory.db")
    load_vectors(connection)
    migrate(connection, backups=folder, clock=lambda: 0)
    connection.execute("PRAGMA synchronous = OFF")
    yield connection
    connection.close()


def drawn(seed: int, count: int = 1, dimension: int = 70) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype("<f4")
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype="<f4")


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_what_is_held_is_what_was_put_last(connection: Connection, steps: Steps) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(signs, "BLOCK", 3)
        connection.execute("BEGIN")
        expected: dict[int, tuple[int, bytes]] = {}
        for passage, project, seed in steps:
            if project < 0:
                signs.drop(connection, [passage])
                expected.pop(passage, None)
                continue
            vector = drawn(seed)[0].tobytes()
            signs.put(connection, project, [(passage, vector)])
            expected[passage] = project, signs.codes_of([(passage, vector)])[0]
        held = signs.list_held(connection)
        sizes = connection.execute("SELECT size, length(passages) FROM vector_block").fetchall()
        places = connection.execute("SELECT count(*) FROM vector_place").fetchone()[0]
        connection.execute("ROLLBACK")
    assert held == {(passage, *what) for passage, what in expected.items()}
    assert places == len(expected)
    assert all(0 < size <= 3 and length == 8 * size for size, length in sizes)


def test_many_are_put_at_once_into_blocks_that_are_filled(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signs, "BLOCK", 8)
    vectors = [(place + 1, vector.tobytes()) for place, vector in enumerate(drawn(1, 20))]
    connection.execute("BEGIN")
    signs.put(connection, 1, vectors[:5])
    signs.put(connection, 1, vectors[5:])
    sizes = [row[0] for row in connection.execute("SELECT size FROM vector_block ORDER BY id")]
    assert sizes == [8, 8, 4]
    signs.drop(connection, [2, 3])
    signs.put(connection, 1, [(40, vectors[0][1])])
    sizes = [row[0] for row in connection.execute("SELECT size FROM vector_block ORDER BY id")]
    assert sizes == [7, 8, 4], "what was freed is used again"
    connection.execute("ROLLBACK")


@pytest.mark.parametrize("dimension", [4, 64, 70, 384])
def test_a_code_has_a_bit_a_dimension_in_whole_words(dimension: int) -> None:
    vector = drawn(3, dimension=dimension)[0]
    (code,) = signs.codes_of([(1, vector.tobytes())])
    assert len(code) % 8 == 0
    assert len(code) - 8 < dimension / 8 <= len(code)
    bits = np.unpackbits(np.frombuffer(code, dtype=np.uint8))
    assert (bits[:dimension] == (vector > 0)).all()
    assert not bits[dimension:].any()


def test_an_empty_scope_has_nothing_near(connection: Connection) -> None:
    asked = drawn(1)[0].tobytes()
    assert signs.find_nearest(connection, asked, 9, model="toy", most=5) == []


@pytest.mark.parametrize("size", [1, 30, 2000])
def test_the_nearest_of_all_are_found(connection: Connection, tmp_path: Path, size: int) -> None:
    vectors = drawn(size, size)
    connection.execute("BEGIN")
    put_passages(connection, vectors)
    for seed in range(20):
        near = vectors[seed % size] + 0.3 * drawn(1000 + seed)[0]
        asked = np.asarray(near / np.linalg.norm(near), dtype="<f4")
        found = signs.find_nearest(connection, asked.tobytes(), 1, model="toy", most=10)
        exact = vectors @ asked
        assert len(found) == min(10, size)
        best = max(found, key=lambda one: one.cosine)
        assert best.cosine == pytest.approx(float(exact.max()), abs=1e-5)
        assert best.number == int(exact.argmax()) + 1
        assert all(one.cosine == pytest.approx(exact[one.number - 1], abs=1e-5) for one in found)
    connection.execute("ROLLBACK")


def put_passages(connection: Connection, vectors: np.ndarray) -> None:
    """Put a memory of one passage for each vector; the passage has the memory's number."""
    connection.execute("PRAGMA defer_foreign_keys = ON")
    for place, vector in enumerate(vectors, 1):
        connection.execute("INSERT INTO passage VALUES (?, ?, 0, 0, 9)", (place, place))
        row = place, vector.shape[0], vector.tobytes()
        connection.execute("INSERT INTO embedding VALUES (?, 'toy', ?, ?)", row)
    rows = [(place, vector.tobytes()) for place, vector in enumerate(vectors, 1)]
    signs.put(connection, 1, rows)
