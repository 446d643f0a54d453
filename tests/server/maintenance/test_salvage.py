"""Of a damaged database everything is saved that can be read, and what is saved is sound."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.wiring import TestClock, opened, repository, rows

from hitherto_contract import ReflectRequest, RememberRequest
from hitherto_server.core.errors import InvalidInput, StoreUnreadable
from hitherto_server.core.home import Home
from hitherto_server.gates.reflect import reflect
from hitherto_server.gates.remember import remember
from hitherto_server.maintenance.salvage import salvage
from hitherto_server.store.driver import open_raw
from hitherto_server.store.restoring import restore_store

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 4096
MANY = 80


@pytest.fixture
async def whole(tmp_path: Path) -> Path:
    """A closed store with two projects' memories, each with a history."""
    home = tmp_path / "home"
    async with opened(home, TestClock()) as services:
        project = repository(tmp_path / "app", "git@example.com:owner/app.git")
        (project / "up.py").write_text("def retry_upload():\n    return 3\n")
        for number in range(MANY):
            told = RememberRequest(
                content=f"Step {number} of the build is keyed by E{number}, see `retry_upload`",
                project_dir=str(project),
                files=["up.py"],
                category="pitfalls",
            )
            memory = (await remember(services.writes, told)).id
            if number % 4 == 0:
                content = f"Step {number} is keyed by F{number} now, see `retry_upload`"
                edit = ReflectRequest(
                    action="edit", id=memory, content=content, project_dir=str(project)
                )
                await reflect(services.writes, edit)
    database = Home(home).database
    with closing(open_raw(database)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return database


def root_of(database: Path, name: str) -> int:
    [(page,)] = rows(database, "SELECT rootpage FROM sqlite_schema WHERE name = ?", name)
    return int(page)


def overwrite(database: Path, *pages: int) -> None:
    with database.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(os.urandom(PAGE))


def test_of_a_sound_database_everything_is_saved(whole: Path, tmp_path: Path) -> None:
    target = tmp_path / "saved.db"
    found = salvage(whole, target)
    assert found.damaged == set()
    assert target.stat().st_mode & 0o777 == 0o600
    for table in ("memory", "revision", "anchor", "part", "category", "project", "passage"):
        count = f"SELECT count(*) FROM {table}"
        assert rows(target, count) == rows(whole, count), table
    with pytest.raises(InvalidInput):
        salvage(whole, target)


@pytest.mark.parametrize(
    "table", ["memory", "revision", "project", "category", "anchor", "part", "passage", "migration"]
)
async def test_a_table_that_is_gone_whole_takes_no_other_with_it(
    whole: Path, tmp_path: Path, table: str
) -> None:
    overwrite(whole, root_of(whole, table))
    target = tmp_path / "saved.db"
    found = salvage(whole, target)
    [(memories,)] = rows(target, "SELECT count(*) FROM memory")
    assert memories == (0 if table == "memory" else MANY)
    if table == "memory":
        assert len(found.texts) == MANY, "the history kept their texts"
    if table == "project":
        assert rows(target, "SELECT identity FROM project") == [("lost:1",)]
    await serves(restored_from(target, tmp_path))


def restored_from(saved: Path, tmp_path: Path) -> Path:
    home = Home(tmp_path / "restored")
    home.create()
    restore_store(home, saved)
    return home.database


async def serves(database: Path) -> None:
    """Open what was restored: at its end it must be sound, indexes and histories included."""
    async with opened(database.parent, TestClock()) as services:
        told = RememberRequest(content="One more, after all that", scope="user")
        await remember(services.writes, told)


async def test_what_was_saved_serves_after_a_restore(whole: Path, tmp_path: Path) -> None:
    overwrite(whole, root_of(whole, "revision"), root_of(whole, "memory_text"))
    target = tmp_path / "saved.db"
    salvage(whole, target)
    restored = restored_from(target, tmp_path)
    await serves(restored)
    query = "SELECT DISTINCT actor FROM revision"
    assert ("salvage",) in rows(restored, query)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
async def test_of_a_file_that_was_cut_what_is_left_is_saved(
    whole: Path, tmp_path: Path, share: float
) -> None:
    with whole.open("r+b") as file:
        file.truncate(int(whole.stat().st_size * share) // PAGE * PAGE)
    target = tmp_path / "saved.db"
    try:
        salvage(whole, target)
    except StoreUnreadable:
        assert not target.exists()
        return
    assert rows(target, "SELECT count(*) FROM memory")[0][0] <= MANY
    await serves(restored_from(target, tmp_path))


def test_without_its_first_page_nothing_can_be_read_and_that_is_said(
    whole: Path, tmp_path: Path
) -> None:
    overwrite(whole, 1)
    with pytest.raises(StoreUnreadable, match="nothing of it can be read"):
        salvage(whole, tmp_path / "saved.db")
    assert not (tmp_path / "saved.db").exists()
