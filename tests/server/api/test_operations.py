"""One table of operations for HTTP and for the mounted MCP; lists and rebuilds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import TestClock, faults_in, opened, rows

from hitherto_contract import MemoriesRequest
from hitherto_contract.base import Wire
from hitherto_server.api.listing import list_memories
from hitherto_server.api.operations import REQUESTS, perform, perform_named
from hitherto_server.api.service import rebuild, status_of
from hitherto_server.core.errors import InvalidInput, NotFound, StoreBusy, TooLarge
from hitherto_server.store import driver
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.services import Services


async def remember(services: Services, content: str, **values: Any) -> str:
    values = {"content": content, "scope": "user", **values}
    return str((await perform_named(services, "remember", values))["id"])


async def ids(services: Services, **values: Any) -> list[str]:
    return [view.id for view in (await list_memories(services, MemoriesRequest(**values))).memories]


async def test_an_operation_has_plain_values_in_and_out(services: Services) -> None:
    reply = await perform_named(services, "remember", {"content": "Use tabs.", "scope": "user"})
    assert reply["outcome"] == "stored"


@pytest.mark.parametrize("operation", ["", "nothing", "__init__", "stop"])
async def test_an_operation_that_is_not_there_is_said(services: Services, operation: str) -> None:
    with pytest.raises(NotFound):
        await perform_named(services, operation, {})


@pytest.mark.parametrize("operation", sorted(REQUESTS))
async def test_every_operation_refuses_what_it_does_not_know(
    services: Services, operation: str
) -> None:
    with pytest.raises(InvalidInput):
        await perform_named(services, operation, {"unknown field": 1})


async def test_too_much_is_the_same_by_name(services: Services) -> None:
    with pytest.raises(TooLarge):
        await perform_named(services, "remember", {"content": "x" * 20_001})


async def test_a_request_that_no_operation_takes_is_a_bug_and_says_so(services: Services) -> None:
    with pytest.raises(TypeError):
        await perform(services, Wire())


async def test_lists_hold_what_they_are_asked_for(services: Services, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    wide = await remember(services, "Use tabs.", kind="preference")
    mine = await remember(services, "Mine.", scope="project", project_dir=str(here))
    other = await remember(services, "Other.", scope="project", project_dir=str(there))
    gone = await remember(services, "Gone.")
    await perform_named(services, "forget", {"id": gone})
    assert set(await ids(services)) == {wide, mine, other}
    assert set(await ids(services, project_dir=str(here))) == {wide, mine}
    assert await ids(services, project_dir=str(here), scope="project") == [mine]
    assert await ids(services, scope="user") == [wide]
    assert await ids(services, kind="preference") == [wide]
    assert await ids(services, view="trash") == [gone]
    assert await ids(services, view="get", ids=[gone, mine]) == [gone, mine]


async def test_pages_follow_each_other_without_a_gap(services: Services) -> None:
    every = [await remember(services, f"Number {number}.") for number in range(7)]
    pages = [await ids(services, limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert sorted(memory_id for page in pages for memory_id in page) == sorted(every)


async def test_one_unknown_id_among_many_is_named(services: Services) -> None:
    known = await remember(services, "Use tabs.")
    unknown = known[:-1] + ("0" if known[-1] != "0" else "1")
    with pytest.raises(NotFound, match=unknown):
        await ids(services, view="get", ids=[known, unknown])


async def test_a_rebuild_mends_indexes_that_differ(services: Services) -> None:
    await remember(services, "Use tabs.")
    await services.store.writer.run(lambda c: c.execute("DELETE FROM fulltext") and None)
    assert faults_in(services.home.database) != []
    assert await rebuild(services) == {"memories": 1}
    assert faults_in(services.home.database) == []


async def test_the_status_counts_and_says_what_is_amiss(services: Services) -> None:
    await remember(services, "Use tabs.")
    services.sessions.spool.dropped.write_bytes(b"...")
    services.sessions.spool.unreadable.write_bytes(b"torn\n")
    services.store.writer.lost = 2
    status = await status_of(services)
    assert status.memories["admitted"] == 1
    assert status.lost_writes == 2
    said = " ".join(status.notices)
    aside = "look at, then delete, spool/events.unreadable"
    for part in ("hitherto models fetch", "3 hook events were dropped", aside, "2 writes were"):
        assert part in said


async def test_a_write_that_was_lost_is_said_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "BUSY_TIMEOUT_S", 0.1)
    root = tmp_path / "another home"
    async with opened(root, TestClock()) as services:
        with closing(open_raw(services.home.database)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusy):
                await remember(services, "Use tabs.")
            assert (await status_of(services)).lost_writes == 1
            foreign.execute("ROLLBACK")
        await remember(services, "Use spaces.")
        assert (await status_of(services)).lost_writes == 1, "it is counted once"
    async with opened(root, TestClock()) as services:
        status = await status_of(services)
    assert status.lost_writes == 1
    assert "1 writes were refused by the database: see logs/server.log" in status.notices


async def test_a_listed_memory_shows_how_far_it_holds(services: Services, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "net.py").write_text("PORT = 8080\n")
    values = {"scope": "project", "project_dir": str(here), "files": ["net.py"]}
    tied = await remember(services, "`PORT` is 8080.", **values)
    wide = await remember(services, "Use tabs.")

    async def standings(**values: Any) -> dict[str, str | None]:
        listed = await list_memories(services, MemoriesRequest(**values))
        return {view.id: view.standing for view in listed.memories}

    assert await standings() == {tied: "current", wide: "unverified"}
    (here / "net.py").write_text("PORT = 9090\n")
    assert (await standings(view="get", ids=[tied]))[tied] == "changed"
    await perform_named(services, "forget", {"id": tied})
    assert list((await standings(view="trash")).values()) != [None]


async def test_a_replacement_in_the_trash_replaces_nothing(services: Services) -> None:
    old = await remember(services, "Use tabs.")
    new = await remember(services, "Use spaces.", supersedes=[old])

    async def seen() -> tuple[str | None, str | None]:
        asked = MemoriesRequest(view="get", ids=[old])
        (view,) = (await list_memories(services, asked)).memories
        return view.superseded_by, view.standing

    assert await seen() == (new, "superseded")
    await perform_named(services, "forget", {"id": new})
    assert await seen() == (None, "unverified")
    await perform_named(services, "restore", {"id": new})
    assert (await seen())[0] == new


async def test_to_ask_from_a_folder_that_was_never_seen_makes_no_project(
    services: Services, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    wide = await remember(services, "Use tabs.", project_dir="/nonexistent")
    await remember(services, "Use mine tabs.", scope="project", project_dir=str(here))
    for folder in ("/nonexistent", str(tmp_path)):
        asked = {"query": "Use tabs", "project_dir": folder}
        reply = await perform_named(services, "recall", asked)
        assert [hit["id"] for hit in reply["hits"]] == [wide]
        reply = await perform_named(services, "recall", {**asked, "scope": "project"})
        assert reply["hits"] == []
        assert await ids(services, project_dir=folder) == [wide]
        assert await ids(services, project_dir=folder, scope="project") == []
    database = services.home.database
    assert rows(database, "SELECT identity FROM project") == [(f"path:{here}",)]
