"""What lies near a question is found as a scan finds it, as soon as it is written or gone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hitherto_server.core.text import content_hash
from hitherto_server.models.sample_texts import sample_texts
from hitherto_server.recall.arms import LEAST_DEEP, NO_INDEX, Near, ask_passages
from hitherto_server.recall.meaning import OK, Dense
from hitherto_server.recall.scope_vectors import ScopeVectors
from hitherto_server.store.derived import drop_memory, index_memory
from hitherto_server.store.filling import begin_vectors, fill_vectors, finish_vectors
from hitherto_server.store.signs import find_nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.server.recall.conftest import Shelf

    from hitherto_server.recall.embedder import Embedder
    from hitherto_server.store.driver import Connection

    Vectors = NDArray[np.float32]

NOW_MS = 1
REAL, MADE = 120, 3000


def some_vector(seed: int) -> list[float]:
    drawn: list[float] = np.random.default_rng(seed).normal(size=4).tolist()
    return drawn


def as_bytes(vector: list[float]) -> bytes:
    array = np.array(vector, dtype="<f4")
    return bytes((array / np.linalg.norm(array)).astype("<f4").tobytes())


async def near(shelf: Shelf, vector: list[float], *scopes: int) -> Near:
    """Ask twice, so that the vectors stay in memory, and once the index: all say the same."""
    dense = Dense(as_bytes(vector), "toy")
    kept = shelf.recaller.vectors
    said = []
    for vectors in (kept, kept, ScopeVectors()):
        ask = partial(ask_passages, scopes=scopes, dense=dense, vectors=vectors, most=LEAST_DEEP)
        said.append(await shelf.store.readers.run(ask))
    assert {near.reason for near in said} == {said[0].reason}
    assert is_same(*said[1:])
    return said[1]


def is_same(one: Near, other: Near) -> bool:
    assert one.passages is not None
    assert other.passages is not None
    assert one.passages.keys() == other.passages.keys()
    return all(
        near[1:] == other.passages[number][1:]
        and near.cosine == pytest.approx(other.passages[number].cosine, abs=1e-5)
        for number, near in one.passages.items()
    )


async def held(shelf: Shelf, scope: int = 1) -> set[int]:
    found = await near(shelf, some_vector(0), scope)
    assert found.reason == OK
    assert found.passages is not None
    return set(found.passages)


async def test_the_index_finds_what_a_scan_finds(shelf: Shelf) -> None:
    for seed in range(29):  # as many as are asked for: a scan gives all
        await shelf.add(f"Statement {seed}.", vector=some_vector(seed), project=seed % 3 or None)
    asked = [some_vector(seed) for seed in range(100, 120)]
    scanned = [await near(shelf, vector, 1, 0) for vector in asked]
    await shelf.rebuild()
    for vector, before in zip(asked, scanned, strict=True):
        after = await near(shelf, vector, 1, 0)
        assert (before.reason, after.reason) == (NO_INDEX, OK)
        assert before.passages is not None
        assert after.passages is not None
        assert after.passages.keys() == before.passages.keys()
        for number, one in before.passages.items():
            assert after.passages[number].cosine == pytest.approx(one.cosine, abs=1e-5)
            assert after.passages[number][1:] == one[1:]


async def test_what_is_added_trashed_and_restored_is_seen_at_once(shelf: Shelf) -> None:
    one = await shelf.add("One.", vector=some_vector(1))
    await shelf.rebuild()
    assert await held(shelf) == {one}
    two = await shelf.add("Two.", vector=some_vector(2))
    assert await held(shelf) == {one, two}
    await shelf.trash(one)
    assert await held(shelf) == {two}
    await shelf.run("UPDATE memory SET trashed_at_ms = NULL WHERE number = ?", one)
    await shelf.store.writer.run(lambda c: index_memory(c, one))
    assert await held(shelf) == {one, two}


async def test_a_memory_that_moved_is_near_in_its_new_scope_alone(shelf: Shelf) -> None:
    one = await shelf.add("One.", vector=some_vector(1))
    await shelf.add("Another.", vector=some_vector(2), project=2)
    await shelf.rebuild()

    def move(connection: Connection) -> None:
        drop_memory(connection, one)
        connection.execute("UPDATE memory SET project_id = 2 WHERE number = ?", (one,))
        index_memory(connection, one)

    await shelf.store.writer.run(move)
    assert await held(shelf) == set()
    assert one in await held(shelf, 2)


async def test_an_edited_memory_is_near_what_it_says_now(shelf: Shelf) -> None:
    """The rows of its passages are new ones, and SQLite gives them the numbers of the old."""
    await shelf.add("Another.", vector=[0.0, 0.0, 1.0, 0.0])
    number = await shelf.add("One.", vector=[1.0, 0.0, 0.0, 0.0])
    await shelf.rebuild()

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
    found = await near(shelf, [0.0, 1.0, 0.0, 0.0], 1)
    assert found.passages is not None
    assert found.passages[number].cosine == pytest.approx(1.0)
    assert found.passages[number][1:] == (0, 12)


async def test_an_index_that_is_filled_again_meanwhile_is_whole_at_the_end(shelf: Shelf) -> None:
    """As after an upgrade: recall scans, writes go on, and then the index serves."""
    old = [await shelf.add(f"Old {seed}.", vector=some_vector(seed)) for seed in range(5)]
    run = shelf.store.writer.run
    await run(lambda c: begin_vectors(c, model="toy", dimension=4, clock=lambda: NOW_MS))
    assert (await near(shelf, some_vector(0), 1)).reason == NO_INDEX
    new = await shelf.add("New.", vector=some_vector(9))
    await shelf.trash(old[0])
    after: int | None = 0
    while after is not None:
        after = await run(partial(fill_vectors, model="toy", after=after))
    await run(lambda c: finish_vectors(c, model="toy", dimension=4, clock=lambda: NOW_MS))
    assert await held(shelf) == {*old[1:], new}


async def test_vectors_in_memory_follow_whatever_is_written(shelf: Shelf) -> None:
    drawn = np.random.default_rng(3)
    numbers = [await shelf.add("One.", vector=some_vector(0))]
    await shelf.rebuild()
    for step in range(40):
        chosen = numbers[int(drawn.integers(len(numbers)))]
        match int(drawn.integers(3)):
            case 0:
                await shelf.trash(chosen)
            case 1:
                await shelf.run("UPDATE memory SET trashed_at_ms = NULL WHERE number = ?", chosen)
                await shelf.store.writer.run(partial(index_memory, number=chosen))
            case _:
                scope = int(drawn.integers(2))
                numbers.append(await shelf.add(f"{step}.", vector=some_vector(step), project=scope))
        await near(shelf, some_vector(100 + step), 1, 0)
    assert set(shelf.recaller.vectors._kept) == {0, 1}


async def test_a_large_scope_or_a_second_one_too_many_is_read_from_the_index(shelf: Shelf) -> None:
    for seed in range(6):
        await shelf.add(f"{seed}.", vector=some_vector(seed), project=seed % 2 + 1)
    await shelf.rebuild()
    small = shelf.recaller.vectors = ScopeVectors(most_kept=4)
    assert len(await held(shelf, 1)) == len(await held(shelf, 2)) == 3
    assert set(small._kept) == {2}
    small = shelf.recaller.vectors = ScopeVectors(most_kept=2)
    assert len(await held(shelf, 1)) == 3
    assert not small._kept


async def test_a_damaged_vector_in_memory_hides_no_other(shelf: Shelf) -> None:
    one = await shelf.add("One.", vector=some_vector(1))
    two = await shelf.add("Two.", vector=some_vector(2))
    await shelf.rebuild()
    await shelf.run("UPDATE embedding SET vector = zeroblob(16) WHERE passage_id = ?", one)
    dense = Dense(as_bytes(some_vector(2)), "toy")
    ask = partial(ask_passages, scopes=(1,), dense=dense, vectors=shelf.recaller.vectors, most=30)
    await shelf.store.readers.run(ask)
    found = (await shelf.store.readers.run(ask)).passages
    assert found is not None
    assert set(found) == {two}
    assert found[two].cosine == pytest.approx(1.0)


async def test_in_a_large_scope_nearly_all_of_the_nearest_are_found(
    shelf: Shelf, embedder: Embedder
) -> None:
    real = np.array([await embedder.embed(text) for text in sample_texts(REAL)], dtype="<f4")
    vectors = _among(real)
    await shelf.store.writer.run(lambda c: _put(c, vectors))
    await shelf.rebuild("toy", vectors.shape[1])
    for most, least in ((30, 0.98), (100, 0.97)):
        shares = []
        for vector in real[::4]:
            ask = partial(find_nearest, vector=vector.tobytes(), project=1, model="toy", most=most)
            found = await shelf.store.readers.run(ask)
            exact = np.argsort(-(vectors @ vector))[:most] + 1
            shares.append(len({*exact.tolist()} & {one.number for one in found}) / most)
        assert np.mean(shares) >= least


def _among(real: Vectors) -> Vectors:
    """Return vectors that lie among real ones as texts do."""
    rng = np.random.default_rng(7)
    one, other = rng.integers(0, len(real), size=(2, MADE))
    noise = rng.normal(size=(MADE, real.shape[1])).astype("<f4")
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    made = 0.75 * real[one] + 0.35 * real[other] + 0.55 * noise
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made, dtype="<f4")


def _put(connection: Connection, vectors: Vectors) -> None:
    """Put a memory of one passage for each vector; both have the vector's place, from 1 on."""
    for number, vector in enumerate(vectors, 1):
        connection.execute(
            "INSERT INTO memory (number, id, project_id, kind, content, content_hash, source,"
            " actor, device, learned_at_ms, changed_at_ms)"
            " VALUES (?, ?, 1, 'fact', 'Something', ?, 'agent', 'agent', 'here', 0, 0)",
            (number, str(number), str(number)),
        )
        connection.execute("INSERT INTO passage VALUES (?, ?, 0, 0, 9)", (number, number))
        row = number, len(vector), vector.tobytes()
        connection.execute("INSERT INTO embedding VALUES (?, 'toy', ?, ?)", row)
