"""What a judgment says of two memories counts more than a rule, and less than anybody's word."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.maintenance.conftest import judging, says, until
from tests.wiring import TestClock, rows

from hitherto_contract import ForgetRequest, ReflectRequest
from hitherto_server.gates.reflect import reflect, restore
from hitherto_server.judge.answers import Answers
from hitherto_server.judge.configuration import JudgeConfig, SurfaceChoice
from hitherto_server.store.jobs import cancel
from hitherto_server.store.neighbours import find_subject
from hitherto_server.store.recall import list_conflicts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.maintenance.conftest import Bench
    from tests.system_one_stub import SystemOneStub

OLD = "Deployments go out through the blue pipeline."
NEW = "We now ship releases with the green pipeline instead."
PARAPHRASE = "Releases are shipped with the pipeline that is called blue."


async def test_a_duplicate_is_recorded_with_who_said_it_and_how_sure(bench: Bench) -> None:
    bench.stub.answers = says("duplicate")
    await bench.write(OLD)
    await bench.relate(await bench.write(PARAPHRASE))
    ((kind, newer, older, said_by, probability),) = bench.relations()
    assert (kind, newer, older, said_by) == ("duplicate_of", PARAPHRASE, OLD, "judge")
    assert probability == pytest.approx(0.96)


async def test_claims_that_exclude_each_other_are_a_possible_conflict(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.8)
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW))
    assert bench.relations() == [("possible_conflict", NEW, OLD, "judge", 0.8)]


async def test_what_is_called_conflicting_but_can_both_hold_is_only_similar(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.2)
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW))
    assert [one[0] for one in bench.relations()] == ["similar"]


@pytest.mark.parametrize("said", ["unrelated", "unclear"])
async def test_nothing_is_said_of_what_is_unrelated_or_unclear(bench: Bench, said: str) -> None:
    bench.stub.answers = says(said, exclusive=0.9, newer=0.99)
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW, days=1))
    assert bench.relations() == []
    assert [one[0] for one in bench.verdicts()] == [NEW]


async def test_only_what_lies_near_is_asked_about(bench: Bench) -> None:
    bench.stub.answers = says("duplicate")
    await bench.write(OLD, at="elsewhere")
    await bench.relate(await bench.write(NEW))
    assert bench.stub.asked == []
    assert [one[0] for one in bench.verdicts()] == [NEW]


async def test_at_most_three_neighbours_are_asked_about(bench: Bench) -> None:
    bench.stub.answers = says()
    for name in ("red", "yellow", "brown", "white"):
        await bench.write(f"The {name} lamp hangs in the {name} hall since spring.")
    await bench.relate(await bench.write(NEW))
    (asked,) = bench.stub.asked
    assert sorted(asked.state["candidates"]) == ["c1", "c2", "c3"]


async def test_a_newer_statement_replaces_the_older_one(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW, days=2))
    assert [one[:4] for one in bench.relations()] == [("supersedes", NEW, OLD, "judge")]


async def test_whichever_is_judged_the_newer_date_replaces(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    old = await bench.write(OLD)
    await bench.write(NEW, days=2)
    await bench.relate(old)
    assert [one[:3] for one in bench.relations()] == [("supersedes", NEW, OLD)]


async def test_the_date_is_since_when_it_is_true_not_when_it_was_learned(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    await bench.write(NEW)
    learned_later = await bench.write(OLD, days=5, true_from_ms=86_400_000)
    await bench.relate(learned_later)
    assert [one[:3] for one in bench.relations()] == [("supersedes", NEW, OLD)]


async def test_of_the_same_day_nothing_is_replaced(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW))
    assert [one[0] for one in bench.relations()] == ["possible_conflict"]
    assert "newer_1" not in bench.stub.asked[0].questions


async def test_what_a_person_told_is_not_replaced_by_what_nobody_told(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    await bench.write(OLD, source="user-told", actor="cli")
    await bench.relate(await bench.write(NEW, days=2))
    assert [one[0] for one in bench.relations()] == ["possible_conflict"]


async def test_what_a_person_told_later_replaces_what_a_person_told(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    await bench.write(OLD, source="user-told", actor="cli")
    await bench.relate(await bench.write(NEW, days=2, source="user-told", actor="cli"))
    assert [one[0] for one in bench.relations()] == ["supersedes"]


async def test_a_duplicate_replaces_nothing(bench: Bench) -> None:
    bench.stub.answers = says("duplicate", newer=0.99)
    await bench.write(OLD)
    await bench.relate(await bench.write(PARAPHRASE, days=2))
    assert [one[0] for one in bench.relations()] == ["duplicate_of"]


async def test_a_job_replaces_one_memory_at_most_the_likeliest(bench: Bench) -> None:
    def answer(state: Any, key: str, question: Any) -> Any:
        is_old = OLD in state["candidates"].get(f"c{key[-1]}", {}).get("content", "")
        return says("conflicting", exclusive=0.2, newer=0.99 if is_old else 0.95)(
            state, key, question
        )

    bench.stub.answers = answer
    await bench.write("A purple pipeline carries what the nightly builder makes.")
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW, days=2))
    supersedes = [one for one in bench.relations() if one[0] == "supersedes"]
    assert [one[2] for one in supersedes] == [OLD]


async def test_no_circle_is_made_of_memories_that_replace_each_other(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    old = await bench.write(OLD)
    new = await bench.write(NEW, days=2)

    def job(connection: Any) -> None:  # told long ago, and the one that replaced it is gone
        connection.execute(
            "INSERT INTO relation (kind, newer_number, older_number, said_by, created_at_ms)"
            " SELECT 'supersedes', a.number, b.number, 'agent', 1 FROM memory a, memory b"
            " WHERE a.id = ? AND b.id = ?",
            (old, new),
        )

    await bench.services.store.writer.run(job)
    await bench.relate(old)
    assert [one[:4] for one in bench.relations()] == [("supersedes", OLD, NEW, "agent")]


async def test_an_uncalibrated_answer_adds_and_replaces_nothing(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.99)
    relater = bench.services.judged.queue.handlers["relate"]
    judge = bench.services.judge
    ask = judge.ask

    class Uncalibrated:
        async def ask(self, *asked: Any) -> Any:
            found = await ask(*asked)
            return replace(found, calibrated=False) if isinstance(found, Answers) else found

        def __getattr__(self, name: str) -> Any:
            return getattr(judge, name)

    relater.judge = Uncalibrated()  # type: ignore[attr-defined]
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW, days=2))
    assert bench.relations() == [("possible_conflict", NEW, OLD, "judge", None)]


async def test_a_pair_near_a_threshold_is_asked_about_in_both_orders(bench: Bench) -> None:
    def answer(state: Any, key: str, question: Any) -> Any:
        comes_first = next(iter(state)) == "memory"
        return says("conflicting", exclusive=0.55 if comes_first else 0.2)(state, key, question)

    bench.stub.answers = answer
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW))
    first, second = bench.stub.asked
    assert (list(first.state), list(second.state)) == (
        ["memory", "candidates"],
        ["candidates", "memory"],
    )
    options = [list(one.questions["relation_1"]["criteria"]) for one in (first, second)]
    assert options[0] == options[1][::-1]
    assert [one[0] for one in bench.relations()] == ["similar"]  # 0.375 is below 0.5


async def test_a_judgment_takes_the_place_of_what_a_rule_said(bench: Bench) -> None:
    bench.stub.answers = says("related", exclusive=0.02)
    first, second = "The request timeout is 30 s.", "The request timeout is 90 s."
    await bench.write(first)
    written = await bench.write(second)
    assert [one[3] for one in bench.relations()] == ["rule"]
    await bench.relate(written)
    assert [one[:4] for one in bench.relations()] == [("similar", second, first, "judge")]
    assert [one[3] for one in bench.relations(undone=True)] == ["rule"]


async def test_a_value_that_differs_is_not_judged_away(bench: Bench) -> None:
    bench.stub.answers = says("duplicate")
    await bench.write("The request timeout is 30 s.")
    await bench.relate(await bench.write("The request timeout is 90 s."))
    assert [(one[0], one[3]) for one in bench.relations()] == [("possible_conflict", "rule")]


async def test_a_duplicate_that_contradicts_is_neither(bench: Bench) -> None:
    bench.stub.answers = says("duplicate", exclusive=0.9)
    await bench.write(OLD)
    await bench.relate(await bench.write(PARAPHRASE))
    assert bench.relations() == []


async def test_two_memories_are_judged_beside_each_other_once(bench: Bench) -> None:
    bench.stub.answers = says("unrelated")
    old = await bench.write(OLD)
    await bench.relate(await bench.write(NEW))
    asked = len(bench.stub.asked)
    await bench.relate(old)
    assert len(bench.stub.asked) == asked
    assert sorted(one[0] for one in bench.verdicts()) == sorted([OLD, NEW])
    edit = ReflectRequest(action="edit", id=old, tags=["again"])
    await reflect(bench.services.writes, edit)
    await bench.relate(old)  # it is another revision now
    assert len(bench.stub.asked) == asked + 1


async def test_of_two_that_are_judged_at_once_the_first_word_counts(bench: Bench) -> None:
    bench.stub.answers, bench.stub.delay_s = says("duplicate"), 2.0
    for written in (await bench.write(OLD), await bench.write(PARAPHRASE)):
        await bench.ask_for(written)
    await until(lambda: len(bench.stub.asked) == 2, "both are asked about")
    assert bench.verdicts() == []  # neither knows of the other
    await bench.until_done()
    found = rows(bench.database, "SELECT answer FROM verdict WHERE surface = 'relations'")
    assert sorted(len(json.loads(answer)["pairs"]) for (answer,) in found) == [0, 1]
    assert [one[0] for one in bench.relations()] == ["duplicate_of"]


async def test_a_judgment_that_agrees_with_a_rule_says_so_in_its_own_name(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9)
    await bench.write("The request timeout is 30 s.")
    await bench.relate(await bench.write("The request timeout is 90 s."))
    ((kind, _, _, said_by, probability),) = bench.relations()
    assert (kind, said_by, probability) == ("possible_conflict", "judge", 0.9)
    ((slot,),) = rows(bench.database, "SELECT slot FROM relation")
    assert slot == "value"


async def test_a_rule_does_not_say_again_what_a_judgment_took_back(bench: Bench) -> None:
    bench.stub.answers = says("unrelated")
    await bench.write("The request timeout is 30 s.")
    written = await bench.write("The request timeout is 90 s.")
    await bench.relate(written)
    assert bench.relations() == []
    request = ReflectRequest(action="edit", id=written, tags=["again"])
    await reflect(bench.services.writes, request)
    await bench.relate(written)
    assert bench.relations() == []


async def test_after_an_edit_rules_speak_again_and_the_judgment_is_withdrawn(bench: Bench) -> None:
    bench.stub.answers = says("duplicate")
    await bench.write(OLD)
    written = await bench.write(PARAPHRASE)
    await bench.relate(written)
    assert [one[0] for one in bench.relations()] == ["duplicate_of"]
    request = ReflectRequest(action="edit", id=written, content="The canteen opens at noon.")
    await reflect(bench.services.writes, request)
    assert bench.relations() == []


async def test_an_agents_word_stands(bench: Bench) -> None:
    bench.stub.answers = says("unrelated")
    old = await bench.write(OLD)
    await bench.write("It is settled.", at="elsewhere")
    written = await bench.write(NEW, days=1, supersedes=[old])
    before = bench.relations()
    await bench.relate(written)
    assert bench.relations() == before
    assert bench.stub.asked == []


async def undo(bench: Bench, kind: str) -> None:
    """Take a relation back, as a person does."""

    def job(connection: Any) -> None:
        connection.execute(
            "UPDATE relation SET undone_at_ms = ?, undone_by = 'cli' WHERE kind = ?",
            (bench.clock(), kind),
        )

    await bench.services.store.writer.run(job)


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        (says("duplicate"), "duplicate_of"),
        (says("conflicting", exclusive=0.9), "possible_conflict"),
        (says("related"), "similar"),
        (says("conflicting", exclusive=0.9, newer=0.97), "supersedes"),
    ],
)
async def test_what_was_taken_back_is_said_by_no_later_job(
    tmp_path: Path, stub: SystemOneStub, answers: Any, kind: str
) -> None:
    stub.answers = answers
    clock = TestClock()
    async with judging(tmp_path / "home", stub, clock) as bench:
        old = await bench.write(OLD)
        written = await bench.write(NEW, days=1)
        await bench.relate(written)
        assert [one[0] for one in bench.relations()] == [kind]
        await undo(bench, kind)
        await bench.relate(written)
        await bench.relate(old)
        assert bench.relations() == []
        bench.clock.pass_ms(1)
    async with judging(tmp_path / "home", stub, clock) as bench:  # after a restart
        await bench.relate(written)
        await bench.services.store.writer.run(lambda c: c.execute("DELETE FROM verdict"))
        await bench.services.judged.backfill.start()
        await bench.until_done()
        assert bench.relations() == []
        edited = ReflectRequest(action="edit", id=written, content=f"{NEW} It is faster.")
        await reflect(bench.services.writes, edited)
        await bench.embed(written)
        await bench.relate(written)
        assert bench.relations() == []


@pytest.mark.parametrize("actor", ["agent", "judge", "rule"])
async def test_an_undo_stands_whatever_name_its_author_gives(bench: Bench, actor: str) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    old = await bench.write(OLD)
    written = await bench.write(NEW, days=1)
    await bench.relate(written)
    assert [one[0] for one in bench.relations()] == ["supersedes"]
    writes = bench.services.writes
    undo = ReflectRequest(action="undo", id=written, actor=actor, expected_revision=1)
    await reflect(writes, undo)
    await restore(writes, ForgetRequest(id=written, actor=actor))
    await bench.embed(written)
    await bench.relate(written)
    await bench.relate(old)
    assert bench.relations() == []


async def test_nothing_is_written_of_a_memory_that_moved_on_while_it_was_judged(
    bench: Bench,
) -> None:
    bench.stub.answers, bench.stub.delay_s = says("duplicate"), 1.0
    await bench.write(OLD)
    written = await bench.write(PARAPHRASE)
    await bench.ask_for(written)
    await until(lambda: bench.stub.asked, "the judge is asked")
    request = ReflectRequest(action="edit", id=written, content="The canteen opens at noon.")
    await reflect(bench.services.writes, request)
    await bench.until_done()
    assert bench.relations() == bench.relations(undone=True) == []
    assert bench.verdicts() == []  # its new text has no vector yet


async def test_a_memory_that_moved_on_with_the_same_text_is_judged_as_it_is_now(
    bench: Bench,
) -> None:
    bench.stub.answers, bench.stub.delay_s = says("duplicate"), 1.0
    await bench.write(OLD)
    written = await bench.write(PARAPHRASE)
    await bench.ask_for(written)
    await until(lambda: bench.stub.asked, "the judge is asked")
    await reflect(bench.services.writes, ReflectRequest(action="edit", id=written, tags=["again"]))
    await bench.until_done()
    assert [one[0] for one in bench.relations()] == ["duplicate_of"]
    assert [(one[0], one[1]) for one in bench.verdicts()] == [(PARAPHRASE, 2)]


async def test_nothing_is_written_of_a_neighbour_that_moved_on(bench: Bench) -> None:
    bench.stub.answers, bench.stub.delay_s = says("duplicate"), 1.0
    old = await bench.write(OLD)
    written = await bench.write(PARAPHRASE)
    await bench.ask_for(written)
    await until(lambda: bench.stub.asked, "the judge is asked")
    request = ReflectRequest(action="edit", id=old, content="The canteen opens at noon.")
    await reflect(bench.services.writes, request)
    await bench.until_done()
    assert bench.relations() == []


async def test_a_slow_judge_delays_no_writer(bench: Bench) -> None:
    bench.stub.answers, bench.stub.delay_s = says("duplicate"), 2.0
    await bench.write(OLD)
    await bench.ask_for(await bench.write(PARAPHRASE))
    await until(lambda: bench.stub.asked, "the judge is asked")
    begun = time.monotonic()
    await bench.write("The canteen opens at noon.", at="elsewhere")
    assert time.monotonic() - begun < 1.0
    assert bench.relations() == []  # it is being judged still
    await bench.until_done()
    assert [one[0] for one in bench.relations()] == ["duplicate_of"]


async def test_what_is_cancelled_while_it_is_judged_writes_nothing(bench: Bench) -> None:
    bench.stub.answers, bench.stub.delay_s = says("duplicate"), 0.5
    await bench.write(OLD)
    await bench.ask_for(await bench.write(PARAPHRASE))
    await until(lambda: bench.stub.asked, "the judge is asked")
    at_ms = bench.clock()
    await bench.services.store.writer.run(lambda c: cancel(c, ["relate"], at_ms=at_ms))
    await asyncio.sleep(1.0)
    assert bench.relations() == bench.verdicts() == []
    assert [one[2] for one in bench.jobs()] == ["cancelled"]


async def test_with_its_rider_switched_off_nothing_is_replaced(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    off = {"supersession": SurfaceChoice(on=False)}
    await bench.services.judge.change(lambda c: JudgeConfig(c.on, c.backend, off))
    await bench.write(OLD)
    await bench.relate(await bench.write(NEW, days=2))
    assert [one[0] for one in bench.relations()] == ["possible_conflict"]


async def test_whoever_confirms_a_memory_settles_a_judged_conflict_for_it(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9)
    old = await bench.write(OLD)
    written = await bench.write(NEW)
    await bench.relate(written)
    numbers = dict(rows(bench.database, "SELECT id, number FROM memory"))
    bench.clock.pass_ms(1)
    await reflect(bench.services.writes, ReflectRequest(action="confirm", id=written))
    look = partial(list_conflicts, numbers=numbers.values())
    found = await bench.services.store.readers.run(look)
    assert {one: len(others) for one, others in found.items()} == {numbers[old]: 1}


async def test_where_nobody_may_be_asked_the_rule_stands(bench: Bench) -> None:
    await bench.services.judge.change(lambda c: JudgeConfig(False, c.backend, c.surfaces))
    await bench.write("The request timeout is 30 s.")
    written = await bench.write("The request timeout is 90 s.")
    before = bench.relations()
    await bench.relate(written)
    assert [one[3] for one in before] == ["rule"]
    assert bench.relations() == before
    assert bench.verdicts() == []
    assert bench.stub.asked == []


async def test_the_log_says_what_was_done_with_an_answer(bench: Bench) -> None:
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.97)
    old = await bench.write(OLD)
    written = await bench.write(NEW, days=2)
    await bench.relate(written)
    await bench.services.judge.flush()
    logged = rows(
        bench.database,
        "SELECT riders, origin, outcome FROM judgment_log WHERE surface = 'relations'",
    )
    outcome = {"memory": written, old: "supersedes"}
    assert [(one[0], one[1], json.loads(one[2])) for one in logged] == [
        ('["supersession"]', "maintenance", outcome)
    ] * 2  # in both orders


async def test_a_candidate_is_judged_once_it_is_admitted(bench: Bench) -> None:
    written = await bench.write(OLD)

    def hold_back(connection: Any) -> None:
        connection.execute("UPDATE memory SET tier = 'candidate' WHERE id = ?", (written,))
        connection.execute("DELETE FROM job")

    def compared(connection: Any) -> None:
        row = find_subject(connection, written)
        assert row is not None
        bench.services.judged.ask_for(connection, row, at_ms=bench.clock())

    writer = bench.services.store.writer
    await writer.run(hold_back)
    await writer.run(compared)
    assert bench.jobs() == []
    await reflect(bench.services.writes, ReflectRequest(action="confirm", id=written))
    assert rows(bench.database, "SELECT kind FROM job") == [("compare",)]
    await writer.run(compared)
    assert [one[0] for one in bench.jobs()] == ["relate", "classify"]
