"""Editing, superseding, confirming, undoing, forgetting and restoring."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import repository, rows

from hitherto_server.core.errors import (
    AlreadyKnown,
    InvalidInput,
    NotFound,
    NothingToUndo,
    RevisionMoved,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.person import Person

CHANGES_OF_TEXT: list[tuple[str, dict[str, Any]]] = [
    ("edit", {"content": "`A` is set twice."}),
    ("edit", {"files": ["a.py"]}),
    ("supersede", {"content": "`A` is gone."}),
    ("confirm", {}),
]
NOBODY = "01a22bf4-ec96-7fad-a66d-ad7a276719dd"


async def test_an_edit_is_a_new_revision_and_the_old_one_stays_readable(me: Person) -> None:
    told = await me.remember("The port is 8080.", tags=["net"])
    edited = await me.reflect(told.id, "edit", content="The door is 9090.", importance=8)
    assert (edited.id, edited.revision) == (told.id, 2)
    seen = await me.see(told.id)
    assert (seen.content, seen.importance, seen.tags) == ("The door is 9090.", 8, ["net"])
    history = [(r.revision, r.change, r.content) for r in await me.history(told.id)]
    assert history == [(1, "create", "The port is 8080."), (2, "edit", "The door is 9090.")]
    assert await me.found_by("door") == [told.id]
    assert await me.found_by("port") == []


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "fact"},
        {"tags": ["a", "b"]},
        {"tags": []},
        {"importance": 1},
        {"category": "operations"},
        {"state_key": "port"},
        {"files": ["a.py"]},
        {"files": []},
        {"content": "Something else."},
    ],
    ids=str,
)
async def test_a_change_touches_what_it_names_and_an_undo_takes_it_back(
    me: Person, project: Path, change: dict[str, Any]
) -> None:
    (project / "a.py").write_text("A = 1\n")
    (project / "b.py").write_text("B = 1\n")
    told = await me.remember("The port is 8080.", tags=["net"], files=["b.py"])
    before = (await me.see(told.id)).model_dump(exclude={"revision"})
    edited = await me.reflect(told.id, "edit", **change)
    after = (await me.see(told.id)).model_dump(exclude={"revision"})
    assert {name for name in after if after[name] != before[name]} == set(change)
    await me.reflect(told.id, "undo", expected_revision=edited.revision)
    assert (await me.see(told.id)).model_dump(exclude={"revision"}) == before


async def test_an_undo_of_an_undo_does_it_again(me: Person) -> None:
    told = await me.remember("One.")
    await me.reflect(told.id, "edit", content="Two.")
    await me.reflect(told.id, "undo", expected_revision=2)
    assert (await me.see(told.id)).content == "One."
    await me.reflect(told.id, "undo", expected_revision=3)
    assert (await me.see(told.id)).content == "Two."
    assert [r.change for r in await me.history(told.id)] == ["create", "edit", "undo", "undo"]


async def test_an_undo_of_a_forget_restores(me: Person) -> None:
    told = await me.remember("The port is 8080.")
    gone = await me.forget(told.id)
    assert await me.found_by("port") == []
    await me.reflect(told.id, "undo", expected_revision=gone.revision)
    assert (await me.see(told.id)).trashed_at_ms is None
    assert await me.found_by("port") == [told.id]


@pytest.mark.parametrize("action", ["edit", "supersede", "confirm", "undo"])
async def test_a_revision_that_moved_is_refused(me: Person, action: str) -> None:
    told = await me.remember("One.")
    await me.reflect(told.id, "edit", content="Two.")
    content = "Three." if action in {"edit", "supersede"} else None
    with pytest.raises(RevisionMoved, match="at revision 2, not 1"):
        await me.reflect(told.id, action, content=content, expected_revision=1)
    assert (await me.see(told.id)).content == "Two."
    assert await me.count() == 1


async def test_forget_and_restore_heed_the_revision(me: Person) -> None:
    told = await me.remember("One.")
    await me.reflect(told.id, "edit", content="Two.")
    for change in (me.forget, me.restore):
        with pytest.raises(RevisionMoved):
            await change(told.id, 1)


async def test_an_edit_into_the_text_of_another_is_refused(me: Person) -> None:
    one = await me.remember("One.")
    two = await me.remember("Two.")
    with pytest.raises(AlreadyKnown, match=one.id):
        await me.reflect(two.id, "edit", content="One.")
    assert (await me.see(two.id)).content == "Two."


async def test_an_edit_that_changes_only_its_spaces_is_an_edit(me: Person) -> None:
    told = await me.remember("One two.")
    assert (await me.reflect(told.id, "edit", content="One  two.")).revision == 2


async def test_an_undo_into_the_text_of_another_is_refused(me: Person) -> None:
    told = await me.remember("One.")
    await me.reflect(told.id, "edit", content="Two.")
    twin = await me.remember("One.")
    with pytest.raises(AlreadyKnown, match=twin.id):
        await me.reflect(told.id, "undo", expected_revision=2)


async def test_what_lies_in_the_trash_is_not_edited(me: Person) -> None:
    told = await me.remember("One.")
    await me.forget(told.id)
    with pytest.raises(InvalidInput, match="in the trash"):
        await me.reflect(told.id, "edit", content="Two.")


async def test_an_edit_heeds_its_files(me: Person, project: Path) -> None:
    told = await me.remember("One.")
    with pytest.raises(InvalidInput, match="outside"):
        await me.reflect(told.id, "edit", files=["../x"])
    (project / "a.py").write_text("A = 1\n")
    await me.reflect(told.id, "edit", files=["a.py"])
    assert (await me.see(told.id)).files == ["a.py"]


async def test_an_unknown_category_is_refused_in_an_edit(me: Person) -> None:
    told = await me.remember("One.")
    with pytest.raises(InvalidInput, match="no category"):
        await me.reflect(told.id, "edit", category="x")


async def test_a_superseding_memory_takes_over_what_it_does_not_change(
    me: Person, project: Path
) -> None:
    (project / "a.py").write_text("A = 1\n")
    old = await me.remember(
        "The port is 8080.",
        kind="decision",
        tags=["net"],
        importance=9,
        files=["a.py"],
        category="operations",
        state_key="port",
    )
    new = await me.reflect(old.id, "supersede", content="The port is 9090.")
    assert new.superseded == [old.id]
    assert new.id != old.id
    seen = await me.see(new.id)
    taken_over = (seen.kind, seen.tags, seen.importance, seen.files, seen.category, seen.state_key)
    assert taken_over == ("decision", ["net"], 9, ["a.py"], "operations", "port")
    assert (await me.see(old.id)).superseded_by == new.id
    assert (await me.see(old.id)).trashed_at_ms is None, "it stays readable"


async def test_an_undone_supersession_makes_the_old_one_current(me: Person) -> None:
    old = await me.remember("The port is 8080.")
    new = await me.reflect(old.id, "supersede", content="The port is 9090.")
    undone = await me.reflect(new.id, "undo", expected_revision=1)
    assert undone.notes == ["1 replaced memories are current again"]
    assert (await me.see(old.id)).superseded_by is None
    assert (await me.see(new.id)).trashed_at_ms is not None
    assert await me.relations() == [("supersedes", new.id, old.id, "agent", 1)]


async def test_a_birth_that_replaced_nothing_cannot_be_undone(me: Person) -> None:
    told = await me.remember("One.")
    with pytest.raises(NothingToUndo):
        await me.reflect(told.id, "undo", expected_revision=1)


async def test_a_user_wide_memory_is_superseded_user_wide(me: Person) -> None:
    old = await me.remember("Use tabs.", scope="user")
    new = await me.reflect(old.id, "supersede", content="Use spaces.")
    assert (await me.see(new.id)).scope == "user"


async def test_a_confirmed_memory_is_the_same_revision(me: Person, project: Path) -> None:
    told = await me.remember("`A` is set in a.py.", files=["a.py"])
    assert await me.found_by("context: a") == [told.id]
    (project / "a.py").write_text("A = 1\n")
    confirmed = await me.reflect(told.id, "confirm")
    assert confirmed.revision == 1
    seen = await me.see(told.id)
    assert seen.confirmed_at_ms == me.clock.now_ms
    assert seen.files == ["a.py"]


async def test_a_confirmation_ties_to_files_that_were_not_there_and_they_are_found(
    me: Person, project: Path
) -> None:
    told = await me.remember("`zebra` is set in animals.py.")
    assert (await me.see(told.id)).files == []
    (project / "animals.py").write_text("zebra = 1\n")
    await me.reflect(told.id, "confirm")
    assert (await me.see(told.id)).files == ["animals.py"]
    assert await me.found_by("context: animals") == [told.id]


async def test_a_memory_is_checked_in_its_own_project(
    me: Person, project: Path, tmp_path: Path
) -> None:
    (project / "a.py").write_text("A = 1\n")
    other = tmp_path / "other"
    other.mkdir()
    told = await me.remember("`A` is set.", files=["a.py"])
    await me.reflect(told.id, "confirm", project_dir=str(other))
    assert (await me.see(told.id)).files == ["a.py"]
    project.rename(tmp_path / "moved")
    with pytest.raises(InvalidInput, match="another project"):
        await me.reflect(told.id, "confirm", project_dir=str(other))
    await me.reflect(told.id, "confirm", project_dir=str(tmp_path / "moved"))


async def test_a_folder_that_another_repository_took_ties_no_memory(
    me: Person, project: Path, tmp_path: Path
) -> None:
    (project / "a.py").write_text("A = 1\n")
    told = await me.remember("`A` is set.", files=["a.py"])
    await me.reflect(told.id, "edit", importance=3)
    history = len(await me.history(told.id))
    project.rename(tmp_path / "moved")
    repository(project, "git@example.com:owner/other.git")
    (project / "a.py").write_text("B = 1\n")
    for folder in (project, tmp_path, tmp_path / "nowhere"):
        where = {"project_dir": str(folder)}
        for action, values in CHANGES_OF_TEXT:
            with pytest.raises(InvalidInput, match="another project"):
                await me.reflect(told.id, action, **values, **where)
    assert len(await me.history(told.id)) == history
    query = "SELECT count(*) FROM project"
    assert rows(me.services.home.database, query) == [(1,)], "a look round makes no project"
    await me.reflect(told.id, "edit", content="`A`.", project_dir=str(tmp_path / "moved"))


@pytest.mark.parametrize(
    "change", [{"tags": ["a"]}, {"importance": 2}, {"kind": "fact"}, {"category": "pitfalls"}]
)
async def test_what_ties_no_file_anew_needs_no_folder(
    me: Person, project: Path, change: dict[str, Any]
) -> None:
    (project / "a.py").write_text("A = 1\n")
    told = await me.remember("`A` is set.", files=["a.py"])
    shutil.rmtree(project)
    edited = await me.reflect(told.id, "edit", project_dir="/nonexistent", **change)
    await me.reflect(told.id, "undo", expected_revision=edited.revision, project_dir=None)
    assert (await me.see(told.id)).files == ["a.py"]
    with pytest.raises(InvalidInput, match="folder"):
        await me.reflect(told.id, "edit", content="`A`.", project_dir="/nonexistent")


async def test_to_forget_twice_and_to_restore_what_is_there_changes_nothing(me: Person) -> None:
    told = await me.remember("One.")
    assert (await me.restore(told.id)).notes == ["it was not in the trash"]
    assert (await me.forget(told.id)).revision == 2
    again = await me.forget(told.id)
    assert (again.revision, again.notes) == (2, ["it was in the trash already"])
    assert (await me.restore(told.id)).revision == 3


async def test_a_restore_beside_its_twin_is_refused_and_names_it(me: Person) -> None:
    told = await me.remember("One.")
    await me.forget(told.id)
    twin = await me.remember("One.")
    with pytest.raises(AlreadyKnown, match=twin.id):
        await me.restore(told.id)


async def test_an_unknown_id_is_not_found(me: Person) -> None:
    for call in (me.forget(NOBODY), me.restore(NOBODY), me.reflect(NOBODY, "confirm")):
        with pytest.raises(NotFound):
            await call


@pytest.mark.parametrize("action", ["edit", "supersede", "confirm", "undo"])
async def test_a_change_by_somebody_faster_is_never_built_upon(
    me: Person, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    told = await me.remember("One.")
    await me.reflect(told.id, "edit", content="Two.")
    writer = me.services.store.writer
    slow_run = writer.run

    async def overtaken(job: Any) -> Any:
        monkeypatch.setattr(writer, "run", slow_run)
        await me.reflect(told.id, "edit", content="Faster.")
        return await slow_run(job)

    monkeypatch.setattr(writer, "run", overtaken)
    content = "Slower." if action in {"edit", "supersede"} else None
    with pytest.raises(RevisionMoved):
        await me.reflect(told.id, action, content=content, expected_revision=2)
    assert (await me.see(told.id)).content == "Faster."
    assert await me.count() == 1
