"""Every named query fits the schema that the migrations give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from hitherto_server.store.database import open_store
from hitherto_server.store.derived import rebuild_vectors
from hitherto_server.store.driver import load_vectors, open_raw
from hitherto_server.store.queries import list_query_files, load_queries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection

PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
COMMENT = re.compile(r"--.*$", re.MULTILINE)
QUERIES = [(file, name) for file in list_query_files() for name in load_queries(file)]


def clock() -> int:
    return 1_796_000_000_000


@pytest.fixture
async def migrated(tmp_path: Path) -> Path:
    """Give a database as a server leaves it that was started once, with a vector table."""
    path = tmp_path / "memory.db"
    store = await open_store(path, backups=tmp_path / "backups", clock=clock, readers=1)
    await store.writer.run(
        lambda writing: rebuild_vectors(writing, model="toy", dimension=4, clock=clock)
    )
    await store.close()
    return path


@pytest.fixture
def connection(migrated: Path) -> Iterator[Connection]:
    connection = open_raw(migrated)
    load_vectors(connection)
    yield connection
    connection.close()


@pytest.mark.parametrize(("file", "name"), QUERIES)
def test_a_named_query_fits_the_schema(connection: Connection, file: str, name: str) -> None:
    statement = load_queries(file)[name]
    names = PARAMETER.findall(COMMENT.sub("", statement))
    connection.execute(f"EXPLAIN {statement}", dict.fromkeys(names)).fetchall()


def test_there_are_queries_to_check() -> None:
    assert {"derived", "recall", "ledger"} <= set(list_query_files())
