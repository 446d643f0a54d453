"""A backfill judges what nobody has judged: each once, at its own pace, as long as it may."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.maintenance.conftest import judging, says, until
from tests.system_one_stub import BROKEN, BUSY
from tests.wiring import TestClock, repository

from hitherto_contract import RememberRequest
from hitherto_server.api.background import jobs_of
from hitherto_server.core.errors import BackfillState
from hitherto_server.gates.remember import remember
from hitherto_server.judge.configuration import JudgeConfig, SurfaceChoice
from hitherto_server.maintenance import backfilling
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.store import jobs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.maintenance.conftest import Bench
    from tests.system_one_stub import SystemOneStub

    from hitherto_server.store.backfill import Run

WORDS = (
    *("red", "green", "blue", "white", "black", "brown", "grey", "pink"),
    *("cyan", "teal", "plum", "rust", "sand", "lime", "navy", "gold"),
)
KINDS_ONLY = {"relations": SurfaceChoice(on=False)}
EIGHT = [0.0] * 7 + [1.0, 0.0, 0.0]
DECISION: dict[str, Any] = {"kind": "decision", "importance": EIGHT}


async def fill(bench: Bench, count: int) -> list[str]:
    """Write memories that are far from each other while nobody judges."""
    await bench.services.judge.change(lambda c: JudgeConfig(False, c.backend, c.surfaces))
    written = [
        await bench.write(f"The {word} lamp hangs in hall {number}.", at=f"hall {number % 8}")
        for number, word in enumerate(WORDS[:count])
    ]
    await bench.services.judge.change(lambda c: JudgeConfig(True, c.backend, c.surfaces))
    return written


async def run_of(bench: Bench) -> Run:
    run = await bench.services.judged.backfill.status()
    assert run is not None
    return run


async def until_it_rests(bench: Bench, tick_ms: int = 200) -> Run:
    """Let time pass until the run no longer goes on."""
    found: list[Run] = []
    for _ in range(4000):
        found = [await run_of(bench)]
        if found[0].state != "running":
            return found[0]
        bench.clock.pass_ms(tick_ms)
        bench.services.judged.notify()
        await _breathe()
    pytest.fail(f"it goes on: {found}")


async def _breathe() -> None:
    await asyncio.sleep(0.01)


async def test_an_estimate_asks_nobody(bench: Bench) -> None:
    await fill(bench, 10)
    found = await bench.services.judged.backfill.estimate()
    assert (found.memories, found.relate, found.classify) == (10, 10, 10)
    assert found.requests >= found.classify
    assert found.input_tokens > 10 * 100
    assert (found.basis, bench.stub.asked) == ("length", [])


async def test_a_run_judges_each_memory_once_and_reports(bench: Bench) -> None:
    bench.stub.answers = says("unrelated", **DECISION)
    await fill(bench, 10)
    begun = await bench.services.judged.backfill.start()
    run = await until_it_rests(bench)
    assert (begun.total, run.state, run.judged, run.passed_over) == (10, "done", 10, 0)
    assert run.kinds == 10
    assert run.input_tokens > 0
    assert run.finished_at_ms is not None
    kinds = [one for one in bench.stub.asked if "importance" in one.questions]
    assert len(kinds) == 10
    assert len(bench.verdicts("importance-kind")) == len(bench.verdicts()) == 10
    estimate = await bench.services.judged.backfill.estimate()
    assert estimate.memories == 0


async def test_what_lies_in_a_folder_that_is_ignored_by_now_is_passed_over(
    bench: Bench, tmp_path: Path
) -> None:
    bench.stub.answers = says("unrelated", **DECISION)
    await fill(bench, 2)
    folder = repository(tmp_path / "private")
    await bench.services.judge.change(lambda c: JudgeConfig(False, c.backend, c.surfaces))
    for number in range(backfilling.BATCH + 2):
        request = RememberRequest(content=f"Heron number {number}.", project_dir=str(folder))
        await bench.embed((await remember(bench.services.writes, request)).id, f"nest {number % 6}")
    await bench.services.judge.change(lambda c: JudgeConfig(True, c.backend, c.surfaces))
    await bench.services.quiet.begin("ignore", Target(path=str(folder)))
    await bench.services.judged.backfill.start()
    run = await until_it_rests(bench)
    assert (run.state, run.judged, run.passed_over) == ("done", 2, backfilling.BATCH + 2)
    assert bench.stub.asked
    assert "Heron" not in "".join(str(one.state) for one in bench.stub.asked)


async def test_it_counts_relations_and_what_a_rule_saw_otherwise(bench: Bench) -> None:
    bench.stub.answers = says("related", **DECISION)
    await bench.services.judge.change(lambda c: JudgeConfig(False, c.backend, c.surfaces))
    await bench.write("The request timeout is 30 s.")
    await bench.write("The request timeout is 90 s.")
    await bench.services.judge.change(lambda c: JudgeConfig(True, c.backend, c.surfaces))
    await bench.services.judged.backfill.start()
    run = await until_it_rests(bench)
    assert (run.judged, run.relations, run.disagreements) == (2, 1, 1)


async def test_it_makes_no_vector(bench: Bench) -> None:
    bench.stub.answers = says(**DECISION)
    await fill(bench, 3)
    assert bench.services.embedder.state == "absent"  # no model is installed
    await bench.services.judged.backfill.start()
    run = await until_it_rests(bench)
    assert (run.state, run.judged) == ("done", 3)


async def test_a_memory_without_a_vector_is_judged_beside_others_once_it_has_one(
    bench: Bench,
) -> None:
    await fill(bench, 2)
    await bench.write("The canteen opens at noon.", at=None)
    estimate = await bench.services.judged.backfill.estimate()
    assert (estimate.relate, estimate.classify) == (2, 3)


async def test_a_start_where_nobody_may_be_asked_is_refused(bench: Bench) -> None:
    await bench.services.judge.change(lambda _: JudgeConfig())
    with pytest.raises(BackfillState, match="no backend"):
        await bench.services.judged.backfill.start()


async def test_there_is_one_run_at_a_time(bench: Bench) -> None:
    await fill(bench, 8)
    bench.stub.delay_s = 0.2
    await bench.services.judged.backfill.start()
    with pytest.raises(BackfillState, match="under way already"):
        await bench.services.judged.backfill.start()
    await bench.services.judged.backfill.cancel()


async def test_what_does_not_fit_its_state_is_refused(bench: Bench) -> None:
    backfill = bench.services.judged.backfill
    for change in (backfill.pause, backfill.resume, backfill.cancel):
        with pytest.raises(BackfillState):
            await change()


async def test_a_paused_run_asks_nothing_and_goes_on_when_it_is_resumed(bench: Bench) -> None:
    bench.stub.answers = says(**DECISION)
    await fill(bench, 16)
    await bench.services.judged.backfill.start()
    await until(lambda: len(bench.stub.asked) > 0, "it has begun")
    await bench.services.judged.backfill.pause()
    await bench.until_done()  # what was asked for is still written
    asked = len(bench.stub.asked)
    paused = await run_of(bench)
    assert (paused.state, paused.why) == ("paused", "by hand")
    assert 0 < paused.judged < 16
    await bench.services.judged.backfill.resume()
    run = await until_it_rests(bench)
    assert (run.state, run.judged) == ("done", 16)
    assert len(bench.stub.asked) > asked
    assert len([one for one in bench.stub.asked if "importance" in one.questions]) == 16


async def test_a_cancelled_run_keeps_what_it_has_judged_and_writes_nothing_more(
    bench: Bench,
) -> None:
    bench.stub.answers = says(**DECISION)
    bench.stub.delay_s = 0.3
    await fill(bench, 16)
    await bench.services.judged.backfill.start()
    await until(lambda: len(bench.stub.asked) > 0, "it has begun")
    cancelled = await bench.services.judged.backfill.cancel()
    before = len(bench.verdicts("importance-kind"))
    for _ in range(60):
        await _breathe()
    run = await run_of(bench)
    assert (cancelled.state, run.state, run.judged) == ("cancelled", "cancelled", before)
    assert len(bench.verdicts("importance-kind")) == before
    assert (await bench.services.judged.backfill.start()).total == 16 - before


async def test_it_goes_on_after_a_restart(tmp_path: Path, stub: SystemOneStub) -> None:
    stub.answers = says(**DECISION)
    clock = TestClock()
    async with judging(tmp_path / "home", stub, clock) as bench:
        await fill(bench, 16)
        await bench.services.judged.backfill.start()
        await until(lambda: len(bench.verdicts("importance-kind")) > 0, "something is judged")
    async with judging(tmp_path / "home", stub, clock) as bench:
        run = await until_it_rests(bench)
        assert (run.state, run.judged) == ("done", 16)
        assert len(bench.verdicts("importance-kind")) == 16


async def test_it_waits_until_nothing_more_urgent_is_due(bench: Bench) -> None:
    bench.stub.answers = says(**DECISION)
    written = await fill(bench, 12)
    taken: list[str] = []
    handlers = bench.services.judged.queue.handlers
    relate, backfill = handlers["relate"], handlers["backfill"]

    async def first(job: Any) -> Any:
        taken.append("relate")
        return await relate(job)

    async def then(job: Any) -> Any:
        waiting = [one for one in bench.jobs() if one[0] == "relate" and one[2] == "waiting"]
        taken.append(f"backfill while {len(waiting)} wait")
        return await backfill(job)

    handlers.update(relate=first, backfill=then)
    await bench.services.judged.backfill.start()
    for one in written:
        await bench.ask_for(one)
    await bench.until_done()
    late = [one for one in taken if one.startswith("backfill")]
    assert late[1:] == ["backfill while 0 wait"] * (len(late) - 1)  # the first began alone


async def test_a_window_in_which_the_backend_wants_no_request_pauses_it(bench: Bench) -> None:
    await fill(bench, 12)
    bench.stub.answers, bench.stub.fault = says(**DECISION), BUSY  # for 30 s
    await bench.services.judged.backfill.start()
    await bench.until_it_has_failed()
    asked = len(bench.stub.asked)
    assert asked <= backfilling.AT_ONCE
    for _ in range(20):
        bench.clock.pass_ms(400)
        bench.services.judged.notify()
        await _breathe()
    assert len(bench.stub.asked) == asked
    run = await run_of(bench)
    assert (run.state, run.judged) == ("running", 0)
    assert run.why is not None
    (job,) = (await jobs_of(bench.services)).at_work
    assert (job.kind, job.progress) == ("backfill", "0 of 12")


async def test_after_ten_failures_in_a_row_it_pauses_itself_and_loses_nothing(
    bench: Bench,
) -> None:
    await fill(bench, 4)
    bench.stub.answers, bench.stub.fault = says(**DECISION), BROKEN
    await bench.services.judged.backfill.start()
    run = await until_it_rests(bench, tick_ms=20_000)
    assert (run.state, run.failures) == ("paused", backfilling.MOST_FAILURES)
    assert run.why is not None
    assert "10 times in a row" in run.why
    assert run.judged == run.passed_over == 0


async def test_turned_off_in_the_middle_it_rests_and_says_why(bench: Bench) -> None:
    bench.stub.answers = says(**DECISION)
    await fill(bench, 16)
    await bench.services.judged.backfill.start()
    await until(lambda: len(bench.verdicts("importance-kind")) > 0, "something is judged")
    await bench.services.judge.change(lambda c: JudgeConfig(False, c.backend, c.surfaces))
    run = await until_it_rests(bench)
    assert run.state == "paused"
    assert run.why


async def test_one_memory_without_a_usable_answer_is_passed_over(bench: Bench) -> None:
    def answer(state: Any, key: str, question: Any) -> Any:
        if "white" in str(state) and key in {"kind", "importance"}:
            return {"no such option": 1.0} if key == "kind" else [0.5] * 10
        return says(**DECISION)(state, key, question)

    bench.stub.answers = answer
    await bench.services.judge.change(lambda c: JudgeConfig(c.on, c.backend, KINDS_ONLY))
    await fill(bench, 6)
    await bench.services.judged.backfill.start()
    run = await until_it_rests(bench)
    assert (run.state, run.judged, run.passed_over) == ("done", 5, 1)


async def test_a_run_has_one_job(bench: Bench) -> None:
    await fill(bench, 2)
    bench.stub.delay_s = 0.2
    await bench.services.judged.backfill.start()
    is_live = await bench.services.store.readers.run(lambda c: jobs.is_live(c, "backfill"))
    assert is_live
    assert len([one for one in bench.jobs() if one[0] == "backfill"]) == 1
