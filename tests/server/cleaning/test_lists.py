"""The six lists over a real store: what is offered, what is done, and what takes it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import repository, rows

from hitherto_server.core.errors import (
    AlreadyKnown,
    InvalidInput,
    NotFound,
    NothingToUndo,
    NotOffered,
    RevisionMoved,
    SupersedesItself,
    ToldByAPerson,
)
from hitherto_server.store.judged import list_settled

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Home

PORT = "The port is 8080."
PORT_TOO = "Port 8080 is what we serve on."


async def pair(home: Home, kind: Any, **values: Any) -> tuple[str, str]:
    """Store two memories, let a judgment relate them, and return the newer and the older one."""
    older = (await home.me.remember(PORT)).id
    newer = (await home.me.remember(PORT_TOO)).id
    await home.relate(kind, newer, older, **values)
    return newer, older


async def live(home: Home) -> list[str]:
    query = "SELECT id FROM memory WHERE trashed_at_ms IS NULL ORDER BY number"
    return await home.store.readers.run(lambda c: [row[0] for row in c.execute(query)])


async def test_a_duplicate_says_which_two_who_said_so_and_what_can_be_done(home: Home) -> None:
    newer, older = await pair(home, "duplicate_of")
    entry = await home.only("duplicates")
    assert [one.id for one in entry.members] == [newer, older]
    assert [one.text for one in entry.members] == [PORT_TOO, PORT]
    assert (entry.said_by, entry.probability, entry.reasons) == ("judge", 0.9, ("judged so",))
    assert entry.choices == ("trash-older", "trash-newer", "supersede")


@pytest.mark.parametrize(("choice", "stays"), [(None, 1), ("trash-older", 1), ("trash-newer", 0)])
async def test_one_of_two_duplicates_goes_into_the_trash_and_comes_back(
    home: Home, choice: Any, stays: int
) -> None:
    newer, older = await pair(home, "duplicate_of")
    done = await home.apply("duplicates", await home.only("duplicates"), choice=choice)
    assert await live(home) == [[older, newer][stays]]
    assert await home.listed("duplicates") == []
    gone = [older, newer][1 - stays]
    assert done.revisions == {gone: 2}
    assert [one.change for one in await home.me.history(gone)] == ["create", "forget"]
    undone = await home.undo(done)
    assert undone.revisions == {gone: 3}
    assert await live(home) == [older, newer]
    assert [one.change for one in await home.me.history(gone)] == ["create", "forget", "undo"]
    assert (await home.only("duplicates")).handle.endswith(("@1.3", "@3.1"))
    assert await home.me.found_by("8080") == [older, newer]


async def test_of_duplicates_what_a_person_told_is_kept_unless_another_is_chosen(
    home: Home,
) -> None:
    older = (await home.me.remember(PORT, source="user-told")).id
    newer = (await home.me.remember(PORT_TOO)).id
    await home.relate("duplicate_of", newer, older)
    await home.apply("duplicates", await home.only("duplicates"))
    assert await live(home) == [older]


async def test_the_newer_duplicate_replaces_the_older_which_stays_readable(home: Home) -> None:
    newer, older = await pair(home, "duplicate_of")
    done = await home.apply("duplicates", await home.only("duplicates"), choice="supersede")
    assert (await home.me.see(older)).superseded_by == newer
    assert await live(home) == [older, newer]
    assert await home.listed("duplicates") == []
    await home.undo(done)
    assert (await home.me.see(older)).superseded_by is None
    assert len(await home.listed("duplicates")) == 1


async def test_an_agent_replaces_nothing_that_a_person_told(home: Home) -> None:
    older = (await home.me.remember(PORT, source="user-told")).id
    newer = (await home.me.remember(PORT_TOO)).id
    await home.relate("duplicate_of", newer, older)
    entry = await home.only("duplicates")
    with pytest.raises(ToldByAPerson):
        await home.apply("duplicates", entry, choice="supersede", actor="agent")
    await home.apply("duplicates", entry, choice="supersede", actor="cli")
    assert (await home.me.see(older)).superseded_by == newer


async def test_a_supersession_that_would_run_in_a_circle_is_refused(home: Home) -> None:
    newer, older = await pair(home, "duplicate_of")
    entry = await home.only("duplicates")
    third = (await home.me.remember("Eighty eighty it is, said Ada.")).id
    await home.relate("supersedes", older, third, said_by="person")
    await home.relate("supersedes", third, newer, said_by="person")
    with pytest.raises(NotOffered):  # it is replaced already
        await home.apply("duplicates", entry, choice="supersede")
    assert SupersedesItself.code == "supersedes_itself"


@pytest.mark.parametrize("kind", ["duplicate_of", "possible_conflict"])
async def test_what_is_dismissed_is_said_again_by_no_rule_until_that_is_undone(
    home: Home, kind: Any
) -> None:
    which: Any = {"duplicate_of": "duplicates", "possible_conflict": "conflicts"}[kind]
    newer, older = await pair(home, kind)
    done = await home.dismiss(which, await home.only(which))
    assert await home.listed(which) == []
    assert not await home.propose(kind, newer, older)
    assert not await home.propose("similar", older, newer)
    assert await home.listed(which) == []
    await home.undo(done)
    assert [one.id for one in (await home.only(which)).members] == [newer, older]


async def settled(home: Home, newer: str, older: str) -> bool:
    """Tell whether what two memories are is no longer a judgment's to say."""
    first, second = await home.number(newer), await home.number(older)
    both = await home.store.readers.run(
        lambda c: (list_settled(c, first, [second]), list_settled(c, second, [first]))
    )
    assert bool(both[0]) == bool(both[1])
    return bool(both[0])


@pytest.mark.parametrize("which", ["duplicates", "conflicts", "replaced"])
async def test_what_is_dismissed_or_taken_back_is_judged_no_more(home: Home, which: Any) -> None:
    kind = {"duplicates": "duplicate_of", "conflicts": "possible_conflict"}.get(which, "supersedes")
    newer, older = await pair(home, kind)
    entry = await home.only(which)
    if which == "replaced":
        await home.apply(which, entry)
    else:
        assert not await settled(home, newer, older)
        await home.dismiss(which, entry)
    assert await settled(home, newer, older)
    await home.me.reflect(newer, "edit", content="Port 8080 it is that we serve on.")
    assert await settled(home, newer, older), "an edit does not undo what a person said"


async def test_who_acts_under_a_machines_name_is_none_the_less_heard(home: Home) -> None:
    newer, older = await pair(home, "duplicate_of")
    entry = await home.only("duplicates")
    await home.cleaner.act("duplicates", "dismiss", [entry.handle], actor="rule")
    assert not await home.propose("duplicate_of", newer, older)
    assert await settled(home, newer, older)


async def test_a_dismissal_is_undone_after_an_edit_without_saying_what_no_longer_is_so(
    home: Home,
) -> None:
    newer, older = await pair(home, "duplicate_of")
    done = await home.dismiss("duplicates", await home.only("duplicates"))
    await home.me.reflect(newer, "edit", content="Tabs are four columns wide.")
    await home.undo(done)
    assert await home.listed("duplicates") == []
    await home.me.reflect(newer, "edit", content=PORT_TOO)
    assert await home.propose("duplicate_of", newer, older), "rules may speak again"


async def test_a_copy_of_what_holds_everywhere_is_a_duplicate(home: Home) -> None:
    wide = (await home.me.remember(PORT, scope="user")).id
    copy = (await home.me.remember(PORT)).id
    entry = await home.only("duplicates")
    assert [one.id for one in entry.members] == [copy, wide]
    assert (entry.said_by, entry.choices) == ("rule", ("trash",))
    done = await home.apply("duplicates", entry)
    assert await live(home) == [wide]
    await home.undo(done)
    assert await live(home) == [wide, copy]


async def test_a_copy_that_is_dismissed_stays_so_until_that_is_undone(home: Home) -> None:
    await home.me.remember(PORT, scope="user")
    await home.me.remember(PORT)
    done = await home.dismiss("duplicates", await home.only("duplicates"))
    assert await home.listed("duplicates") == []
    assert await home.listed("expendable") == []
    await home.undo(done)
    assert len(await home.listed("duplicates")) == 1
    again = await home.dismiss("duplicates", await home.only("duplicates"))
    assert await home.listed("duplicates") == []
    await home.undo(again)
    assert len(await home.listed("duplicates")) == 1


async def test_copies_in_two_projects_are_no_duplicates(home: Home, tmp_path: Path) -> None:
    elsewhere = repository(tmp_path / "other", "git@example.com:owner/other.git")
    await home.me.remember(PORT)
    await home.me.remember(PORT, project_dir=str(elsewhere))
    assert await home.listed("duplicates") == []


async def test_a_copy_whose_original_is_gone_is_not_trashed(home: Home) -> None:
    wide = (await home.me.remember(PORT, scope="user")).id
    copy = (await home.me.remember(PORT)).id
    entry = await home.only("duplicates")
    await home.me.forget(wide)
    with pytest.raises(NotOffered):
        await home.apply("duplicates", entry)
    assert await live(home) == [copy]


@pytest.mark.parametrize("choice", ["newer", "older"])
async def test_a_conflict_is_settled_by_one_that_holds_and_opened_again(
    home: Home, choice: Any
) -> None:
    newer, older = await pair(home, "possible_conflict")
    entry = await home.only("conflicts")
    assert entry.choices == ("newer", "older")
    done = await home.apply("conflicts", entry, choice=choice)
    assert await home.listed("conflicts") == []
    if choice == "newer":
        assert (await home.me.see(older)).superseded_by == newer
    else:
        assert await live(home) == [older]
    await home.undo(done)
    assert (await home.me.see(older)).superseded_by is None
    assert await live(home) == [older, newer]
    assert len(await home.listed("conflicts")) == 1


async def test_a_conflict_whose_both_sides_were_confirmed_is_none(home: Home) -> None:
    older = (await home.me.remember("Timeout is 30 s")).id
    newer = (await home.me.remember("Timeout is 90 s")).id
    assert len(await home.listed("conflicts")) == 1
    await home.me.reflect(older, "confirm")
    assert len(await home.listed("conflicts")) == 1
    await home.me.reflect(newer, "confirm")
    assert await home.listed("conflicts") == []


async def test_what_a_judgment_replaced_is_taken_back_or_kept(home: Home) -> None:
    newer, older = await pair(home, "supersedes")
    entry = await home.only("replaced")
    assert (entry.choices, [one.id for one in entry.members]) == (("take-back",), [newer, older])
    done = await home.apply("replaced", entry)
    assert (await home.me.see(older)).superseded_by is None
    assert await home.listed("replaced") == []
    await home.undo(done)
    assert (await home.me.see(older)).superseded_by == newer
    kept = await home.dismiss("replaced", await home.only("replaced"))
    assert await home.listed("replaced") == []
    assert (await home.me.see(older)).superseded_by == newer
    await home.undo(kept)
    assert len(await home.listed("replaced")) == 1


async def test_two_current_memories_of_a_state_key_are_in_conflict(home: Home) -> None:
    older = (await home.me.remember("Port 1.", state_key="port")).id
    newer = (await home.me.remember("Port 2.", state_key="port")).id
    done = await home.apply("replaced", await home.only("replaced"))
    conflict = await home.only("conflicts")
    assert [one.id for one in conflict.members] == [newer, older]
    await home.undo(done)
    assert await home.listed("conflicts") == []
    assert (await home.me.see(older)).superseded_by == newer


async def test_what_people_and_agents_replaced_is_not_asked_about(home: Home) -> None:
    older = (await home.me.remember(PORT)).id
    await home.me.remember(PORT_TOO, supersedes=[older])
    assert await home.listed("replaced") == []


async def test_a_memory_that_moved_on_is_acted_upon_by_nothing_that_was_seen_before(
    home: Home,
) -> None:
    newer, older = await pair(home, "possible_conflict")
    seen = await home.only("conflicts")
    await home.me.reflect(older, "edit", importance=9)
    choices: list[Any] = ["newer", "older"]
    for choice in choices:
        with pytest.raises(RevisionMoved, match=f"{older} is at revision 2, not 1"):
            await home.apply("conflicts", seen, choice=choice)
    with pytest.raises(RevisionMoved):
        await home.dismiss("conflicts", seen)
    assert await live(home) == [older, newer]
    assert rows(home.me.services.home.database, "SELECT count(*) FROM cleaning_action") == [(0,)]


async def test_a_request_is_done_as_a_whole_or_not_at_all(home: Home) -> None:
    wides = []
    for number in range(3):
        wides.append((await home.me.remember(f"Rule {number} of many.", scope="user")).id)
        await home.me.remember(f"Rule {number} of many.")
    entries = await home.listed("duplicates")
    assert len(entries) == 3
    await home.me.reflect(entries[1].members[0].id, "edit", importance=9)
    with pytest.raises(RevisionMoved):
        await home.apply("duplicates", *entries)
    assert len(await live(home)) == 6
    done = await home.apply("duplicates", *await home.listed("duplicates"))
    assert await live(home) == wides
    await home.undo(done)
    assert len(await live(home)) == 6


async def test_what_came_later_is_not_run_over_by_an_undo(home: Home) -> None:
    _, older = await pair(home, "duplicate_of")
    done = await home.apply("duplicates", await home.only("duplicates"))
    await home.me.restore(older)
    with pytest.raises(RevisionMoved, match=f"{older} is at revision 3, not 2"):
        await home.undo(done)
    assert older in await live(home)


async def test_what_was_said_anew_is_not_doubled_by_an_undo(home: Home) -> None:
    await pair(home, "duplicate_of")
    done = await home.apply("duplicates", await home.only("duplicates"))
    await home.me.remember(PORT)
    with pytest.raises(AlreadyKnown):
        await home.undo(done)


async def test_an_undo_is_made_once_and_of_what_was_done(home: Home) -> None:
    await pair(home, "duplicate_of")
    done = await home.apply("duplicates", await home.only("duplicates"))
    await home.undo(done)
    with pytest.raises(NothingToUndo):
        await home.undo(done)
    with pytest.raises(NotFound):
        await home.cleaner.undo(done.action + 7, actor="cli")


@pytest.mark.parametrize("handle", ["", "r1", "r1@1", "x@1", "r1@a.b", "r1@1.1 OR 1"])
async def test_a_handle_without_what_was_seen_is_none(home: Home, handle: str) -> None:
    with pytest.raises(InvalidInput):
        await home.cleaner.act("duplicates", "dismiss", [handle], actor="cli")


async def test_an_entry_is_not_done_as_what_it_does_not_offer(home: Home) -> None:
    await pair(home, "duplicate_of")
    entry = await home.only("duplicates")
    with pytest.raises(InvalidInput, match="trash-older, trash-newer, supersede"):
        await home.apply("duplicates", entry, choice="move")
    with pytest.raises(NotOffered):
        await home.apply("conflicts", entry)


async def test_pages_follow_one_another_until_all_is_shown(home: Home) -> None:
    for number in range(7):
        await home.me.remember(f"Rule {number} holds.", scope="user")
        await home.me.remember(f"Rule {number} holds.")
    for number in range(5):
        older = (await home.me.remember(f"Alpha {number} is the first.")).id
        newer = (await home.me.remember(f"First of all is number {number} of beta.")).id
        await home.relate("duplicate_of", newer, older)
    whole = [one.handle for one in await home.listed("duplicates")]
    assert len(whole) == 12
    for limit in (1, 3, 7, 12):
        assert await paged(home, "duplicates", limit) == whole


async def paged(home: Home, which: Any, limit: int) -> list[str]:
    """Read a list page by page."""
    from hitherto_server.cleaning.cleaner import EVERYWHERE

    found: list[str] = []
    cursor = None
    while True:
        page = await home.cleaner.page(which, EVERYWHERE, limit=limit, cursor=cursor)
        assert len(page.entries) <= limit
        found += [one.handle for one in page.entries]
        cursor = page.cursor
        if cursor is None:
            return found


async def test_an_erased_memory_takes_its_part_of_an_action_along(home: Home) -> None:
    from hitherto_server.store.erase import delete_memory

    _, older = await pair(home, "duplicate_of")
    done = await home.apply("duplicates", await home.only("duplicates"))
    number = await home.number(older)
    await home.store.writer.run(lambda c: delete_memory(c, number))
    assert (await home.undo(done)).revisions == {}
