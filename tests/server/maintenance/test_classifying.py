"""A judged kind fills in what nobody stated; a judged importance is only recorded."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from tests.server.maintenance.conftest import until
from tests.wiring import rows

from hitherto_contract import ReflectRequest
from hitherto_server.gates.reflect import reflect
from hitherto_server.judge.configuration import JudgeConfig, SurfaceChoice
from hitherto_server.maintenance import classifying

if TYPE_CHECKING:
    from tests.server.maintenance.conftest import Bench

TEXT = "We chose the green pipeline over the blue one."
EIGHT = [0.0] * 7 + [1.0, 0.0, 0.0]
SURE = {"kind": "decision", "importance": EIGHT}


async def classify(bench: Bench, memory_id: str) -> None:
    await bench.ask_for(memory_id, classifying.KIND)
    await bench.until_done()


def memory(bench: Bench, memory_id: str) -> tuple[Any, ...]:
    query = "SELECT kind, importance, revision FROM memory WHERE id = ?"
    (found,) = rows(bench.database, query, memory_id)
    return found


async def test_a_kind_that_nobody_stated_is_filled_in_and_importance_is_recorded(
    bench: Bench,
) -> None:
    bench.stub.answers = SURE
    written = await bench.write(TEXT)
    await classify(bench, written)
    assert memory(bench, written) == ("decision", 5, 2)
    ((_, revision, answer),) = bench.verdicts("importance-kind")
    said = json.loads(answer)
    assert (revision, said["kind"], said["importance"]) == (1, "decision", 8)


async def test_a_kind_that_was_stated_stands(bench: Bench) -> None:
    bench.stub.answers = SURE
    written = await bench.write(TEXT, kind="note")
    await classify(bench, written)
    assert memory(bench, written) == ("note", 5, 1)
    assert len(bench.verdicts("importance-kind")) == 1


async def test_a_kind_that_was_stated_in_an_edit_stands(bench: Bench) -> None:
    bench.stub.answers = SURE
    written = await bench.write(TEXT)
    await reflect(bench.services.writes, ReflectRequest(action="edit", id=written, kind="fact"))
    await classify(bench, written)
    assert memory(bench, written) == ("fact", 5, 2)


async def test_an_unsure_kind_is_not_filled_in(bench: Bench) -> None:
    split = {"decision": 0.5, "fact": 0.3, "note": 0.2}
    rest = dict.fromkeys(("issue", "preference", "unclear"), 0.0)
    bench.stub.answers = {"kind": {**split, **rest}, "importance": EIGHT}
    written = await bench.write(TEXT)
    await classify(bench, written)
    assert memory(bench, written) == ("note", 5, 1)


async def test_unclear_is_no_kind(bench: Bench) -> None:
    bench.stub.answers = {"kind": "unclear", "importance": EIGHT}
    written = await bench.write(TEXT)
    await classify(bench, written)
    assert memory(bench, written) == ("note", 5, 1)
    ((_, _, answer),) = bench.verdicts("importance-kind")
    assert json.loads(answer)["kind"] is None


async def test_a_kind_that_was_undone_is_not_filled_in_again(bench: Bench) -> None:
    bench.stub.answers = SURE
    written = await bench.write(TEXT)
    await classify(bench, written)
    request = ReflectRequest(action="undo", id=written, expected_revision=2)
    await reflect(bench.services.writes, request)
    await bench.services.store.writer.run(lambda c: c.execute("DELETE FROM verdict"))
    await classify(bench, written)
    assert memory(bench, written) == ("note", 5, 3)
    assert len(bench.verdicts("importance-kind")) == 1


async def test_importance_counts_only_with_its_switch_that_a_bench_unlocks(bench: Bench) -> None:
    bench.stub.answers = SURE
    on = {"importance-kind": SurfaceChoice(allows=("apply_importance",))}
    await bench.services.judge.change(lambda c: JudgeConfig(c.on, c.backend, on))
    locked = await bench.write(TEXT, kind="note")
    await classify(bench, locked)
    assert memory(bench, locked) == ("note", 5, 1)
    bench.services.judge.switches.passes = lambda *_: True  # as after a bench that passed
    opened = await bench.write("The green pipeline needs a key that only Ada has.", kind="note")
    stated = await bench.write("The canteen opens at noon.", kind="note", importance=2)
    await classify(bench, opened)
    await classify(bench, stated)
    assert memory(bench, opened) == ("note", 8, 2)
    assert memory(bench, stated) == ("note", 2, 1)


async def test_what_was_judged_as_it_reads_now_is_not_asked_about_again(bench: Bench) -> None:
    bench.stub.answers = SURE
    written = await bench.write(TEXT)
    await classify(bench, written)
    asked = len(bench.stub.asked)
    await classify(bench, written)
    assert len(bench.stub.asked) == asked


async def test_nothing_is_written_of_a_memory_that_moved_on(bench: Bench) -> None:
    written = await bench.write(TEXT)
    bench.stub.answers, bench.stub.delay_s = SURE, 1.0
    asked = len(bench.stub.asked)
    await bench.ask_for(written, classifying.KIND)
    await until(lambda: len(bench.stub.asked) > asked, "the judge is asked")
    bench.stub.answers = {"kind": "issue", "importance": EIGHT}
    request = ReflectRequest(action="edit", id=written, content="The pipeline breaks on Mondays.")
    await reflect(bench.services.writes, request)
    await bench.until_done()
    assert memory(bench, written)[0] == "issue"
    assert [one[1] for one in bench.verdicts("importance-kind")] == [2]


async def test_a_slow_judge_delays_no_writer(bench: Bench) -> None:
    written = await bench.write(TEXT)
    bench.stub.answers, bench.stub.delay_s = SURE, 2.0
    asked = len(bench.stub.asked)
    await bench.ask_for(written, classifying.KIND)
    await until(lambda: len(bench.stub.asked) > asked, "the judge is asked")
    begun = time.monotonic()
    await bench.services.store.writer.run(lambda c: c.execute("SELECT 1").fetchone())
    assert time.monotonic() - begun < 1.0
    assert bench.verdicts("importance-kind") == []  # it is being judged still
    await bench.until_done()
    assert memory(bench, written)[0] == "decision"
