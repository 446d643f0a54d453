"""What no pattern decides is judged masked; what a pattern decides is nobody's to judge."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.canaries import drawn
from tests.server.gates.judged import Judged, judged_by
from tests.system_one_stub import BROKEN, HANGING, SystemOneStub
from tests.wiring import opened

from hitherto_server.core.errors import OnlyASecret, RevisionMoved
from hitherto_server.gates.doubts import spans_of
from hitherto_server.gates.secrets import look_at, redact, without_doubt
from hitherto_server.gates.secrets.findings import masked
from hitherto_server.judge.answers import Answers
from hitherto_server.judge.register import surfaces as all_surfaces
from hitherto_server.judge.surfaces.secret_gate import MOST_SPANS, SURFACE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from tests.wiring import TestClock

RANDOM = drawn(39) + "7"
WORDS = "correcthorsebattery"
TOKEN = "gh" + "p_" + drawn(36)
UNNAMED = f"The nightly run prints fingerprint_of_run: {RANDOM} at its end."
NAMED = f"On staging the db password: '{WORDS}' opens the archive."


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub({"s1": 0.9}) as serving:
        yield serving


@pytest.fixture
async def me(
    tmp_path: Path, project: Path, clock: TestClock, stub: SystemOneStub
) -> AsyncIterator[Judged]:
    """Someone whose judge answers what may be a secret."""
    async with opened(tmp_path / "home", clock) as services:
        await judged_by(services, stub, "secret-gate", "duplicate-gate")
        person = Judged(services, project, clock)
        person.stub = stub
        yield person


def sent(me: Judged) -> str:
    """Everything that the judge was sent."""
    return "\n".join(request.raw.decode() for request in me.stub.requests)


async def test_a_random_value_that_is_judged_a_secret_is_taken_out_and_kept_nowhere(
    me: Judged,
) -> None:
    kept = await me.remember(UNNAMED)
    seen = await me.see(kept.id)
    assert seen.content == UNNAMED.replace(RANDOM, "[redacted:high-entropy]")
    assert (seen.tags, kept.notes) == (["redacted"], ["a secret was taken out: high-entropy"])
    assert RANDOM not in await me.everything()
    assert (await me.logged())[0][2] == {"secrets": ["high-entropy"], "none": [], "applied": True}


async def test_what_is_judged_a_secret_goes_wherever_it_stands(me: Judged) -> None:
    kept = await me.remember(f"{UNNAMED} Whoever has {RANDOM} is let in.")
    assert (await me.see(kept.id)).content.count("[redacted:high-entropy]") == 2
    assert RANDOM not in await me.everything()


async def test_without_a_judgment_the_same_value_is_kept(me: Judged) -> None:
    me.stub.fault = HANGING
    assert RANDOM in (await me.see((await me.remember(UNNAMED)).id)).content


async def test_a_named_value_that_is_clearly_none_is_kept_and_that_is_said(me: Judged) -> None:
    me.stub.answers = {"s1": 0.05}
    kept = await me.remember(NAMED)
    seen = await me.see(kept.id)
    assert (seen.content, seen.tags) == (NAMED, [])
    assert kept.notes == ["looked like a secret, was judged to be none and kept: password"]


@pytest.mark.parametrize("text", [UNNAMED, NAMED], ids=["unnamed", "named"])
@pytest.mark.parametrize("probability", [0.11, 0.5, 0.69])
async def test_between_the_thresholds_the_rule_stands(
    me: Judged, text: str, probability: float
) -> None:
    me.stub.answers = {"s1": probability}
    assert (await me.see((await me.remember(text)).id)).content == redact(text).text


async def test_an_answer_that_is_not_calibrated_takes_nothing_out_and_keeps_nothing(
    me: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = type(me.services.judge).ask

    async def uncalibrated(*arguments: Any) -> Any:
        answers = await ask(*arguments)
        assert isinstance(answers, Answers)
        return replace(answers, calibrated=False)

    monkeypatch.setattr(type(me.services.judge), "ask", uncalibrated)
    one = await me.remember(UNNAMED)
    assert (await me.see(one.id)).content == UNNAMED
    assert one.notes == ["may hold a secret, which was kept: high-entropy"]
    me.stub.answers = {"s1": 0.0}
    other = await me.remember(NAMED)
    assert WORDS not in (await me.see(other.id)).content


async def test_what_a_pattern_is_sure_of_is_taken_out_and_no_judge_is_asked(me: Judged) -> None:
    me.stub.answers = {"s1": 0.0}
    kept = await me.remember(f"CI pushes with {TOKEN} to the mirror.")
    assert TOKEN not in (await me.see(kept.id)).content
    assert me.stub.requests == []


async def test_beside_what_is_doubtful_a_certain_secret_goes_whatever_is_judged(
    me: Judged,
) -> None:
    me.stub.answers = {"s1": 0.0, "s2": 0.0}
    kept = await me.remember(f"{NAMED} CI pushes with {TOKEN} to the mirror.")
    seen = await me.see(kept.id)
    assert WORDS in seen.content
    assert TOKEN not in seen.content
    assert [list(request.questions) for request in me.stub.asked] == [["s1"]]
    assert TOKEN not in sent(me)


async def test_the_judge_sees_ends_length_name_and_what_stands_around(me: Judged) -> None:
    await me.remember(UNNAMED)
    [request] = me.stub.asked
    assert request.state == {
        "spans": [
            {
                "id": "s1",
                "value": f"{RANDOM[:4]}{'*' * 34}{RANDOM[-2:]}",
                "length": 40,
                "looks_like": "high-entropy",
                "named_as_secret": False,
                "around": UNNAMED.replace(RANDOM, masked(RANDOM)),
            }
        ]
    }


@pytest.mark.parametrize(
    "text",
    [
        f"salt: {RANDOM} and again {RANDOM}, or quoted '{RANDOM}'.",
        f"{RANDOM} stands alone before seed_of_run: {RANDOM}",
        f"seed_of_run: {RANDOM}" + " before" * 17 + RANDOM + " after" * 20 + f" {TOKEN}",
        f'seed_of_run: {RANDOM}\\n{TOKEN}\\n"{RANDOM}" and DB_PASSWORD={TOKEN}',
        f"url is https://host/path?seed={RANDOM} and token {TOKEN}",
    ],
    ids=["repeated", "before its name", "at the edge", "escaped", "in an address"],
)
@pytest.mark.parametrize("way", ["remember", "edit", "supersede"])
async def test_no_value_that_may_be_a_secret_is_ever_sent(me: Judged, way: str, text: str) -> None:
    assert look_at(text).doubtful
    if way == "remember":
        await me.remember(text)
    else:
        old = await me.remember("The seed of a run is printed at its end.")
        await me.reflect(old.id, way, content=text)
    assert me.stub.asked
    assert RANDOM not in sent(me)
    assert TOKEN not in sent(me)


@pytest.mark.parametrize("probability", [0.0, 0.4, None], ids=["none", "unclear", "away"])
async def test_what_is_doubtful_and_kept_is_sent_by_no_other_surface_either(
    me: Judged, probability: float | None
) -> None:
    await judged_by(me.services, me.stub, *all_surfaces())
    me.stub.answers = {} if probability is None else {"s1": probability}
    if probability is None:
        me.stub.next_faults.append(BROKEN)
    await me.remember(f"Run `make lint` before every push with seed_of_run: {RANDOM}")
    await me.remember(f"Before every push, run `make lint` with seed_of_run: {RANDOM}")
    surfaces = {surface for surface, _, _ in await me.logged()}
    assert {"secret-gate", "duplicate-gate"} <= surfaces
    assert RANDOM not in sent(me)
    assert RANDOM in (await me.everything()), "it was kept"


async def test_a_text_that_is_hardly_more_than_what_was_judged_a_secret_is_refused(
    me: Judged,
) -> None:
    with pytest.raises(OnlyASecret, match="high-entropy"):
        await me.remember(f"run: {RANDOM}")
    assert await me.count() == 0


async def test_a_text_is_not_refused_for_a_value_that_was_judged_to_be_none(me: Judged) -> None:
    text = f"password: '{WORDS}'"
    assert redact(text).changed
    me.stub.answers = {"s1": 0.0}
    assert (await me.see((await me.remember(text)).id)).content == text


@pytest.mark.parametrize("way", ["edit", "supersede"])
async def test_a_change_is_judged_as_a_first_word_is(me: Judged, way: str) -> None:
    old = await me.remember("The nightly run prints its seed.")
    done = await me.reflect(old.id, way, content=UNNAMED)
    seen = await me.see(done.id)
    assert RANDOM not in seen.content
    assert seen.tags == ["redacted"]


@pytest.mark.parametrize("way", ["edit", "supersede"])
async def test_what_was_judged_to_be_none_is_kept_by_a_change_too(me: Judged, way: str) -> None:
    me.stub.answers = {"s1": 0.0}
    old = await me.remember("The archive on staging is opened by words.")
    done = await me.reflect(old.id, way, content=NAMED)
    assert (await me.see(done.id)).content == NAMED


async def test_of_many_values_eight_are_asked_about_first_those_that_would_stay(
    me: Judged,
) -> None:
    named = "\n".join(f"password {number}: 'correcthorse{'abcdefghij'[number]}attery'"
                      for number in range(MOST_SPANS))  # fmt: skip
    await me.remember(f"{named}\n{UNNAMED}")
    [request] = me.stub.asked
    spans = request.state["spans"]
    assert [span["named_as_secret"] for span in spans] == [False] + [True] * (MOST_SPANS - 1)


async def test_a_call_is_repeated_under_its_key_whatever_is_judged_the_second_time(
    me: Judged,
) -> None:
    first = await me.remember(UNNAMED, idempotency_key="k")
    me.stub.fault = HANGING
    await me.services.judge.flush()
    await me.services.store.writer.run(lambda c: c.execute("DELETE FROM judgment_cache").rowcount)
    again = await me.remember(UNNAMED, idempotency_key="k")
    assert (again.id, again.outcome) == (first.id, "already_known")
    assert len(me.stub.asked) == 2, "the second time it was judged anew, in vain"
    assert await me.count() == 1


async def test_one_write_waits_for_one_timeout_however_much_it_would_ask(me: Judged) -> None:
    await me.remember("Run `make lint` before every push with the seed of the run.")
    me.stub.fault = HANGING
    began = time.monotonic()
    text = f"Before every push with the seed of the run, run `make lint`. {UNNAMED}"
    assert (await me.remember(text)).outcome == "stored"
    assert time.monotonic() - began < 2 * SURFACE.timeout_s
    assert len(me.stub.asked) == 1


async def test_while_a_value_is_judged_another_writer_is_served_at_once(me: Judged) -> None:
    me.stub.delay_s = 2.0
    slow = asyncio.create_task(me.remember(UNNAMED))
    await me.asked()
    other = await me.remember("Backups of the archive are kept in Lisbon.")
    assert other.outcome == "stored"
    assert not slow.done()
    kept = await slow
    assert RANDOM in (await me.see(kept.id)).content, "no answer came in time: the rule stands"


async def test_an_edit_that_is_judged_is_one_of_the_memory_as_it_is_afterwards(
    me: Judged,
) -> None:
    old = await me.remember("The nightly run prints its seed.")
    me.stub.delay_s = 0.4
    editing = asyncio.create_task(me.reflect(old.id, "edit", content=UNNAMED))
    naming = asyncio.create_task(
        me.reflect(old.id, "edit", content=UNNAMED.replace("its", "the"), expected_revision=1)
    )
    await me.asked()
    await me.reflect(old.id, "edit", importance=9)
    assert (await editing).revision == 3
    assert (await me.see(old.id)).importance == 9
    with pytest.raises(RevisionMoved):
        await naming


async def test_switched_off_it_asks_nothing(me: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HITHERTO_JUDGE", "off")
    await me.services.judge.load()
    kept = await me.remember(f"{UNNAMED} {NAMED}")
    assert (await me.see(kept.id)).content == redact(f"{UNNAMED} {NAMED}").text
    assert me.stub.requests == []


def test_a_mask_passes_the_gate_as_it_is() -> None:
    for text in (UNNAMED, NAMED, f"pin: '12345678' and password = '{WORDS[:8]}'"):
        looked = look_at(text)
        spans = spans_of(looked, looked.doubtful)
        assert [without_doubt(span.around) for span in spans] == [span.around for span in spans]
        assert len(looked.masked()) == len(text)


def test_without_what_is_doubtful_two_judgments_of_a_text_are_the_same() -> None:
    for text in (UNNAMED, NAMED, f"{UNNAMED} {NAMED} {TOKEN}"):
        looked = look_at(text)
        every = [dict.fromkeys(looked.doubtful, said) for said in (True, False)]
        assert {without_doubt(looked.redacted(said).text) for said in every} == {
            without_doubt(text)
        }
