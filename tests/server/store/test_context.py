"""What stands around a memory in the word index: who, when, to what end, and its neighbours."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hitherto_server.core.clock import uuid7
from hitherto_server.core.text import people_in
from hitherto_server.store.check import disagreements
from hitherto_server.store.database import Store, open_store
from hitherto_server.store.driver import open_raw
from hitherto_server.store.memories import NewMemory, change_memory, insert_memory, state_of
from hitherto_server.store.purge import Kept, remove
from hitherto_server.store.turns import NewTurn, put_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection

AT_MS = 1_796_000_000_000  # 2026-11-30, a Monday


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """Give a store with a project and a session; at the end its indexes must agree with it."""
    database = tmp_path / "memory.db"
    store = await open_store(database, backups=tmp_path / "b", clock=lambda: AT_MS, readers=1)
    await store.writer.run(_begin)
    yield store
    await store.close()
    with closing(open_raw(database)) as connection:
        assert disagreements(connection) == []


def _begin(connection: Connection) -> None:
    connection.execute(
        "INSERT INTO project (identity, name, seen_root, created_at_ms, seen_at_ms)"
        " VALUES ('path:/p', 'p', '/p', 0, 0), ('path:/q', 'q', '/q', 0, 0)"
    )
    connection.execute(
        "INSERT INTO session (id, client, project_id, started_at_ms, seen_at_ms)"
        " VALUES ('s1', 'c', 1, 0, 0)"
    )


def memory(content: str, **more: Any) -> NewMemory:
    values = {
        "id": uuid7(AT_MS),
        "project": 1,
        "content": content,
        "kind": "note",
        "source": "transcript",
        "actor": "agent",
        "device": "here",
        "at_ms": AT_MS,
        "spans": ((0, len(content)),),
        "session_id": "s1",
    }
    return NewMemory(**{**values, **more})


async def put(store: Store, *new: NewMemory) -> list[int]:
    return await store.writer.run(lambda c: [insert_memory(c, one) for one in new])


async def found(store: Store, word: str) -> set[int]:
    """Return the memories whose context holds a word."""
    match = f'context : ("{word}")'
    statement = "SELECT rowid & 0xFFFFFFFF FROM fulltext WHERE fulltext MATCH ?"
    rows = await store.writer.run(lambda c: c.execute(statement, (match,)).fetchall())
    return {row[0] for row in rows}


async def test_a_memory_is_found_by_who_said_it_and_by_its_day(store: Store) -> None:
    (one,) = await put(store, memory("The lake is cold.", actor="Maria Lopez"))
    for word in ("maria", "lopez", "monday", "november", "2026"):
        assert await found(store, word) == {one}


async def test_an_actor_that_is_nobody_is_no_word_of_the_context(store: Store) -> None:
    await put(store, memory("The lake is cold.", actor="agent"))
    assert await found(store, "agent") == set()


@pytest.mark.parametrize(
    ("actor", "people"),
    [
        ("Maria Lopez", ["maria", "lopez"]),
        ("maria.lopez@example.org", ["maria", "lopez"]),
        ("Jean-Luc", ["jean", "luc"]),
        ("agent", []),
        ("cli", []),
        ("claude-code", []),
        ("review bot", []),
        ("subagent-7", []),
        ("job:backfill", []),
        ("", []),
    ],
)
def test_people_are_told_from_programs(actor: str, people: list[str]) -> None:
    assert people_in(actor) == people


async def test_a_chunk_is_found_by_what_was_said_around_it(store: Store) -> None:
    before, chunk, after, far = await put(
        store,
        memory("Where did you swim?"),
        memory("In the lake."),
        memory("Was it freezing?"),
        memory("Goodbye then."),
    )
    assert await found(store, "swim") == {chunk, after}
    assert await found(store, "freezing") == {before, chunk, far}


async def test_only_chunks_of_the_same_session_and_project_stand_beside_each_other(
    store: Store,
) -> None:
    await put(
        store,
        memory("Where did you swim?"),
        memory("A decision of the agent.", source="agent"),
        memory("In another session.", session_id="s2"),
        memory("In another project.", project=2),
    )
    assert await found(store, "swim") == set()


async def test_what_is_forgotten_stands_beside_nothing_any_more(store: Store) -> None:
    first, second = await put(store, memory("Where did you swim?"), memory("In the lake."))
    assert await found(store, "swim") == {second}

    def forget(connection: Connection) -> None:
        row = connection.execute("SELECT * FROM memory WHERE number = ?", (first,)).fetchone()
        state = replace(state_of(connection, row), trashed_at_ms=AT_MS)
        change_memory(connection, row, state, change="forget", actor="person", at_ms=AT_MS)

    await store.writer.run(forget)
    assert await found(store, "swim") == set()


def turn(prompt_id: str, prompt: str, at_ms: int) -> NewTurn:
    return NewTurn("s1", prompt_id, prompt, at_ms, prompt)


async def test_a_memory_is_found_by_what_its_session_was_about(store: Store) -> None:
    first, later = (
        turn("p1", "Migrate the billing tables", AT_MS - 10),
        turn("p2", "and run the linter", AT_MS - 5),
    )
    await store.writer.run(lambda c: (put_turn(c, first), put_turn(c, later)))
    (one,) = await put(store, memory("Partitions are monthly.", source="agent"))
    assert await found(store, "billing") == {one}
    assert await found(store, "linter") == set()


async def test_a_goal_that_is_kept_late_still_reaches_its_memories(store: Store) -> None:
    (one,) = await put(store, memory("Partitions are monthly.", source="agent"))
    goal = turn("p1", "Migrate the billing tables", AT_MS - 10)
    await store.writer.run(lambda c: put_turn(c, goal))
    assert await found(store, "billing") == {one}


async def test_a_purged_session_leaves_no_goal_behind(store: Store) -> None:
    goal = turn("p1", "Migrate the billing tables", AT_MS - 10)
    await store.writer.run(lambda c: put_turn(c, goal))
    await put(store, memory("Partitions are monthly.", source="agent"))
    await store.writer.run(lambda c: remove(c, Kept(("s1",)), at_ms=AT_MS))
    assert await found(store, "billing") == set()
