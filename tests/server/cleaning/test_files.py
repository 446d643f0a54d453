"""What belongs elsewhere, and what no longer holds by its files or by a judgment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import git

from hitherto_contract import MemoriesRequest, SyncRequest
from hitherto_server.api.operations import perform
from hitherto_server.cleaning.cleaner import EVERYWHERE, where_is
from hitherto_server.core.errors import NotOffered, RevisionMoved
from hitherto_server.judge.configuration import Backend, JudgeConfig
from hitherto_server.judge.profiles import PROFILES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system_one_stub import SystemOneStub

    from .conftest import Home


def helper(name: str) -> str:
    """Return code that resembles that of no other file, or git would take it for the same."""
    lines = [f"# {name} {number * len(name)}" for number in range(9)]
    return "\n".join([*lines, "def retry():", "    return 3", ""])


async def tied(home: Home, name: str, content: str | None = None, **values: Any) -> str:
    """Write a file of the project and store a memory about it."""
    (home.me.folder / name).write_text(helper(name))
    git(home.me.folder, "add", ".")
    git(home.me.folder, "commit", "-qm", f"Add {name}")
    text = content or f"`retry` of {name} tries three times."
    return (await home.me.remember(text, files=[name], **values)).id


async def standing(home: Home, memory_id: str) -> str | None:
    asked = MemoriesRequest(view="get", ids=[memory_id], project_dir=str(home.me.folder))
    reply: Any = await perform(home.me.services, asked)
    found: str | None = reply.memories[0].standing
    return found


async def test_what_lost_its_files_is_stale_and_what_has_them_is_not(home: Home) -> None:
    stale = await tied(home, "gone.py")
    await tied(home, "kept.py")
    assert await home.listed("stale") == []
    (home.me.folder / "gone.py").unlink()
    entry = await home.only("stale")
    assert entry.members[0].id == stale
    assert (entry.said_by, entry.probability, entry.choices) == ("rule", None, ("trash", "confirm"))
    assert "gone.py gone" in entry.reasons[0]


async def test_what_is_stale_is_trashed_and_brought_back(home: Home) -> None:
    stale = await tied(home, "gone.py")
    (home.me.folder / "gone.py").unlink()
    entry = await home.only("stale")
    done = await home.apply("stale", entry)
    assert done.revisions == {stale: 2}
    assert await home.listed("stale") == []
    with pytest.raises(RevisionMoved):
        await home.apply("stale", entry)
    await home.undo(done)
    assert len(await home.listed("stale")) == 1


async def test_who_says_that_it_still_holds_confirms_it_until_that_is_undone(home: Home) -> None:
    stale = await tied(home, "gone.py")
    before = await home.me.see(stale)
    (home.me.folder / "gone.py").unlink()
    done = await home.apply("stale", await home.only("stale"), choice="confirm")
    assert await home.listed("stale") == []
    confirmed = await home.me.see(stale)
    assert confirmed.confirmed_at_ms == home.clock()
    assert confirmed.files == []
    await home.undo(done)
    assert await home.me.see(stale) == before
    assert (await home.only("stale")).members[0].id == stale
    (home.me.folder / "gone.py").write_text(helper("gone.py"))
    assert await standing(home, stale) == "current"


async def test_a_dismissed_stale_memory_comes_back_for_another_reason_alone(home: Home) -> None:
    await tied(home, "gone.py", "`retry` of gone.py tries thrice, `other` of other.py once.")
    (home.me.folder / "gone.py").unlink()
    entry = await home.only("stale")
    done = await home.dismiss("stale", entry)
    assert await home.listed("stale") == []
    with pytest.raises(NotOffered):
        await home.apply("stale", entry)
    await home.me.reflect(entry.members[0].id, "edit", importance=9)
    assert len(await home.listed("stale")) == 1, "somebody had a hand in it since"
    await home.undo(done)
    assert len(await home.listed("stale")) == 1


async def test_what_a_judgment_says_is_stale_is_offered_with_its_probability(
    home: Home, stub: SystemOneStub
) -> None:
    memory = await tied(home, "code.py")
    (home.me.folder / "code.py").write_text("def retry():\n    return 9  # changed\n")
    assert await standing(home, memory) == "changed"
    stub.answers = {"still_describes": 0.1}
    backend = Backend(PROFILES["custom"], stub.url, stub.model)
    await home.me.services.judge.change(lambda _: JudgeConfig(backend=backend))
    await perform(home.me.services, SyncRequest(project_dir=str(home.me.folder)))
    assert await standing(home, memory) == "stale"
    entry = await home.only("stale")
    assert (entry.said_by, entry.probability) == ("judge", 0.1)
    done = await home.apply("stale", entry, choice="confirm")
    assert (await home.listed("stale"), await standing(home, memory)) == ([], "current")
    await home.undo(done)
    assert (await home.only("stale")).probability == 0.1


async def test_stale_pages_follow_one_another(home: Home) -> None:
    ids = [await tied(home, f"gone{number}.py") for number in range(5)]
    for number in range(5):
        (home.me.folder / f"gone{number}.py").unlink()
    found, cursor = [], None
    while True:
        page = await home.cleaner.page("stale", EVERYWHERE, limit=2, cursor=cursor)
        assert len(page.entries) <= 2
        found += [one.members[0].id for one in page.entries]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == ids


async def test_a_list_is_of_the_callers_project_and_of_what_holds_everywhere(
    home: Home, tmp_path: Path
) -> None:
    await tied(home, "gone.py")
    (home.me.folder / "gone.py").unlink()
    here = await home.me.services.projects.find(str(home.me.folder))
    page = await home.cleaner.page("stale", where_is(here, is_named=True), limit=9, cursor=None)
    assert len(page.entries) == 1
    nowhere = where_is(None, is_named=True)
    page = await home.cleaner.page("stale", nowhere, limit=9, cursor=None)
    assert page.entries == ()


async def judge_misfiled(home: Home, memory_id: str, category: str) -> None:
    """Write what a category-check leaves of a memory that belongs elsewhere."""

    def job(connection: Any) -> None:
        connection.execute(
            "INSERT INTO verdict (memory_number, revision, surface, answer, probability,"
            " basis_hash, judged_at_ms) SELECT m.number, m.revision, 'category-check', c.id, 0.8,"
            " 'b', 1 FROM memory AS m JOIN category AS c ON c.project_id = m.project_id"
            " WHERE m.id = ? AND c.name = ?",
            (memory_id, category),
        )

    await home.store.writer.run(job)


async def test_what_belongs_elsewhere_is_moved_there_and_back(home: Home) -> None:
    memory = (await home.me.remember("Deploys are made by Argo.", category="conventions")).id
    assert await home.listed("misfiled") == []
    await judge_misfiled(home, memory, "operations")
    entry = await home.only("misfiled")
    assert (entry.goal_name, entry.said_by, entry.probability) == ("operations", "judge", 0.8)
    assert (entry.members[0].category, entry.choices) == ("conventions", ("move",))
    done = await home.apply("misfiled", entry)
    assert (await home.me.see(memory)).category == "operations"
    assert await home.listed("misfiled") == []
    await home.undo(done)
    assert (await home.me.see(memory)).category == "conventions"
    assert len(await home.listed("misfiled")) == 1


async def test_a_memory_that_stays_where_it_is_is_not_offered_that_place_again(
    home: Home,
) -> None:
    memory = (await home.me.remember("Deploys are made by Argo.", category="conventions")).id
    await judge_misfiled(home, memory, "operations")
    done = await home.dismiss("misfiled", await home.only("misfiled"))
    assert await home.listed("misfiled") == []
    await judge_misfiled(home, memory, "operations")
    assert await home.listed("misfiled") == []
    await judge_misfiled(home, memory, "architecture")
    assert (await home.only("misfiled")).goal_name == "architecture"
    await judge_misfiled(home, memory, "operations")
    await home.undo(done)
    assert (await home.only("misfiled")).goal_name == "operations"


async def test_what_was_moved_by_hand_meanwhile_is_not_moved(home: Home) -> None:
    memory = (await home.me.remember("Deploys are made by Argo.", category="conventions")).id
    await judge_misfiled(home, memory, "operations")
    entry = await home.only("misfiled")
    await home.me.reflect(memory, "edit", category="architecture")
    with pytest.raises(RevisionMoved):
        await home.apply("misfiled", entry)
    assert await home.listed("misfiled") == []


async def test_steps_keep_what_an_undo_needs_and_no_text(home: Home) -> None:
    await tied(home, "gone.py")
    (home.me.folder / "gone.py").unlink()
    await home.apply("stale", await home.only("stale"), choice="confirm")
    query = "SELECT detail FROM cleaning_step WHERE what = 'confirm'"
    [detail] = await home.store.readers.run(lambda c: [json.loads(r[0]) for r in c.execute(query)])
    assert set(detail) == {"confirmed_at_ms", "confirmed_commit", "anchors"}
    assert [one["path"] for one in detail["anchors"]] == ["gone.py"]
