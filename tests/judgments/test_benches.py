"""A bench asks as production does, and what it showed opens and locks what it should."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.judgments.conftest import NOW_MS, measured_in, wrongly
from tests.system_one_stub import BROKEN

from hitherto_server.benches.bars import missed_of
from hitherto_server.benches.basis import basis_of, is_pinned
from hitherto_server.benches.items import half_of
from hitherto_server.benches.own_store import MADE, Wanted
from hitherto_server.benches.report import Report, Usage, parts_of
from hitherto_server.benches.texts import band_of
from hitherto_server.benches.trial import UNSAID, Label, Said
from hitherto_server.benches.trials import TRIALS
from hitherto_server.core.errors import BenchBusy, InvalidInput, NobodyToAsk
from hitherto_server.judge.surfaces.importance_kind import APPLY_IMPORTANCE, SURFACE
from hitherto_server.store.benches import list_runs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.judgments.conftest import Measured
    from tests.system_one_stub import SystemOneStub

NAME = SURFACE.name


async def allowed(measured: Measured) -> None:
    await measured.set(allows=(APPLY_IMPORTANCE,))


async def test_a_switch_is_locked_until_a_bench_has_passed(measured: Measured) -> None:
    await allowed(measured)
    assert not measured.is_open()
    report = await measured.bench.configured(NAME)
    assert (report.passed, report.missed) == ((APPLY_IMPORTANCE,), ())
    assert measured.is_open()


async def test_a_pass_turns_nothing_on_by_itself(measured: Measured) -> None:
    await measured.record(passed=True)
    assert not measured.is_open()
    await allowed(measured)
    assert measured.is_open()


async def test_a_failed_run_of_the_running_basis_locks(measured: Measured) -> None:
    await allowed(measured)
    await measured.bench.configured(NAME)
    measured.stub.answers = wrongly
    report = await measured.bench.configured(NAME)
    assert report.passed == ()
    assert any("within one level" in fault for fault in report.missed)
    assert not measured.is_open()


async def test_another_basis_neither_opens_nor_takes_a_pass(measured: Measured) -> None:
    await allowed(measured)
    await measured.record(passed=True)
    await measured.set(thresholds={"least_importance_confidence": 0.65})
    assert not measured.is_open()
    await measured.record(passed=False)
    await measured.set(thresholds={})
    assert measured.is_open()


@pytest.mark.parametrize(
    "change", [{"timeout_s": 3.0}, {"thresholds": {"least_confidence": 0.5}}], ids=str
)
async def test_what_is_set_otherwise_locks(measured: Measured, change: dict[str, object]) -> None:
    await allowed(measured)
    await measured.record(passed=True)
    await measured.set(**change)
    assert not measured.is_open()


async def test_another_model_locks_and_its_own_pass_opens(measured: Measured) -> None:
    await allowed(measured)
    await measured.record(passed=True)
    await measured.use("jev-1.14.0")
    assert not measured.is_open()
    await measured.record(passed=True)
    assert measured.is_open()


async def test_a_run_of_the_rules_or_on_own_memories_opens_and_locks_nothing(
    measured: Measured,
) -> None:
    await allowed(measured)
    await measured.record(passed=True, sample="own")
    await measured.record(passed=True, backend="rules")
    assert not measured.is_open()
    await measured.record(passed=True)
    await measured.record(passed=False, sample="own")
    await measured.record(passed=False, backend="rules")
    assert measured.is_open()


async def test_an_alias_never_passes(measured: Measured) -> None:
    await allowed(measured)
    await measured.use("jev-latest")
    report = await measured.bench.configured(NAME)
    assert report.passed == ()
    assert any("not pinned" in fault for fault in report.missed)
    assert not measured.is_open()


@pytest.mark.parametrize(
    ("asked", "answered", "expected"),
    [
        ("jev-1.13.0", "jev-1.13.0", True),
        ("jev-1.13", "typesafe/jev-1.13-20260917", False),
        ("jev-latest", "jev-latest", False),
        ("jev-preview", "jev-preview", False),
        ("~typesafe/jev-1.13", "~typesafe/jev-1.13", False),
        ("jev-1.13.0", None, False),
    ],
)
def test_a_model_is_pinned_if_it_answers_under_the_name_that_was_asked(
    asked: str, answered: str | None, expected: bool
) -> None:
    assert is_pinned(asked, answered) is expected


USED = Usage(173, 0.0, {}, 100.0, 300.0, 1, 1, 0.0)


def report_of(said: Callable[[Label], Said], usage: Usage = USED, **changes: Any) -> Report:
    """Return what a judge would be reported of that says this of each label."""
    trial = TRIALS[NAME]
    labels = [one for case in trial.cases() for one in case.labels]
    values: dict[str, Any] = {
        "surface": NAME,
        "backend": "configured",
        "sample": "labelled",
        "model": "judge-1",
        "calibrated": True,
        "basis": "b",
        "parts": parts_of(trial, [(one, said(one)) for one in labels]),
        "usage": usage,
        "note": "",
    }
    return Report(**{**values, **changes})


def exactly(label: Label, away: float = 0.0) -> Said:
    """Say just what the label says, or a level beside it."""
    if label.grade is None:
        return UNSAID
    grade = min(max(label.grade + away, 1), 10)
    return Said(band_of(grade), grade=grade)


def faults_in(report: Report) -> str:
    return " ".join(missed_of(report, APPLY_IMPORTANCE, timeout_s=8.0))


def test_answers_that_are_right_miss_nothing() -> None:
    assert faults_in(report_of(exactly)) == ""
    assert faults_in(report_of(lambda one: exactly(one, 1.0))) == ""


def test_a_few_lucky_answers_open_nothing() -> None:
    sure = {f"worth-{number:03}" for number in range(1, 60)}
    report = report_of(lambda one: exactly(one) if one.id in sure else UNSAID)
    assert "all: 59 importances were sure (at least 90)" in faults_in(report)


def test_answers_two_levels_off_open_nothing() -> None:
    assert "within one level" in faults_in(report_of(lambda one: exactly(one, 2.0)))


def test_the_same_answer_to_everything_opens_nothing() -> None:
    assert "rank correlation" in faults_in(report_of(lambda _: Said("middle", grade=5)))


def test_a_half_that_nobody_saw_counts_by_itself() -> None:
    report = report_of(lambda one: exactly(one, 0.0 if half_of(one.id) == "development" else 4.0))
    assert "test: " in faults_in(report)


def test_high_taken_for_low_opens_nothing() -> None:
    mistaken = {f"worth-{number:03}" for number in range(1, 12)}

    def said(one: Label) -> Said:
        is_taken = one.id in mistaken and one.expected == "high"
        return Said("low", grade=2) if is_taken else exactly(one)

    assert "taken for the other" in faults_in(report_of(said))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"usage": replace(USED, unavailable=0.03)}, "no judgment came"),
        ({"usage": replace(USED, p95_ms=9000.0)}, "95 % of the answers"),
        ({"usage": replace(USED, requests=0)}, "nothing was asked"),
        ({"usage": None}, "nothing was asked"),
        ({"calibrated": False}, "not calibrated"),
        ({"sample": "own"}, "no labels"),
    ],
)
def test_right_answers_of_the_wrong_kind_open_nothing(changes: dict[str, Any], fault: str) -> None:
    assert fault in faults_in(report_of(exactly, **changes))


async def test_judgments_that_do_not_come_are_counted_and_open_nothing(measured: Measured) -> None:
    measured.stub.answers = {}
    measured.stub.next_faults.extend([BROKEN] * 2)
    report = await measured.bench.configured("historical-query")
    usage = report.usage
    assert usage is not None
    assert 0 < usage.unavailable < 1
    assert sum(usage.reasons.values()) >= 2
    assert report.parts["past"]["all"].undecided == sum(usage.reasons.values())


async def test_a_bench_asks_past_the_cache_and_is_logged_as_one(measured: Measured) -> None:
    name = "historical-query"
    cases = len(TRIALS[name].cases())
    measured.stub.answers = {}
    for _ in range(2):
        await measured.bench.configured(name)
    assert len(measured.stub.asked) == 2 * cases
    await measured.judge.flush()
    rows = await measured.bench.store.readers.run(
        lambda c: c.execute("SELECT origin, count(*) FROM judgment_log GROUP BY origin").fetchall()
    )
    assert [tuple(row) for row in rows] == [("bench", 2 * cases)]


async def test_what_is_switched_off_is_not_measured(measured: Measured) -> None:
    await measured.set(on=False)
    with pytest.raises(NobodyToAsk):
        await measured.bench.configured(NAME)
    assert measured.stub.asked == []


async def test_a_surface_that_is_not_there_is_refused(measured: Measured) -> None:
    with pytest.raises(InvalidInput, match="no surface"):
        await measured.bench.rules("horoscope")


async def test_one_bench_runs_at_a_time(measured: Measured) -> None:
    async with measured.passes.room:
        with pytest.raises(BenchBusy):
            await measured.bench.configured(NAME)


@pytest.mark.parametrize("name", [name for name in TRIALS if name != NAME])
async def test_every_surface_can_be_measured_with_a_judge(measured: Measured, name: str) -> None:
    measured.stub.answers = {}  # by the hash of what is asked
    report = await measured.bench.configured(name)
    for parts in report.parts.values():
        assert parts["all"].count >= 40
        assert parts["all"].count == parts["development"].count + parts["test"].count
    usage = report.usage
    assert usage is not None
    assert usage.unavailable == 0
    assert usage.input_tokens is not None
    assert report.model == measured.stub.model


async def test_runs_are_kept_with_their_basis_and_no_text(measured: Measured) -> None:
    await measured.bench.configured("category-check")
    await measured.bench.rules("historical-query")
    kept = await measured.bench.store.readers.run(lambda c: list_runs(c, None, most=9))
    assert [(one.surface, one.backend, one.ran_at_ms) for one in kept] == [
        ("historical-query", "rules", NOW_MS),
        ("category-check", "configured", NOW_MS),
    ]
    surface = TRIALS["category-check"].surface
    assert kept[1].basis == basis_of(surface, measured.judge.switches.config)
    assert "two tabs were open" not in json.dumps([one.report for one in kept])


async def test_a_pass_outlives_the_server(tmp_path: Path, stub: SystemOneStub) -> None:
    async with measured_in(tmp_path, stub) as before:
        await allowed(before)
        await before.record(passed=True)
    async with measured_in(tmp_path, stub) as after:
        assert after.is_open()


async def test_own_memories_are_compared_with_the_rule_and_open_nothing(measured: Measured) -> None:
    await allowed(measured)
    texts = ["The port of the broker is 1883.", "Mara wants short answers.", "Deploy on Mondays."]
    await measured.bench.store.writer.run(lambda c: fill(c, texts))
    measured.stub.answers = lambda _state, key, _question: (
        "note" if key == "kind" else [0.01] * 4 + [0.91] + [0.01] * 5
    )
    report = await measured.bench.own(NAME, Wanted(1, 2, "recent", None))
    assert report.sample == "own"
    assert "nobody labelled" in report.note
    assert report.parts["kind"]["all"].count == 2
    assert report.parts["kind"]["all"].accuracy == 1.0
    assert report.passed == ()
    assert not measured.is_open()


@pytest.mark.parametrize("name", MADE)
async def test_own_memories_of_an_empty_project_make_no_cases(
    measured: Measured, name: str
) -> None:
    report = await measured.bench.own(name, Wanted(1, 50, "random", None))
    assert {parts["all"].count for parts in report.parts.values()} == {0}


async def test_near_memories_are_paired_with_what_the_slot_check_says(measured: Measured) -> None:
    texts = ["The timeout of the importer is 30 s.", "The timeout of the importer is 90 s."]
    await measured.bench.store.writer.run(lambda c: fill(c, texts))
    measured.stub.answers = {"relation_1": "conflicting", "exclusive_1": 0.99}
    report = await measured.bench.own("relations", Wanted(1, 10, "recent", None))
    assert report.parts["relation"]["all"].confusion["conflicting"]["conflicting"] >= 1


async def test_a_surface_without_own_cases_is_refused(measured: Measured) -> None:
    with pytest.raises(InvalidInput, match="labelled sets only"):
        await measured.bench.own("rerank", Wanted(1, 10, "recent", None))


def fill(connection: object, texts: list[str]) -> None:
    """Put memories into a project of their own, as they are stored."""
    from hitherto_server.core.clock import uuid7
    from hitherto_server.core.text import content_hash
    from hitherto_server.store.derived import index_memory

    execute = connection.execute  # type: ignore[attr-defined]
    execute(
        "INSERT INTO project (id, identity, name, seen_root, created_at_ms, seen_at_ms)"
        " VALUES (1, 'path:/p', 'p', '/p', 1, 1)"
    )
    for at, text in enumerate(texts, 1):
        execute(
            "INSERT INTO memory (number, id, project_id, kind, content, content_hash, source,"
            " actor, device, learned_at_ms, changed_at_ms)"
            " VALUES (?, ?, 1, 'note', ?, ?, 'agent', 'cli', 'd', ?, ?)",
            (at, uuid7(NOW_MS + at), text, content_hash(text), NOW_MS + at, NOW_MS + at),
        )
        index_memory(connection, at)  # type: ignore[arg-type]


async def test_benches_do_not_keep_others_from_writing(measured: Measured) -> None:
    measured.stub.delay_s = 2.0
    running = asyncio.create_task(measured.bench.configured("historical-query"))
    while not measured.stub.asked:
        await asyncio.sleep(0.01)
    began = asyncio.get_running_loop().time()
    await measured.bench.store.writer.run(lambda c: fill(c, ["One."]))
    took_s = asyncio.get_running_loop().time() - began
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert took_s < 1.5
