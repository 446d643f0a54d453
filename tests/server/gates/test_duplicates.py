"""What is near is named, never refused and never lost; what was taken back is not said again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from hitherto_contract import EraseRequest
from hitherto_server.gates.duplicates import judge
from hitherto_server.gates.statements.reading import MOST_CHARS
from hitherto_server.maintenance.erase import Eraser
from hitherto_server.recall.admission import Occasion
from hitherto_server.recall.hits import Question
from hitherto_server.store.recall import list_conflicts
from hitherto_server.store.relations import list_repeats

if TYPE_CHECKING:
    from tests.person import Person

    from hitherto_server.store.driver import Connection


async def reasons(me: Person) -> list[tuple[Any, ...]]:
    """Kind, slot and reason of every live relation, the oldest first."""

    def job(connection: Connection) -> list[tuple[Any, ...]]:
        found = connection.execute(
            "SELECT kind, slot, reason FROM relation WHERE undone_at_ms IS NULL ORDER BY id"
        )
        return [tuple(row) for row in found]

    return await me.services.store.readers.run(job)


async def conflicts(me: Person) -> dict[int, list[str]]:
    return await me.services.store.readers.run(lambda c: list_conflicts(c, [1, 2, 3]))


async def test_another_value_is_an_update_that_is_said_and_stored(me: Person) -> None:
    old = await me.remember("Timeout is 30 s")
    new = await me.remember("Timeout is 90 s")
    assert (new.outcome, new.superseded) == ("stored", [])
    assert await reasons(me) == [("possible_conflict", "value", "value changed 30 s -> 90 s")]
    [note] = new.notes
    assert old.id in note
    assert "value changed 30 s -> 90 s" in note
    assert "reflect" in note
    assert await me.count() == 2


async def test_following_the_note_of_an_update_settles_it(me: Person) -> None:
    old = await me.remember("Timeout is 30 s")
    new = await me.remember("Timeout is 90 s")
    done = await me.reflect(old.id, "supersede", content="Timeout is 90 s")
    assert (done.id, done.superseded) == (new.id, [old.id])
    assert 2 not in await conflicts(me)


async def test_the_opposite_is_a_conflict(me: Person) -> None:
    await me.remember("Use the shared cache for previews.")
    new = await me.remember("Do not use the shared cache for previews.")
    assert new.outcome == "stored"
    assert [row[:2] for row in await reasons(me)] == [("possible_conflict", "polarity")]
    assert "may contradict" in new.notes[0]


async def test_a_paraphrase_is_a_duplicate_candidate_and_no_conflict(me: Person) -> None:
    old = await me.remember("Run the smoke tests before each release.")
    new = await me.remember("Before each release, run the smoke tests.")
    assert new.outcome == "stored"
    assert [row[:2] for row in await reasons(me)] == [("duplicate_of", None)]
    assert old.id in new.notes[0]
    assert await conflicts(me) == {}


@pytest.mark.parametrize(
    "other",
    [
        "The export worker retries 5 times.",
        "The upload worker logs its retries as warnings.",
        "The door of the office is green.",
    ],
)
async def test_of_what_is_merely_related_nothing_is_said(me: Person, other: str) -> None:
    await me.remember("The upload worker retries 3 times.")
    new = await me.remember(other)
    assert (new.notes, await me.relations()) == ([], [])


async def test_another_scope_is_not_compared(me: Person) -> None:
    await me.remember("Indent with tabs.", scope="user")
    new = await me.remember("Indent with spaces.")
    assert (new.notes, await me.relations()) == ([], [])


async def test_what_was_replaced_or_thrown_away_contradicts_nothing(me: Person) -> None:
    one = await me.remember("Timeout is 30 s")
    two = await me.remember("Timeout is 60 s", supersedes=[one.id])
    await me.forget(two.id)
    new = await me.remember("Timeout is 90 s", supersedes=[one.id])
    assert new.notes == []
    assert [kind for kind, *_ in await me.relations()] == ["supersedes", "supersedes"]


async def test_a_state_key_settles_it_without_a_conflict(me: Person) -> None:
    old = await me.remember("The port is 8080.", state_key="port")
    new = await me.remember("The port is 9090.", state_key="port")
    assert (new.superseded, new.notes) == ([old.id], [])
    assert [row[0] for row in await me.relations()] == ["supersedes"]


async def test_an_edit_is_compared_anew(me: Person) -> None:
    old = await me.remember("The limit is 5.")
    new = await me.remember("The limit is 7.")
    assert len(await reasons(me)) == 1
    done = await me.reflect(new.id, "edit", content="The door is green.")
    assert (done.notes, await reasons(me)) == ([], [])
    back = await me.reflect(new.id, "undo", expected_revision=2)
    assert old.id in back.notes[0]
    assert [row[2] for row in await reasons(me)] == ["value changed 5 -> 7"]


async def test_an_edit_leaves_a_conflict_that_the_writer_spoke_of(me: Person) -> None:
    told = await me.remember("Ship on Mondays.", source="user-told")
    new = await me.remember("The bot picks the day.", supersedes=[told.id])
    [said] = await reasons(me)
    await me.reflect(new.id, "edit", content="The bot picks the day of a release.")
    assert await reasons(me) == [said]


async def test_an_edited_memory_is_the_newer_one(me: Person) -> None:
    first = await me.remember("The limit is 5.")
    second = await me.remember("The limit is 7.")
    await me.reflect(first.id, "edit", content="The limit is 9.")
    live = [row[:3] for row in await me.relations() if not row[4]]
    assert live == [("possible_conflict", first.id, second.id)]


async def test_what_a_person_took_back_is_not_said_again(me: Person) -> None:
    await me.remember("The limit is 5.")
    new = await me.remember("The limit is 7.")
    await me.services.store.writer.run(
        lambda c: c.execute("UPDATE relation SET undone_at_ms = 1, undone_by = 'person'")
    )
    for content in ("The limit is 8.", "The limit is 7."):
        done = await me.reflect(new.id, "edit", content=content)
        assert done.notes == []
    assert await reasons(me) == []


async def test_who_confirms_a_memory_settles_its_side_of_a_conflict(me: Person) -> None:
    old = await me.remember("The limit is 5.")
    new = await me.remember("The limit is 7.")
    assert sorted(await conflicts(me)) == [1, 2]
    await me.reflect(new.id, "confirm")
    assert list(await conflicts(me)) == [1]
    await me.reflect(old.id, "confirm")
    assert await conflicts(me) == {}


async def test_a_repeat_yields_its_place_unless_a_person_told_it(me: Person) -> None:
    await me.remember("The limit is 5.", source="user-told")
    await me.remember("The limit is 7.")
    await me.remember("The limit is 9.")
    repeats = await me.services.store.readers.run(lambda c: list_repeats(c, [1, 2, 3]))
    assert repeats == {2: frozenset({3})}


async def test_two_near_texts_written_at_once_are_compared_all_the_same(me: Person) -> None:
    await asyncio.gather(me.remember("Timeout is 30 s"), me.remember("Timeout is 90 s"))
    assert [row[0] for row in await me.relations()] == ["possible_conflict"]


async def test_a_text_that_trips_a_rule_is_stored_all_the_same(
    me: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trip(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr("hitherto_server.gates.duplicates.judge", trip)
    await me.remember("Timeout is 30 s")
    assert (await me.remember("Timeout is 90 s")).outcome == "stored"
    assert await reasons(me) == []


def test_a_cosine_alone_makes_no_duplicate() -> None:
    finding = judge("The upload worker retries jobs.", "The upload worker logs jobs.", 0.99)
    assert finding.kinship == "similar"
    assert judge("Timeout is 30 s", "Timeout is 90 s", 0.99).kinship == "update"


def test_shared_words_without_nearness_make_no_change() -> None:
    assert judge("Timeout is 30 s", "Timeout is 90 s", 0.1).relation is None


LONG = " ".join(f"Service number {n} writes to the table of the month before." for n in range(60))


@pytest.mark.parametrize(
    ("more", "other", "kinship"),
    [
        ("Run the tests before a release.", "Before a release, run the tests.", "duplicate"),
        ("Timeout is 30 s.", "Timeout is 90 s.", "update"),
        ("Use the cache for the index.", "Do not use the cache for the index.", "conflict"),
        ("", "Timeout is 90 s.", "similar"),
        ("The tests need a display.", "Backups are made at night.", "similar"),
    ],
)
def test_of_two_long_texts_what_differs_decides_wherever_it_stands(
    more: str, other: str, kinship: str
) -> None:
    assert len(LONG) > MOST_CHARS
    assert judge(f"{LONG} {more}", f"{LONG} {other}", 0.95).kinship == kinship
    assert judge(f"{more} {LONG}", f"{LONG} {other}", 0.95).kinship == kinship


def test_long_texts_that_only_begin_alike_are_no_duplicates() -> None:
    others = LONG.replace("writes to", "reads the rows of").replace("month", "year")
    assert judge(LONG + LONG, LONG + others, 0.95).kinship != "duplicate"
    assert judge(f"{LONG} A{LONG}", f"{LONG} B{others}", 0.95).kinship != "duplicate"


async def test_a_long_text_that_is_moved_about_is_said_to_be_a_known_one(me: Person) -> None:
    sentences = LONG.split(". ")
    old = await me.remember(LONG)
    new = await me.remember(". ".join([*sentences[30:], *sentences[:30]]))
    assert (new.outcome, len(new.notes)) == ("stored", 1)
    assert f"much the same as {old.id}" in new.notes[0]


def test_a_sentence_of_a_longer_note_may_contradict_one_of_another() -> None:
    older = "Deploys need an approval. Ask the release manager in the channel before you start."
    newer = "Deploys don't need an approval any more. Start whenever the build is green."
    assert judge(older, newer, 0.7).kinship == "conflict"


async def test_what_is_erased_stays_in_no_reason(me: Person) -> None:
    await me.remember("The door is green. The word of the day is walrus.")
    await me.remember("The door is green. The word of the day is heron.")
    assert "heron" in (await reasons(me))[0][2]
    writes, services = me.services.writes, me.services
    eraser = Eraser(
        services.home, services.store, writes.splitter, writes.on_written, services.backups
    )
    await eraser.erase(EraseRequest(text="The word of the day is heron.", confirmed=True))
    assert [row[2] for row in await reasons(me)] == [None]


async def given_at_start(me: Person, memories: int = 5) -> dict[str, str]:
    """What the session's start is given of each memory, by its text."""
    project = await me.services.projects.find(str(me.folder))
    assert project is not None
    occasion = Occasion("s", "start", "a", me.clock(), memories=memories, tokens=1200)
    question = Question("", project.number, project.root)
    admission = await me.services.recaller.brief(question, occasion)
    return {one.found.content: one.reason for one in admission.decisions}


async def test_of_duplicates_a_session_is_given_the_newest(me: Person) -> None:
    await me.remember("Run the smoke tests before each release.", kind="decision")
    await me.remember("Before each release, run the smoke tests.", kind="decision")
    await me.remember("Releases are signed by the bot.", kind="decision")
    assert await given_at_start(me) == {
        "Run the smoke tests before each release.": "a newer one says it",
        "Before each release, run the smoke tests.": "recent in this project",
        "Releases are signed by the bot.": "recent in this project",
    }


async def test_the_newest_takes_the_place_of_what_it_repeats(me: Person) -> None:
    await me.remember("Run the smoke tests before each release.", kind="decision", importance=9)
    await me.remember("Releases are signed by the bot.", kind="decision", importance=7)
    await me.remember("Before each release, run the smoke tests.", kind="decision", importance=2)
    assert await given_at_start(me, memories=1) == {
        "Before each release, run the smoke tests.": "recent in this project",
        "Run the smoke tests before each release.": "a newer one says it",
        "Releases are signed by the bot.": "over the limit",
    }


async def test_of_two_opposites_a_session_is_given_both(me: Person) -> None:
    await me.remember("Use the shared cache for previews.", kind="decision")
    await me.remember("Do not use the shared cache for previews.", kind="decision")
    assert set((await given_at_start(me)).values()) == {"recent in this project"}


async def test_what_a_person_told_keeps_its_place_beside_another_value(me: Person) -> None:
    await me.remember("The limit is 5.", kind="decision", source="user-told")
    await me.remember("The limit is 7.", kind="decision")
    assert set((await given_at_start(me)).values()) == {"recent in this project"}
