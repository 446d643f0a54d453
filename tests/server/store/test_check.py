"""The checker sees what is wrong, and a rebuild mends it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.clock import uuid7
from hitherto_server.store import signs
from hitherto_server.store.check import disagreements
from hitherto_server.store.derived import drop_memory, rebuild_text, rebuild_vectors
from hitherto_server.store.driver import open_raw
from hitherto_server.store.memories import NewMemory, insert_memory
from hitherto_server.store.passages import put_embedding

if TYPE_CHECKING:
    from pathlib import Path

    from tests.wiring import TestClock

    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

VECTOR = b"\x00\x00\x80?" + b"\x00" * 12


def new(content: str, clock: TestClock) -> NewMemory:
    return NewMemory(
        id=uuid7(clock()),
        project=0,
        content=content,
        kind="note",
        source="agent",
        actor="agent",
        device="here",
        at_ms=clock(),
        spans=((0, len(content)),),
    )


@pytest.fixture
async def filled(store: Store, clock: TestClock, tmp_path: Path) -> Path:
    """A store of three memories with vectors."""

    def fill(connection: Connection) -> None:
        for content in ("The port is 8080.", "`serve_forever` blocks.", "Use tabs."):
            insert_memory(connection, new(content, clock))
        for (passage,) in connection.execute("SELECT id FROM passage").fetchall():
            put_embedding(connection, passage, model="toy", dimension=4, vector=VECTOR)
        rebuild_vectors(connection, model="toy", dimension=4, clock=clock)

    await store.writer.run(fill)
    return tmp_path / "memory.db"


def drop_one(connection: Connection) -> None:
    drop_memory(connection, 2)


def drop_vector(connection: Connection) -> None:
    signs.drop(connection, [1])


def misplace_vector(connection: Connection) -> None:
    connection.execute("DELETE FROM vector_place WHERE passage_id = 1")


def move_vector(connection: Connection) -> None:
    signs.put(connection, 7, [(1, VECTOR)])


def edit_behind_the_back(connection: Connection) -> None:
    connection.execute("UPDATE memory SET content = 'The port is 9090.' WHERE number = 1")
    connection.execute("UPDATE revision SET content = 'The port is 9090.' WHERE memory_number = 1")


def trash_behind_the_back(connection: Connection) -> None:
    connection.execute("UPDATE memory SET trashed_at_ms = 1 WHERE number = 3")


def move_to_a_project(connection: Connection) -> None:
    connection.execute(
        "INSERT INTO project VALUES (5, 'path:/x', 'x', '/x', 0, 0)",
    )
    connection.execute("UPDATE memory SET project_id = 5 WHERE number = 3")


def tie_to_a_file(connection: Connection) -> None:
    connection.execute(
        "INSERT INTO anchor (memory_number, path, verified_at_ms) VALUES (1, 'a/b.py', 0)"
    )


MENDED_BY_A_REBUILD = [
    (drop_one, ["fulltext lacks", "identifiers lacks", "vectors"]),
    (drop_vector, ["vectors"]),
    (misplace_vector, ["vectors"]),
    (move_vector, ["vectors"]),
    (edit_behind_the_back, ["fulltext has", "fulltext lacks"]),
    (trash_behind_the_back, ["fulltext has", "vectors"]),
    (move_to_a_project, ["fulltext has", "fulltext lacks", "vectors"]),
    (tie_to_a_file, ["fulltext lacks", "identifiers lacks"]),
]


def found_in(path: Path) -> list[str]:
    with closing(open_raw(path)) as connection:
        return disagreements(connection)


async def test_a_sound_store_has_no_disagreements(filled: Path) -> None:
    assert found_in(filled) == []


@pytest.mark.parametrize(
    ("damage", "said"), MENDED_BY_A_REBUILD, ids=[job.__name__ for job, _ in MENDED_BY_A_REBUILD]
)
async def test_an_index_that_differs_is_found_and_mended_by_a_rebuild(
    store: Store, filled: Path, clock: TestClock, damage: object, said: list[str]
) -> None:
    await store.writer.run(damage)  # type: ignore[arg-type]
    found = found_in(filled)
    assert len(found) == len(said), found
    assert all(words in one for words, one in zip(said, found, strict=True)), found
    await store.writer.run(lambda c: rebuild_text(c, clock=clock))
    await store.writer.run(lambda c: rebuild_vectors(c, model="toy", dimension=4, clock=clock))
    assert found_in(filled) == []


async def test_a_revision_that_is_not_kept_is_found(store: Store, filled: Path) -> None:
    def damage(connection: Connection) -> None:
        connection.execute("DELETE FROM revision WHERE memory_number = 2")

    await store.writer.run(damage)
    assert found_in(filled) == ["memory 2 has no true copy of its revision 1"]


async def test_a_row_without_its_parent_is_found(store: Store, filled: Path) -> None:
    with closing(open_raw(filled)) as careless:
        careless.execute("PRAGMA foreign_keys = OFF")
        careless.execute("INSERT INTO part VALUES (99, 'line', 'x', NULL)")
    assert found_in(filled) == ["part row None refers to a anchor that is not there"]
