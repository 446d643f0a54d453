"""A person's tree of categories: leaves hold memories, and nothing of it is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hitherto_contract import CategoriesRequest
from hitherto_server.core.errors import AlreadyKnown, InvalidInput, NotFound
from hitherto_server.gates.categories import manage

if TYPE_CHECKING:
    from pathlib import Path

    from tests.person import Person

    from hitherto_contract import CategoryView

SEEDS = ["architecture", "conventions", "operations", "pitfalls"]


async def change(me: Person, action: Any = "list", **values: Any) -> dict[str, CategoryView]:
    """Do something with the categories and return all by their paths."""
    request = CategoriesRequest(action=action, project_dir=str(me.folder), **values)
    reply = await manage(me.services.writes, request)
    return {one.name: one for one in reply.categories}


async def test_a_project_begins_with_a_few_and_says_what_each_holds(me: Person) -> None:
    await me.remember("Deploys run at night.", category="operations")
    known = await change(me)
    assert list(known) == SEEDS
    assert {name: one.memories for name, one in known.items() if one.memories} == {"operations": 1}


async def test_looking_at_an_unknown_folder_makes_no_project(me: Person, tmp_path: Path) -> None:
    request = CategoriesRequest(project_dir=str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    assert (await manage(me.services.writes, request)).categories == []
    assert await me.services.projects.find(str(tmp_path / "elsewhere")) is None


async def test_a_memory_is_filed_in_a_leaf_by_its_path_or_by_its_name_alone(me: Person) -> None:
    await change(me, "add", name="team")
    await change(me, "add", name="team/habits")
    one = await me.remember("We pair on Mondays.", category="team/habits")
    two = await me.remember("We write changelog lines.", category="habits")
    assert [(await me.see(memory.id)).category for memory in (one, two)] == ["habits", "habits"]
    with pytest.raises(InvalidInput, match="there is no category 'team'"):
        await me.remember("A container holds none.", category="team")


async def test_a_name_that_two_have_asks_for_the_path(me: Person) -> None:
    for name in ("app", "app/rules", "web", "web/rules"):
        await change(me, "add", name=name)
    with pytest.raises(InvalidInput, match="app/rules, web/rules"):
        await me.remember("Buttons are blue.", category="rules")
    kept = await me.remember("Buttons are blue.", category="web/rules")
    newer = await me.reflect(kept.id, "supersede", content="Buttons are green.")
    assert (await change(me))["web/rules"].memories == 2, "the newer one is filed where the old is"
    assert newer.outcome == "stored"


async def test_a_memory_moves_by_an_edit_and_back_by_its_undo(me: Person) -> None:
    kept = await me.remember("Deploys run at night.", category="pitfalls")
    moved = await me.reflect(kept.id, "edit", category="operations")
    assert (await me.see(kept.id)).category == "operations"
    await me.reflect(kept.id, "undo", expected_revision=moved.revision)
    assert (await me.see(kept.id)).category == "pitfalls"


async def test_what_holds_memories_becomes_no_container(me: Person) -> None:
    await me.remember("Deploys run at night.", category="operations")
    with pytest.raises(InvalidInput, match="holds memories"):
        await change(me, "add", name="operations/deploys")
    assert "operations/deploys" not in await change(me)


async def test_a_renamed_category_is_what_its_memories_are_found_by(me: Person) -> None:
    kept = await me.remember("Restarts need the pager.", category="operations")
    known = await change(me, "rename", name="operations", new_name="nightshift")
    assert "operations" not in known
    assert (await me.see(kept.id)).category == "nightshift"
    assert await me.found_by("nightshift") == [kept.id]
    assert await me.found_by("operations") == []


async def test_a_trashed_category_keeps_its_memories_takes_no_more_and_comes_back(
    me: Person,
) -> None:
    kept = await me.remember("Restarts need the pager.", category="operations")
    gone = (await change(me, "trash", name="operations"))["operations"]
    assert gone.trashed_at_ms is not None
    assert (await me.see(kept.id)).category == "operations"
    with pytest.raises(InvalidInput, match="no category 'operations'"):
        await me.remember("Deploys run at night.", category="operations")
    newer = await me.reflect(kept.id, "supersede", content="Restarts need the pager twice.")
    assert (await me.see(newer.id)).category is None
    back = (await change(me, "restore", name="operations"))["operations"]
    assert (back.trashed_at_ms, back.memories) == (None, 1)


async def test_adding_what_is_in_the_trash_takes_it_out(me: Person) -> None:
    before = await change(me, "trash", name="pitfalls")
    after = await change(me, "add", name="pitfalls")
    assert len(after) == len(before)
    assert after["pitfalls"].trashed_at_ms is None


async def test_a_container_goes_into_the_trash_after_what_it_holds(me: Person) -> None:
    await change(me, "add", name="team")
    await change(me, "add", name="team/habits")
    with pytest.raises(InvalidInput, match="holds other categories"):
        await change(me, "trash", name="team")
    await change(me, "trash", name="team/habits")
    assert (await change(me, "trash", name="team"))["team"].trashed_at_ms is not None
    with pytest.raises(InvalidInput, match="in the trash"):
        await change(me, "restore", name="team/habits")


@pytest.mark.parametrize(
    ("action", "values", "error"),
    [
        ("add", {"name": "pitfalls"}, AlreadyKnown),
        ("add", {"name": "nowhere/else"}, NotFound),
        ("add", {"name": "a/ /b"}, InvalidInput),
        ("add", {"name": "/"}, InvalidInput),
        ("rename", {"name": "pitfalls", "new_name": "operations"}, AlreadyKnown),
        ("rename", {"name": "pitfalls", "new_name": "a/b"}, InvalidInput),
        ("rename", {"name": "nothing", "new_name": "more"}, NotFound),
        ("trash", {"name": "nothing"}, NotFound),
    ],
)
async def test_a_change_that_makes_no_sense_changes_nothing(
    me: Person, action: Any, values: dict[str, str], error: type[Exception]
) -> None:
    await me.remember("A project is there.")
    with pytest.raises(error):
        await change(me, action, **values)
    assert list(await change(me)) == SEEDS


async def test_what_holds_everywhere_has_categories_of_its_own(me: Person) -> None:
    await change(me, "add", name="habits", scope="user")
    await me.remember("I read tests first.", scope="user", category="habits")
    with pytest.raises(InvalidInput, match="habits"):
        await me.remember("The project has none.", category="habits")


async def test_no_secret_is_kept_as_a_name(me: Person) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3fG5"
    known = await change(me, "add", name=f"about {token}")
    assert not [name for name in known if token in name]
