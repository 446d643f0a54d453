"""The index of earlier versions goes, beside a running server and without its extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hitherto_server.store.former import TABLES, UNNAME, drop_former

if TYPE_CHECKING:
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

DECLARED = (
    "CREATE VIRTUAL TABLE vector USING vec0(passage_id INTEGER PRIMARY KEY,"
    " project INTEGER PARTITION KEY, embedding FLOAT[4] DISTANCE_METRIC=cosine, chunk_size=128)"
)


def leave_former(connection: Connection) -> None:
    """Leave what sqlite-vec leaves: its own name in the schema, and the tables of its rows."""
    for table in TABLES:
        connection.execute(f"CREATE TABLE {table} (rowid INTEGER PRIMARY KEY, vectors BLOB)")
    for _ in range(20):
        connection.execute(f"INSERT INTO {TABLES[0]} (vectors) VALUES (zeroblob(2048))")
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute(
        "INSERT INTO sqlite_schema VALUES ('table', 'vector', 'vector', 0, ?)", (DECLARED,)
    )
    connection.execute("PRAGMA writable_schema = RESET")


def left(connection: Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_schema")
    return {row[0] for row in rows} & {"vector", *TABLES}


async def test_the_former_index_is_removed_in_steps(store: Store) -> None:
    run = store.writer.run
    await run(leave_former)
    assert await run(left) == {"vector", *TABLES}
    steps = 0
    while await run(drop_former):
        steps += 1
    assert steps > len(TABLES)
    assert await run(left) == set()
    assert [tuple(row) for row in await run(integrity)] == [("ok",)]


def integrity(connection: Connection) -> list[tuple[str]]:
    rows: list[tuple[str]] = connection.execute("PRAGMA integrity_check").fetchall()
    return rows


async def test_a_table_of_that_name_that_is_not_the_extensions_stays(store: Store) -> None:
    await store.writer.run(lambda c: c.execute("CREATE TABLE vector (a)"))
    assert not await store.writer.run(drop_former)
    assert await store.writer.run(left) == {"vector"}


@pytest.mark.parametrize("statement", [UNNAME])
async def test_the_schema_is_protected_afterwards(store: Store, statement: str) -> None:
    await store.writer.run(leave_former)
    while await store.writer.run(drop_former):
        pass
    with pytest.raises(Exception, match="may not be modified"):
        await store.writer.run(lambda c: c.execute(statement))
