"""A database of every released schema, with something in every table, becomes today's."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.migrations.schema_file import FILE, schema_of
from tests.wiring import NOW_MS, TestClock, faults_in, opened, rows

from hitherto_contract import RecallRequest
from hitherto_migrations import list_steps
from hitherto_server.api.operations import perform_named
from hitherto_server.store.driver import open_raw
from hitherto_server.store.migrate import migrate, statements_of

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

STEPS = list_steps()
NUMBERS = [step.number for step in STEPS]
CONTENT = Path(__file__).with_name("content")

GONE = {
    # table: the step that drops it or empties it, and why nothing is lost by that
    "vector_change": (3, "counted changes of an index that is made anew"),
    "derived_index": (3, "says how indexes were made; each start makes those that don't fit"),
}
DERIVED = frozenset({"migration", "derived_index", "vector_block", "vector_place"})
"""Tables that a start may make anew."""


def content_of(number: int) -> Path:
    return CONTENT / f"{number:04}.sql"


def lived_until(number: int, path: Path) -> Connection:
    """Return a database that each release up to a step has left, with what it would hold."""
    connection = open_raw(path)
    for step in STEPS[:number]:
        migrate(connection, backups=path.parent, clock=lambda: 1, steps=STEPS[: step.number])
        for statement in statements_of(content_of(step.number).read_text(encoding="utf-8")):
            connection.execute(statement)
    return connection


def tables(connection: Connection) -> dict[str, list[str]]:
    """Return the tables of the schema with their columns."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    return {
        str(name): [str(row[1]) for row in connection.execute(f"PRAGMA table_info({name})")]
        for (name,) in names
    }


def held(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table."""
    return {
        name: [
            dict(zip(columns, row, strict=True))
            for row in connection.execute(f"SELECT {', '.join(columns)} FROM {name}")
        ]
        for name, columns in tables(connection).items()
    }


def is_in(row: dict[str, Any], others: list[dict[str, Any]]) -> bool:
    return any(row.items() <= other.items() for other in others)


def lost(
    before: dict[str, list[dict[str, Any]]], after: dict[str, list[dict[str, Any]]], since: int
) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows that are not there any more and should be."""
    return [
        (table, row)
        for table, all_rows in before.items()
        if not (table in GONE and since < GONE[table][0])
        for row in all_rows
        if not is_in(row, after.get(table, []))
    ]


def test_every_step_has_its_content() -> None:
    """A new step needs a file in tests/migrations/content/ that fills what it adds."""
    assert sorted(path.name for path in CONTENT.iterdir()) == [
        content_of(number).name for number in NUMBERS
    ]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_content_fills_every_table_and_every_column(number: int, tmp_path: Path) -> None:
    with closing(lived_until(number, tmp_path / "memory.db")) as connection:
        empty = {
            f"{table}.{column}"
            for table, columns in tables(connection).items()
            for column in columns
            if not connection.execute(
                f"SELECT count({column}) FROM {table}"  # counts what is not null
            ).fetchone()[0]
        }
    assert empty == set(), f"fill them in tests/migrations/content/{number:04}.sql"


@pytest.mark.parametrize("number", NUMBERS)
def test_an_upgrade_keeps_every_row_and_gives_the_committed_schema(
    number: int, tmp_path: Path
) -> None:
    with closing(lived_until(number, tmp_path / "memory.db")) as connection:
        before = held(connection)
        done = migrate(connection, backups=tmp_path, clock=lambda: NOW_MS)
        assert [step.number for step in done] == NUMBERS[number:]
        assert lost(before, held(connection), number) == []
        assert schema_of(connection) == FILE.read_text(encoding="utf-8")
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    copies = list(tmp_path.glob("before-schema-*"))
    assert len(copies) == (1 if done else 0) + (number - 1)


@pytest.mark.parametrize("number", NUMBERS)
async def test_todays_server_serves_what_an_older_one_left(number: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with closing(lived_until(number, home / "memory.db")) as connection:
        before = held(connection)
    async with opened(home, TestClock()) as services:
        for query, found in (
            ("which idempotency key do attempts keep", "idempotency key"),
            ("to which port do deploys go", "8443"),
        ):
            request = RecallRequest(query=query, project_dir="/nowhere/shop")
            answer = await recalled(services, request)
            assert any(found in hit["excerpt"] for hit in answer["hits"]), answer
            assert all("8080" not in hit["excerpt"] for hit in answer["hits"]), "superseded"
            assert all("thrown away" not in hit["excerpt"] for hit in answer["hits"]), "trash"
        history = await perform_named(
            services,
            "memories",
            {"view": "history", "ids": ["0191aaaa-0000-7000-8000-000000000001"]},
        )
        assert "The retry helper keeps a key." in str(history)
    with closing(open_raw(home / "memory.db")) as connection:
        kept = {name: found for name, found in before.items() if name not in DERIVED}
        for project in kept["project"]:
            del project["seen_at_ms"]  # it was seen just now
        kept.pop("recalled", None)  # it counts what was just asked for
        assert lost(kept, held(connection), number) == []
    assert faults_in(home / "memory.db") == []
    assert rows(home / "memory.db", "SELECT max(number) FROM migration") == [(NUMBERS[-1],)]


async def recalled(services: Any, request: RecallRequest) -> dict[str, Any]:
    given = request.model_dump(exclude_none=True)
    answer = await perform_named(services, "recall", given)
    return dict(answer)
