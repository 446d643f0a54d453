"""Vectors in memory answer what the index answers, and are never older than what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hitherto_server.core.text import content_hash
from hitherto_server.recall import matrices as module
from hitherto_server.recall.arms import Dense, ask_passages
from hitherto_server.recall.matrices import Matrices
from hitherto_server.store import matrices as rows
from hitherto_server.store.derived import drop_memory, index_memory, rebuild_vectors
from hitherto_server.store.matrices import Version

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.server.recall.conftest import Shelf

    from hitherto_server.recall.matrices import Matrix
    from hitherto_server.store.driver import Connection, Row

NOW_MS = 1


def some_vector(seed: int) -> list[float]:
    drawn: list[float] = np.random.default_rng(seed).normal(size=4).tolist()
    return drawn


def as_bytes(vector: list[float]) -> bytes:
    array = np.array(vector, dtype="<f4")
    return (array / np.linalg.norm(array)).astype("<f4").tobytes()


async def read(shelf: Shelf, matrices: Matrices, *scopes: int) -> tuple[Matrix, ...] | None:
    return await shelf.store.readers.run(lambda c: matrices.of(c, "toy", scopes))


async def kept(shelf: Shelf, matrices: Matrices, scope: int = 1) -> set[int]:
    found = await read(shelf, matrices, scope)
    assert found is not None
    return set(found[0].places[:, 0].tolist())


async def test_memory_and_index_find_the_same(shelf: Shelf) -> None:
    for seed in range(40):
        await shelf.add(f"Statement {seed}.", vector=some_vector(seed), project=seed % 3 or None)
    await shelf.rebuild()
    scopes = (1, 0)
    found = await read(shelf, Matrices(), *scopes)
    for seed in range(100, 120):
        dense = Dense(as_bytes(some_vector(seed)), "toy")
        by_index = await shelf.store.readers.run(
            lambda c, dense=dense: ask_passages(c, scopes, dense, unasked=True)
        )
        in_memory = await shelf.store.readers.run(
            lambda c, dense=dense: ask_passages(c, scopes, dense, found, unasked=True)
        )
        assert by_index.passages is not None
        assert in_memory.passages is not None
        assert in_memory.passages.keys() == by_index.passages.keys()
        for number, near in by_index.passages.items():
            assert in_memory.passages[number].cosine == pytest.approx(near.cosine, abs=1e-5)
            assert in_memory.passages[number][1:] == near[1:]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 2**32))
def test_the_nearest_are_those_of_a_plain_sort(size: int, most: int, seed: int) -> None:
    drawn = np.random.default_rng(seed)
    vectors = drawn.normal(size=(size, 4)).astype("<f4")
    places = np.array([[number, 0, 1] for number in range(size)], dtype=np.int64)
    matrix = module.Matrix(Version(0, 0), places[:, 0], places[:, 0], places, vectors)
    wanted = drawn.normal(size=4).astype("<f4")
    best = np.argsort(-(vectors @ wanted))[:most].tolist()
    assert set(matrix.nearest(wanted.tobytes(), most=most)) == set(best)
    assert set(matrix.of_memories(wanted.tobytes(), {0, size})) == {0}


async def test_what_is_added_trashed_and_restored_is_seen_at_once(shelf: Shelf) -> None:
    matrices = Matrices()
    one = await shelf.add("One.", vector=some_vector(1))
    await shelf.rebuild()
    assert await kept(shelf, matrices) == {one}
    two = await shelf.add("Two.", vector=some_vector(2))
    assert await kept(shelf, matrices) == {one, two}
    await shelf.trash(one)
    assert await kept(shelf, matrices) == {two}
    await shelf.run("UPDATE memory SET trashed_at_ms = NULL WHERE number = ?", one)
    await shelf.store.writer.run(lambda c: index_memory(c, one))
    assert await kept(shelf, matrices) == {one, two}


async def test_only_new_vectors_are_read_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(3):
        await shelf.add(f"Statement {seed}.", vector=some_vector(seed))
    await shelf.rebuild()
    matrices, asked = Matrices(), []
    plain = rows.list_vectors

    def counted(connection: Connection, model: str, passages: Collection[int]) -> list[Row]:
        asked.append(len(passages))
        return plain(connection, model, passages)

    monkeypatch.setattr(rows, "list_vectors", counted)
    await kept(shelf, matrices)
    await kept(shelf, matrices)
    await shelf.add("Another.", vector=some_vector(9))
    await kept(shelf, matrices)
    assert asked == [3, 1]


async def test_an_index_made_anew_is_read_anew(shelf: Shelf) -> None:
    number = await shelf.add("One.", vector=[1.0, 0.0, 0.0, 0.0])
    await shelf.rebuild()
    matrices = Matrices()
    await kept(shelf, matrices)
    await shelf.run("UPDATE embedding SET vector = ?", as_bytes([0.0, 1.0, 0.0, 0.0]))
    await shelf.rebuild()
    found = await read(shelf, matrices, 1)
    assert found is not None
    near = found[0].nearest(as_bytes([0.0, 1.0, 0.0, 0.0]), most=1)
    assert near[number].cosine == pytest.approx(1.0)


async def test_without_an_index_of_the_model_nothing_is_kept(shelf: Shelf) -> None:
    await shelf.add("One.", vector=some_vector(1))
    assert await read(shelf, Matrices(), 1) is None
    await shelf.store.writer.run(
        lambda c: rebuild_vectors(c, model="other", dimension=4, clock=lambda: NOW_MS)
    )
    assert await read(shelf, Matrices(), 1) is None


async def test_a_scope_that_is_too_large_is_left_to_the_index(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_PASSAGES", 2)
    for seed in range(3):
        await shelf.add(f"Statement {seed}.", vector=some_vector(seed))
    await shelf.rebuild()
    matrices = Matrices()
    assert await read(shelf, matrices, 1) is None
    assert not matrices.serve("toy", (1,))


async def test_what_was_asked_longest_ago_makes_room(shelf: Shelf) -> None:
    for project in (1, 2, 0):
        await shelf.add("A statement.", vector=some_vector(project), project=project)
    await shelf.rebuild()
    matrices = Matrices(most_bytes=2 * 4 * 4)
    for scope in (1, 2, 1, 0):
        await read(shelf, matrices, scope)
    assert [matrices.serve("toy", (scope,)) for scope in (1, 2, 0)] == [True, False, True]


async def test_an_edited_memory_is_near_what_it_says_now(shelf: Shelf) -> None:
    """The rows of its passages are new ones, and SQLite gives them the numbers of the old."""
    await shelf.add("Another.", vector=[0.0, 0.0, 1.0, 0.0])
    number = await shelf.add("One.", vector=[1.0, 0.0, 0.0, 0.0])
    await shelf.rebuild()
    matrices = Matrices()
    await kept(shelf, matrices)

    def edit(connection: Connection) -> None:
        drop_memory(connection, number)
        connection.execute("DELETE FROM passage WHERE memory_number = ?", (number,))
        connection.execute(
            "UPDATE memory SET content = 'Two, longer.', content_hash = ? WHERE number = ?",
            (content_hash("Two, longer."), number),
        )
        connection.execute(
            "INSERT INTO passage (memory_number, position, start_char, end_char)"
            " VALUES (?, 0, 0, 12)",
            (number,),
        )
        connection.execute(
            "INSERT INTO embedding SELECT id, 'toy', 4, ? FROM passage WHERE memory_number = ?",
            (as_bytes([0.0, 1.0, 0.0, 0.0]), number),
        )
        index_memory(connection, number)

    await shelf.store.writer.run(edit)
    found = await read(shelf, matrices, 1)
    assert found is not None
    near = found[0].nearest(as_bytes([0.0, 1.0, 0.0, 0.0]), most=1)
    assert near == {number: (pytest.approx(1.0), 0, 12)}
