"""Two stores become one: nothing of either is lost, and what was said last holds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.migrations.test_upgrades import NUMBERS, lived_until
from tests.wiring import TestClock, faults_in, opened, repository, rows

from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.home import Home
from hitherto_server.store.restoring import restore_store
from hitherto_server.store.transfer import list_unsettled
from hitherto_server.transfer.histories import mark, merge_histories, state_of
from hitherto_server.transfer.projects import match_projects

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from .conftest import Side


async def both_have(sides: tuple[Side, Side], content: str, project: Path | None = None) -> str:
    """Put one memory into both stores, as a copy of the first one's."""
    here, there = sides
    memory = await there.told(content, project)
    await here.imported(await there.exported())
    return memory


def history(side: Side, memory: str) -> list[str]:
    query = """
        SELECT r.content FROM revision AS r JOIN memory AS m ON m.number = r.memory_number
        WHERE m.id = ? ORDER BY r.revision
    """
    return [content for (content,) in rows(side.database, query, memory)]


async def merge(to: Side, other: Side, **values: Any) -> Any:
    return await to.imported(await other.exported(), merge=True, **values)


async def test_a_memory_that_went_on_elsewhere_goes_on_here(sides: tuple[Side, Side]) -> None:
    here, there = sides
    memory = await both_have(sides, "The port is 8080")
    await there.edited(memory, "The port is 9090")
    reply = await merge(here, there)
    assert await here.contents() == {memory: "The port is 9090"}
    assert history(here, memory) == ["The port is 8080", "The port is 9090"]
    assert (reply.counts["merged"], reply.conflicts) == (1, [])
    assert faults_in(here.database) == []


@pytest.mark.parametrize("later", ["here", "there"])
async def test_of_two_edits_the_newer_one_holds_and_both_are_in_the_history(
    sides: tuple[Side, Side], later: str
) -> None:
    here, there = sides
    memory = await both_have(sides, "The port is 8080")
    if later == "here":
        here.clock.pass_ms(10_000)
    else:
        there.clock.pass_ms(10_000)
    await here.edited(memory, "The port is 7070, says here")
    await there.edited(memory, "The port is 9090, says there")
    reply = await merge(here, there)
    wanted = "The port is 7070, says here" if later == "here" else "The port is 9090, says there"
    assert await here.contents() == {memory: wanted}
    assert set(history(here, memory)) == {
        "The port is 8080", "The port is 7070, says here", "The port is 9090, says there",
    }  # fmt: skip
    assert reply.conflicts == [memory]
    unsettled = await here.services.store.readers.run(list_unsettled)
    assert unsettled == [memory]
    assert faults_in(here.database) == []
    # the other side takes that in, and both say the same; neither has anything new after it
    await merge(there, here)
    assert await there.contents() == {memory: wanted}
    again = await merge(here, there)
    assert again.counts.get("merged", 0) == 0
    # a look at it settles it
    await here.edited(memory, "The port is 6060")
    assert await here.services.store.readers.run(list_unsettled) == []


async def test_a_memory_that_says_the_same_as_one_here_joins_it(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    mine = await here.told("The port is 8080", project)
    theirs = await there.told("The  port is 8080", project)
    older = await there.told("The port is 7070", project)
    await there.run(
        "INSERT INTO event VALUES (NULL, 's9', 'Stop', 'h', 1, 1, 0, NULL, '{}') RETURNING id"
    )
    support = (
        "INSERT INTO support SELECT number, 1, 'port', 'affirms', 'user' FROM memory WHERE id = ?"
    )
    await there.run(support, theirs)
    relate = """
        INSERT INTO relation (kind, newer_number, older_number, said_by, created_at_ms)
        SELECT 'supersedes', n.number, o.number, 'person', 5 FROM memory AS n, memory AS o
        WHERE n.id = ? AND o.id = ?
    """
    await there.run(relate, theirs, older)
    reply = await merge(here, there)
    assert await here.contents() == {mine: "The port is 8080", older: "The port is 7070"}
    assert reply.counts["duplicates"] == 1
    joined = """
        SELECT m.id, s.sentence FROM support AS s JOIN memory AS m ON m.number = s.memory_number
    """
    assert (mine, "port") in rows(here.database, joined)
    replaced = """
        SELECT n.id, o.id FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        JOIN memory AS o ON o.number = r.older_number WHERE r.kind = ?
    """
    assert rows(here.database, replaced, "supersedes") == [(mine, older)]
    [pair] = rows(here.database, replaced, "duplicate_of")
    assert set(pair) == {mine, theirs}
    assert history(here, theirs)[0] == "The  port is 8080", "it is in the trash, with its history"
    again = await merge(here, there)
    assert again.counts.get("duplicates", 0) == 0
    assert again.counts["known"] == 2


async def test_a_supersession_that_would_run_in_a_circle_is_a_conflict(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    first = await there.told("The port is 8080", project)
    second = await there.told("The port is 9090", project)
    await here.imported(await there.exported())
    relate = """
        INSERT INTO relation (kind, newer_number, older_number, said_by, created_at_ms)
        SELECT 'supersedes', n.number, o.number, 'person', 5 FROM memory AS n, memory AS o
        WHERE n.id = ? AND o.id = ?
    """
    await here.run(relate, first, second)
    await there.run(relate, second, first)
    reply = await merge(here, there)
    kinds = rows(
        here.database, "SELECT kind FROM relation WHERE undone_at_ms IS NULL ORDER BY kind"
    )
    assert kinds == [("possible_conflict",), ("supersedes",)]
    assert any("each side" in note for note in reply.notes)


async def test_two_values_of_one_state_key_are_said_to_conflict(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    await here.told("The port is 8080", project, state_key="deploy.port")
    await there.told("We deploy to 9090 now", project, state_key="deploy.port")
    reply = await merge(here, there)
    assert rows(here.database, "SELECT kind, reason FROM relation") == [
        ("possible_conflict", "state key deploy.port")
    ]
    assert reply.counts["rivals"] == 1
    assert len(await here.contents()) == 2


async def test_what_a_person_took_back_here_is_not_said_again_by_the_other_side(
    sides: tuple[Side, Side], project: Path
) -> None:
    here, there = sides
    first = await there.told("The port is 8080", project)
    second = await there.told("The port is 9090", project)
    relate = """
        INSERT INTO relation (kind, newer_number, older_number, said_by, created_at_ms)
        SELECT 'similar', n.number, o.number, 'rule', 5 FROM memory AS n, memory AS o
        WHERE n.id = ? AND o.id = ?
    """
    await there.run("DELETE FROM relation")
    await there.run(relate, second, first)
    await here.imported(await there.exported())
    await here.run("UPDATE relation SET undone_at_ms = 9, undone_by = 'person'")
    await merge(here, there)
    assert rows(here.database, "SELECT kind, undone_at_ms FROM relation") == [("similar", 9)]
    await merge(there, here)
    assert rows(there.database, "SELECT kind, undone_at_ms FROM relation") == [("similar", 9)]


async def test_another_store_is_merged_as_its_file(
    sides: tuple[Side, Side], project: Path, tmp_path: Path
) -> None:
    here, there = sides
    mine = await here.told("The port is 8080", project)
    theirs = await there.told("Uploads give up after 3 tries", project)
    made = await there.services.backups.make("manual")
    reply = await here.imported(made.path, merge=True)
    assert set(await here.contents()) == {mine, theirs}
    assert "projects" not in reply.counts, "it is the same one"
    assert reply.backup is not None
    assert rows(tmp_path / reply.backup, "SELECT id FROM memory") == [(mine,)]


async def test_a_project_is_found_by_its_remote_or_as_it_was_told(
    sides: tuple[Side, Side], project: Path, tmp_path: Path
) -> None:
    here, there = sides
    await here.told("The port is 8080", project)
    clone = repository(tmp_path / "elsewhere", "https://example.com/owner/app")
    await there.told("Cloned elsewhere, the same project", clone)
    plain = tmp_path / "plain"
    plain.mkdir()
    await there.told("A folder without git", plain)
    await merge(here, there, told={"plain": "app"})
    assert rows(here.database, "SELECT name FROM project") == [("app",)]
    assert len(await here.contents()) == 3
    with pytest.raises(InvalidInput, match="no project 'nowhere' here"):
        await merge(here, there, told={"plain": "nowhere"})


def named(identity: str, name: str, root: str = "") -> dict[str, str]:
    return {"identity": identity, "name": name, "seen_root": root or f"/{name}"}


def test_a_folder_is_the_project_of_its_name_if_there_is_one_only_and_says_so() -> None:
    remote = named("remote:h/o/app", "app", "/src/app")
    folder = named("path:/old/app", "app", "/old/app")
    assert match_projects([folder], [remote]).places == {"path:/old/app": 0}
    assert "was taken for" in match_projects([folder], [remote]).notes[0]
    fork = named("remote:h/me/app", "app", "/fork/app")
    assert match_projects([fork], [remote]).places == {"remote:h/me/app": None}
    assert match_projects([folder], [remote, fork]).places == {"path:/old/app": None}
    same_folder = named("root:abc", "renamed", "/old/app")
    assert match_projects([folder], [same_folder]).places == {"path:/old/app": 0}


texts = some.sampled_from("abc")


@some.composite
def histories(draw: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two histories with a common beginning."""

    def revision(number: int, side: str) -> dict[str, Any]:
        state = {"kind": "note", "tags": [], "importance": 5, "category": None}
        return {
            "revision": number, "change": "edit", "actor": side, "content": draw(texts),
            "changed_at_ms": number * 10 + draw(some.integers(0, 30)), "state": state,
        }  # fmt: skip

    shared = [revision(number, "both") for number in range(1, draw(some.integers(2, 4)))]
    sides = [
        [revision(len(shared) + number, name) for number in range(1, draw(some.integers(1, 4)))]
        for name in ("here", "there")
    ]
    return [*shared, *sides[0]], [*shared, *sides[1]]


def joined(here: list[dict[str, Any]], there: list[dict[str, Any]]) -> list[dict[str, Any]]:
    merged = merge_histories(here, there)
    restated = [] if merged.restated is None else [{**merged.restated, "actor": "merge"}]
    return [*here, *map(dict, merged.missing), *restated]


@given(histories())
def test_both_sides_come_to_the_same_state_and_keep_every_word(pair: Any) -> None:
    here, there = pair
    one, other = joined(here, there), joined(there, here)
    assert {mark(each) for each in [*here, *there]} <= {mark(each) for each in one}
    assert state_of(one[-1]) == state_of(other[-1])
    assert merge_histories(one, there).is_known
    assert state_of(joined(one, other)[-1]) == state_of(one[-1])


@pytest.mark.parametrize("number", NUMBERS)
async def test_a_store_of_every_released_schema_is_merged_and_restored(
    sides: tuple[Side, Side], tmp_path: Path, number: int
) -> None:
    here, _ = sides
    old = tmp_path / "old.db"
    with closing(lived_until(number, old)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        wanted = {row[0] for row in connection.execute("SELECT id FROM memory")}
    before = old.read_bytes()
    await here.imported(old, merge=True)
    assert {memory for (memory,) in rows(here.database, "SELECT id FROM memory")} == wanted
    assert old.read_bytes() == before
    home = Home(tmp_path / "restored")
    home.create()
    restore_store(home, old)
    async with opened(home.root, TestClock()):
        assert {memory for (memory,) in rows(home.database, "SELECT id FROM memory")} == wanted
