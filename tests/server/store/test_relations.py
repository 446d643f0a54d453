"""Supersessions run one way, and what was undone is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.clock import uuid7
from hitherto_server.core.errors import SupersedesItself
from hitherto_server.store.memories import NewMemory, insert_memory
from hitherto_server.store.relations import (
    find_replacement,
    relate,
    undo_replacement,
    undo_supersessions,
)

if TYPE_CHECKING:
    from tests.wiring import TestClock

    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection


@pytest.fixture
async def numbers(store: Store, clock: TestClock) -> list[int]:
    """Four memories."""

    def fill(connection: Connection) -> list[int]:
        return [
            insert_memory(
                connection,
                NewMemory(uuid7(clock()), 0, str(n), "note", "agent", "a", "d", clock(), ()),
            )
            for n in range(4)
        ]

    return await store.writer.run(fill)


def supersede(connection: Connection, newer: int, older: int) -> None:
    relate(connection, "supersedes", newer=newer, older=older, said_by="agent", at_ms=1)


async def test_a_circle_of_supersessions_is_refused(store: Store, numbers: list[int]) -> None:
    a, b, c, _ = numbers

    def chain(connection: Connection) -> None:
        supersede(connection, b, a)
        supersede(connection, c, b)

    await store.writer.run(chain)
    for newer, older in ((a, b), (a, c), (b, c)):
        with pytest.raises(SupersedesItself):
            await store.writer.run(lambda c, n=newer, o=older: supersede(c, n, o))


async def test_an_undone_supersession_stands_in_nobodys_way(
    store: Store, numbers: list[int]
) -> None:
    a, b, *_ = numbers

    def job(connection: Connection) -> int:
        supersede(connection, b, a)
        taken_back = undo_supersessions(connection, b, actor="me", at_ms=2)
        supersede(connection, a, b)
        return taken_back

    assert await store.writer.run(job) == 1


async def test_the_same_relation_is_written_once(store: Store, numbers: list[int]) -> None:
    a, b, *_ = numbers

    def job(connection: Connection) -> int:
        supersede(connection, b, a)
        supersede(connection, b, a)
        return int(connection.execute("SELECT count(*) FROM relation").fetchone()[0])

    assert await store.writer.run(job) == 1


async def test_a_replacement_is_the_latest_live_one(
    store: Store, numbers: list[int], clock: TestClock
) -> None:
    a, b, c, _ = numbers

    def job(connection: Connection) -> list[str | None]:
        ids = dict(connection.execute("SELECT id, number FROM memory").fetchall())
        by_number = {number: memory_id for memory_id, number in ids.items()}
        supersede(connection, b, a)
        supersede(connection, c, a)
        found = [find_replacement(connection, a)]
        connection.execute("UPDATE memory SET trashed_at_ms = 1 WHERE number = ?", (c,))
        found.append(find_replacement(connection, a))
        undo_replacement(connection, a, actor="me", at_ms=3)
        found.append(find_replacement(connection, a))
        connection.execute("UPDATE memory SET trashed_at_ms = NULL WHERE number = ?", (c,))
        assert found[:2] == [by_number[c], by_number[b]]
        return found

    assert (await store.writer.run(job))[2] is None
