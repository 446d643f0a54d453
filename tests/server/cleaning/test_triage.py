"""The triage against a server that speaks the real wire: what is asked, kept, and asked again."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import wait_until
from tests.system_one_stub import BROKEN, BUSY, GARBAGE, HANGING, Fault
from tests.wiring import rows

from hitherto_server.cleaning.cleaner import EVERYWHERE
from hitherto_server.cleaning.expendable import KEPT_MS, OLD_MS
from hitherto_server.core.errors import NotOffered, TriageBusy
from hitherto_server.sessions.control.quiet import Target

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system_one_stub import SystemOneStub

    from hitherto_server.cleaning.triage import Snapshot

    from .conftest import Home

LEVELS = 5


async def notes(home: Home, count: int, **values: Any) -> list[str]:
    """Store unimportant notes and let them grow old."""
    ids = [await home.old_note(f"Leftover {n} of a finished task.", **values) for n in range(count)]
    home.clock.pass_ms(OLD_MS + 1)
    return ids


def by_number(state: Any, key: str, question: Any) -> list[float]:
    """Score a leftover by the number in its text: even ones are expendable."""
    del question
    number = int(state["candidates"][key]["content"].split()[1])
    certain = [0.0] * LEVELS
    certain[4 if number % 2 == 0 else 1] = 1.0
    return certain


def scores(snapshot: Snapshot) -> dict[str, float | None]:
    return {
        one.entry.members[0].text: one.entry.score.score if one.entry.score else None
        for one in snapshot.found
    }


def texts(snapshot: Snapshot) -> list[str]:
    return [one.entry.members[0].text for one in snapshot.found]


async def test_nothing_of_a_folder_that_is_ignored_is_sent(
    home: Home, stub: SystemOneStub, project: Path
) -> None:
    await home.judged_by(stub)
    await notes(home, 3)
    await home.me.services.quiet.begin("ignore", Target(path=str(project)))
    last = (await home.triage())[-1]
    assert last.done
    assert list(scores(last).values()) == [None] * 3
    assert stub.requests == []


async def test_only_what_something_speaks_against_is_considered(home: Home) -> None:
    [old] = await notes(home, 1)
    await home.me.remember("Important and old.", importance=8)
    home.clock.pass_ms(OLD_MS + 1)
    await home.old_note("Unimportant and new.")
    entry = await home.only("expendable")
    assert entry.members[0].id == old
    assert entry.reasons[:2] == ("importance 2", "never recalled")
    assert entry.reasons[2].startswith("untouched since ")
    assert (entry.said_by, entry.score) == ("rule", None)


async def test_what_was_recalled_is_not_unused(home: Home) -> None:
    from hitherto_contract import RecallRequest
    from hitherto_server.api.operations import perform

    await notes(home, 1)
    asked = RecallRequest(query="leftover of a finished task", project_dir=str(home.me.folder))
    assert (await perform(home.me.services, asked)).hits  # type: ignore[attr-defined]
    await home.me.services.recall_counts.close()
    assert await home.listed("expendable") == []


async def test_without_a_judge_rules_rank_and_nothing_is_asked(
    home: Home, stub: SystemOneStub
) -> None:
    least = await home.old_note("Least important.", importance=1)
    second = await home.old_note("The older one.")
    third = await home.old_note("The newer one.")
    wide = (await home.me.remember("Said everywhere.", scope="user")).id
    home.clock.pass_ms(OLD_MS + 1)
    copy = await home.old_note("Said everywhere.")
    home.clock.pass_ms(OLD_MS + 1)
    first, *_, last = await home.triage()
    ids = [one.entry.members[0].id for one in last.found]
    assert ids == [copy, least, second, third]
    assert wide not in ids
    assert (first.done, last.done, last.waiting) == (False, True, 4)
    assert last.failed == {"no_backend": 4}
    assert stub.asked == []


async def test_a_run_asks_ten_a_request_and_ranks_by_the_score(
    home: Home, stub: SystemOneStub
) -> None:
    await notes(home, 25)
    stub.answers = by_number
    await home.judged_by(stub)
    *before, last = await home.triage()
    assert sorted(len(request.questions) for request in stub.asked) == [5, 10, 10]
    assert (last.judged, last.reused, last.waiting, last.done) == (25, 0, 0, True)
    assert not any(one.done for one in before)
    numbers = [int(text.split()[1]) for text in texts(last)]
    assert numbers == [*range(0, 25, 2), *range(1, 25, 2)]
    best = last.found[0].entry
    assert best.score is not None
    assert (best.said_by, best.score.score, best.score.model) == ("judge", 4.0, stub.model)
    # what a page shows afterwards is the same ranking, without asking
    asked = len(stub.asked)
    assert [one.members[0].text for one in await home.listed("expendable")] == texts(last)
    assert len(stub.asked) == asked


async def test_the_judge_sees_texts_as_data_and_questions_in_our_words(
    home: Home, stub: SystemOneStub
) -> None:
    await notes(home, 1)
    await home.judged_by(stub)
    await home.triage()
    [request] = stub.asked
    shown = request.state["candidates"]["m1"]
    assert shown["content"] == "Leftover 0 of a finished task."
    assert (shown["importance"], shown["times_recalled"]) == (2, 0)
    assert shown["duplicate_of_another"] is False
    assert "Leftover" not in json.dumps(request.questions)


async def test_waves_are_told_one_by_one(home: Home, stub: SystemOneStub) -> None:
    await notes(home, 70)
    await home.judged_by(stub)
    told = [(one.judged, one.done) for one in await home.triage()]
    assert told == [(0, False), (60, False), (70, False), (70, True)]


@pytest.mark.parametrize("fault", [BROKEN, GARBAGE, Fault(413, b"{}")], ids=["500", "text", "413"])
async def test_a_failed_request_leaves_only_its_own_candidates_unscored(
    home: Home, stub: SystemOneStub, fault: Fault
) -> None:
    await notes(home, 30)
    stub.answers = by_number
    await home.judged_by(stub)
    stub.next_faults.append(fault)
    *_, last = await home.triage()
    assert (last.judged, last.waiting) == (20, 10)
    assert sum((last.failed or {}).values()) == 10
    judged = [one.entry.score is not None for one in last.found]
    assert judged == [True] * 20 + [False] * 10
    # the next run asks for those alone
    before = len(stub.asked)
    *_, again = await home.triage()
    assert (again.judged, again.reused, again.waiting) == (10, 20, 0)
    assert [len(one.questions) for one in stub.asked[before:]] == [10]


async def test_an_answer_that_cannot_be_used_costs_its_candidate_alone(
    home: Home, stub: SystemOneStub
) -> None:
    await notes(home, 10)

    def wrong_for_three(state: Any, key: str, question: Any) -> list[float]:
        number = int(state["candidates"][key]["content"].split()[1])
        return [0.9] * LEVELS if number == 3 else by_number(state, key, question)

    stub.answers = wrong_for_three
    await home.judged_by(stub)
    *_, last = await home.triage()
    assert (last.judged, last.failed) == (9, {"invalid": 1})
    assert texts(last)[-1] == "Leftover 3 of a finished task."


async def test_no_request_is_sent_while_the_backend_asks_for_patience(
    home: Home, stub: SystemOneStub
) -> None:
    await notes(home, 130)
    stub.answers = by_number
    await home.judged_by(stub)
    stub.next_faults.append(BUSY)
    *_, last = await home.triage()
    asked = len(stub.asked)
    assert asked <= 6, "the second wave is not sent"
    judged = 10 * (asked - 1)  # on a slow day some of the first are not sent either
    assert (last.judged, last.waiting) == (judged, 130 - judged)
    assert last.failed == {"not_before": 130 - judged}
    *_, again = await home.triage()
    assert len(stub.asked) == asked, "nor is that of the next run"
    assert (again.judged, again.reused) == (0, judged)


async def test_a_hanging_backend_costs_one_wave(home: Home, stub: SystemOneStub) -> None:
    await notes(home, 130)
    stub.fault = HANGING
    await home.judged_by(stub, timeout_s=0.5)
    *_, last = await home.triage()
    assert len(stub.asked) <= 6
    assert (last.judged, last.waiting) == (0, 130)
    assert sum((last.failed or {}).values()) == 130


async def test_a_score_is_kept_for_a_week(home: Home, stub: SystemOneStub) -> None:
    await notes(home, 3)
    await home.judged_by(stub)
    *_, first = await home.triage()
    home.clock.pass_ms(KEPT_MS - 60_000)
    *_, again = await home.triage()
    assert (again.judged, again.reused, len(stub.asked)) == (0, 3, 1)
    assert scores(again) == scores(first)
    home.clock.pass_ms(120_000)
    *_, later = await home.triage()
    assert (later.judged, later.reused) == (3, 0)


async def test_scores_survive_a_restart(home: Home, stub: SystemOneStub) -> None:
    from hitherto_server.api.cleaning import make_cleaner

    await notes(home, 3)
    await home.judged_by(stub)
    *_, first = await home.triage()
    home.cleaner = make_cleaner(home.me.services)
    *_, again = await home.triage()
    assert (again.judged, scores(again)) == (0, scores(first))


async def test_another_model_or_backend_asks_again(home: Home, stub: SystemOneStub) -> None:
    await notes(home, 3)
    await home.judged_by(stub)
    await home.triage()
    await home.judged_by(stub, model="jev-latest")
    *_, last = await home.triage()
    assert (last.judged, last.reused) == (3, 0)
    *_, again = await home.triage()
    assert (again.judged, again.reused) == (0, 3)


async def test_without_a_backend_what_was_judged_still_ranks(
    home: Home, stub: SystemOneStub
) -> None:
    from hitherto_server.judge.configuration import JudgeConfig

    await notes(home, 3)
    await home.judged_by(stub)
    *_, first = await home.triage()
    await home.me.services.judge.change(lambda _: JudgeConfig(on=False))
    *_, last = await home.triage()
    assert (scores(last), last.failed) == (scores(first), {})


async def test_another_question_asks_again(
    home: Home, stub: SystemOneStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from hitherto_server.judge.questions import AskScore
    from hitherto_server.judge.surfaces import trash_triage

    await notes(home, 3)
    await home.judged_by(stub)
    await home.triage()
    asks = AskScore("Otherwise worded.", trash_triage.LEVELS)
    monkeypatch.setattr(
        trash_triage, "SURFACE", replace(trash_triage.SURFACE, samples={"c1": asks})
    )
    *_, last = await home.triage()
    assert (last.judged, last.reused) == (3, 0)


async def test_an_agent_is_shown_ten_of_them_and_nobody_is_asked_for_that(
    home: Home, stub: SystemOneStub
) -> None:
    from hitherto_contract import MemoriesRequest
    from hitherto_server.api.operations import perform

    ids = await notes(home, 14)
    stub.answers = by_number
    await home.judged_by(stub)
    asked = MemoriesRequest(view="triage", limit=50, project_dir=str(home.me.folder))
    before: Any = await perform(home.me.services, asked)
    assert ([one.id for one in before.memories], stub.asked) == (ids[:10], [])
    await home.triage()
    after: Any = await perform(home.me.services, asked)
    assert [one.id for one in after.memories] == [*ids[0::2], *ids[1:6:2]]
    assert after.reasons[ids[0]].startswith("judged 4.0 of 4 expendable; importance 2; ")


async def copies(home: Home, **values: Any) -> tuple[str, str, str]:
    """Store two that say the same as a third one, which survives them."""
    survivor = (await home.me.remember("The port is 8080.")).id
    first = await home.old_note("Port 8080 is used, as it were.")
    second = await home.old_note("It is port 8080 that is used.")
    for one in (first, second):
        await home.relate("duplicate_of", survivor, one, **values)
    return survivor, first, second


@pytest.mark.parametrize(
    "change", [{"importance": 3}, {"content": "Port 8080."}, {"category": "operations"}], ids=str
)
async def test_an_edit_asks_again_of_that_one_alone(
    home: Home, stub: SystemOneStub, change: dict[str, Any]
) -> None:
    # what a person says of two memories stands beside an edit
    _, first, _ = await copies(home, said_by="person")
    await home.judged_by(stub)
    *_, before = await home.triage()
    assert before.judged == 2
    await home.me.reflect(first, "edit", **change)
    *_, last = await home.triage()
    assert (last.judged, last.reused) == (1, 1)
    shown = stub.asked[-1].state["candidates"]["m1"]
    assert {name: shown[name] for name in change} == change


async def test_an_edit_that_changes_nothing_of_it_asks_nothing(
    home: Home, stub: SystemOneStub
) -> None:
    _, first, _ = await copies(home)
    await home.judged_by(stub)
    await home.triage()
    await home.me.reflect(first, "edit", tags=["port"])
    *_, last = await home.triage()
    assert (last.judged, last.reused) == (0, 2)


async def test_a_new_recall_count_asks_again(home: Home, stub: SystemOneStub) -> None:
    _, first, _ = await copies(home)
    await home.judged_by(stub)
    await home.triage()
    home.me.services.recall_counts.note([first])
    await home.me.services.recall_counts.close()
    *_, last = await home.triage()
    assert (last.judged, last.reused) == (1, 1)
    assert stub.asked[-1].state["candidates"]["m1"]["times_recalled"] == 1


async def test_a_surviving_copy_that_is_trashed_asks_again(home: Home, stub: SystemOneStub) -> None:
    survivor, *_ = await copies(home)
    home.clock.pass_ms(OLD_MS + 1)
    await home.judged_by(stub)
    *_, before = await home.triage()
    assert before.judged == 2
    await home.me.forget(survivor)
    *_, last = await home.triage()
    assert (last.judged, last.reused) == (2, 0)
    candidates = stub.asked[-1].state["candidates"].values()
    assert [one["duplicate_of_another"] for one in candidates] == [False, False]


async def test_what_is_expendable_is_trashed_and_brought_back(
    home: Home, stub: SystemOneStub
) -> None:
    ids = await notes(home, 12)
    stub.answers = by_number
    await home.judged_by(stub)
    await home.triage()
    worst = (await home.listed("expendable"))[:6]
    done = await home.apply("expendable", *worst)
    assert sorted(done.revisions) == sorted(one.members[0].id for one in worst)
    assert {one.members[0].id for one in await home.listed("expendable")} == set(ids) - set(
        done.revisions
    )
    await home.undo(done)
    database = home.me.services.home.database
    query = "SELECT count(*) FROM memory WHERE trashed_at_ms IS NULL"
    assert rows(database, query) == [(12,)]


async def test_what_is_kept_is_never_offered_again_until_that_is_undone(home: Home) -> None:
    ids = await notes(home, 3)
    kept = await home.dismiss("expendable", (await home.listed("expendable"))[0])
    assert [one.members[0].id for one in await home.listed("expendable")] == ids[1:]
    home.clock.pass_ms(OLD_MS + 1)
    *_, last = await home.triage()
    assert len(last.found) == 2
    await home.undo(kept)
    assert len(await home.listed("expendable")) == 3


async def test_the_last_that_says_something_is_not_trashed_as_a_copy(home: Home) -> None:
    survivor, first, _ = await copies(home)
    entries = [e for e in await home.listed("expendable") if e.members[0].id == first]
    await home.me.forget(survivor)
    with pytest.raises(NotOffered):
        await home.apply("expendable", *entries)


async def test_one_run_at_a_time_and_a_cancelled_one_asks_no_more(
    home: Home, stub: SystemOneStub
) -> None:
    await notes(home, 130)
    stub.delay_s = 0.3
    await home.judged_by(stub)
    run = await home.cleaner.begin_triage(EVERYWHERE, most=2000, origin="ui")
    told = run.follow()
    first = await anext(told)
    with pytest.raises(TriageBusy):
        await home.cleaner.begin_triage(EVERYWHERE, most=2000, origin="ui")
    second = await anext(told)
    assert (first.judged, second.judged) == (0, 60)
    assert home.cleaner.runs.cancel()
    assert [one async for one in told] == []
    asked = len(stub.asked)
    assert asked <= 12
    assert not home.cleaner.runs.cancel()
    *_, last = await home.triage()
    assert (last.reused, last.judged) == (60, 70), "what was judged before is kept"


async def test_a_judge_that_takes_two_seconds_delays_no_writer(
    home: Home, stub: SystemOneStub
) -> None:
    await notes(home, 20)
    stub.delay_s = 2.0
    await home.judged_by(stub)
    loop = asyncio.get_running_loop()
    triage = asyncio.create_task(home.triage())
    await asyncio.to_thread(wait_until, lambda: stub.requests, "the judge is asked")
    began = loop.time()
    await home.me.remember("Written meanwhile.")
    read = await home.listed("expendable")
    assert loop.time() - began < 1.0
    assert not triage.done()
    assert len(read) == 20
    *_, last = await triage
    assert last.judged == 20


async def test_what_changed_while_it_was_judged_gets_no_score(
    home: Home, stub: SystemOneStub
) -> None:
    _, first, _ = await copies(home)
    stub.delay_s = 1.0
    await home.judged_by(stub)
    triage = asyncio.create_task(home.triage())
    await asyncio.to_thread(wait_until, lambda: stub.asked, "the judge is asked")
    await home.me.reflect(first, "edit", importance=1)
    await triage
    scored = {one.members[0].id: one.score for one in await home.listed("expendable")}
    assert scored[first] is None
    assert [score is None for score in scored.values()].count(True) == 1


async def many(home: Home, count: int) -> None:
    """Store so many old unimportant notes, as quickly as rows can be written."""
    numbers = (
        "WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n"
        f" WHERE value < {count - 1})"
    )
    series = (
        "INSERT INTO memory (id, project_id, kind, content, content_hash, importance, source,"
        f" actor, device, learned_at_ms, changed_at_ms) {numbers}"
        " SELECT '0191aaaa-0000-7000-8000-' || printf('%012x', value), NULL, 'note',"
        " 'Leftover ' || value || ' of a finished task.', 'h' || value, 1 + value % 3, 'agent',"
        " 'agent', 'd', 1000 + value, 1000 + value FROM n"
    )
    revisions = (
        "INSERT INTO revision SELECT number, revision, 'create', actor, changed_at_ms, content,"
        " json_object('kind', kind, 'tags', tags, 'importance', importance, 'category_id', NULL,"
        " 'state_key', NULL, 'trashed_at_ms', NULL) FROM memory"
    )

    def fill(connection: Any) -> None:
        connection.execute(series)
        connection.execute(revisions)

    await home.store.writer.run_alone(fill)
    from hitherto_server.store.derived import rebuild_text

    await home.store.writer.run_alone(lambda c: rebuild_text(c, clock=home.clock))


async def test_five_hundred_are_trashed_and_brought_back_at_once(home: Home) -> None:
    await many(home, 500)
    entries = await home.listed("expendable", limit=500)
    done = await home.apply("expendable", *entries)
    assert (done.entries, len(done.revisions)) == (500, 500)
    assert await home.listed("expendable") == []
    assert await home.me.found_by("leftover") == []
    await home.undo(done)
    assert await home.listed("expendable") == [], "what somebody brought back was touched"
    assert len(await home.me.found_by("leftover")) == 500


async def test_two_thousand_candidates_are_judged_and_no_more(
    home: Home, stub: SystemOneStub
) -> None:
    await many(home, 2100)
    stub.answers = by_number
    await home.judged_by(stub)
    *before, last = await home.triage()
    assert len(last.found) == 2000
    assert (last.judged, last.waiting, len(stub.asked)) == (2000, 0, 200)
    assert len(before) == 1 + 34
    assert last.found[0].candidate.importance in {1, 2, 3}
    *_, again = await home.triage()
    assert (again.judged, again.reused, len(stub.asked)) == (0, 2000, 200)
