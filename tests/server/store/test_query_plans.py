"""What is asked often reads an index, not every memory with its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from hitherto_server.store.database import open_store
from hitherto_server.store.driver import open_raw
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection

PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
OFTEN = [
    *(("memories", name) for name in ("listed", "count", "totals", "totals_by_kind")),
    *(("categories", name) for name in ("all", "held", "misfiled")),
]


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[Connection]:
    store = await open_store(
        tmp_path / "memory.db", backups=tmp_path / "backups", clock=lambda: 0, readers=1
    )
    await store.close()
    connection = open_raw(tmp_path / "memory.db", read_only=True)
    yield connection
    connection.close()


@pytest.mark.parametrize(("file", "name"), OFTEN)
def test_what_is_asked_often_scans_no_table(connection: Connection, file: str, name: str) -> None:
    statement = load_queries(file)[name]
    values = dict.fromkeys(PARAMETER.findall(statement), 1)
    plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    table = re.compile(
        r"SCAN (memory|m|passage|p|embedding|e)\b(?!.*(?:COVERING|memory_candidates))"
    )
    assert plan
    assert not [step for step in plan if table.match(step)]
