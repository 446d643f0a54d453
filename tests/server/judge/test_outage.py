"""What an outage costs: one timeout, then nobody waits until the window ends."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest
from tests.server.judge.conftest import QUESTIONS, STATE, Seconds, judging, surface
from tests.system_one_stub import BROKEN, HANGING, Fault, SystemOneStub
from tests.wiring import NOW_MS

from hitherto_server.judge.answers import Answers, Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.breaker import FIRST_WINDOW_S, LONGEST_WINDOW_S, Breaker
from hitherto_server.judge.patience import LONGEST_WAIT_S, UNSAID_WAIT_S, wait_asked_for

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.server.judge.conftest import Bench

HOOK = Asking(origin="hook", uses_cache=False)
WORK = Asking(origin="maintenance", uses_cache=False)


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
async def timed(tmp_path: Path, stub: SystemOneStub, seconds: Seconds) -> AsyncIterator[Bench]:
    """Return a judge whose windows end when the test says so."""
    async with judging(tmp_path, stub, seconds) as made:
        await made.use()
        yield made


async def reason_of(bench: Bench, asking: Asking = HOOK, timeout_s: float = 5.0) -> str:
    got = await bench.judge.ask(surface(timeout_s=timeout_s), STATE, QUESTIONS, asking)
    return got.reason if isinstance(got, Unavailable) else "answered"


async def test_after_one_timeout_nobody_waits_until_the_window_ends(
    timed: Bench, seconds: Seconds
) -> None:
    timed.stub.fault = HANGING
    assert await reason_of(timed, timeout_s=0.2) == "timeout"
    assert [await reason_of(timed) for _ in range(20)] == ["breaker_open"] * 20
    seconds.now += FIRST_WINDOW_S - 0.1
    assert await reason_of(timed) == "breaker_open"
    assert len(timed.stub.asked) == 1


async def test_when_the_window_ends_one_tries_and_the_others_do_not_wait_for_it(
    timed: Bench, seconds: Seconds
) -> None:
    timed.stub.fault = HANGING
    assert await reason_of(timed, timeout_s=0.2) == "timeout"
    seconds.now += FIRST_WINDOW_S
    got = await asyncio.gather(*(reason_of(timed, timeout_s=0.3) for _ in range(5)))
    assert sorted(got) == ["breaker_open"] * 4 + ["timeout"]
    seconds.now += FIRST_WINDOW_S
    assert await reason_of(timed) == "breaker_open"  # a trial that fails doubles the window
    timed.stub.fault = None
    seconds.now += FIRST_WINDOW_S
    assert [await reason_of(timed) for _ in range(3)] == ["answered"] * 3


async def test_failures_that_cost_no_time_open_it_at_the_third_in_a_row(timed: Bench) -> None:
    timed.stub.next_faults.extend([BROKEN, BROKEN])
    assert [await reason_of(timed) for _ in range(3)] == ["http", "http", "answered"]
    timed.stub.fault = BROKEN
    assert [await reason_of(timed) for _ in range(4)] == ["http"] * 3 + ["breaker_open"]


async def test_what_is_too_slow_for_a_hook_may_still_do_for_background_work(timed: Bench) -> None:
    timed.stub.delay_s = 0.5
    assert await reason_of(timed, HOOK, timeout_s=0.1) == "timeout"
    assert await reason_of(timed, HOOK, timeout_s=0.1) == "breaker_open"
    assert await reason_of(timed, WORK, timeout_s=20) == "answered"


async def test_a_trial_that_is_cancelled_gives_its_turn_back(
    timed: Bench, seconds: Seconds
) -> None:
    timed.stub.fault = HANGING
    assert await reason_of(timed, timeout_s=0.2) == "timeout"
    seconds.now += FIRST_WINDOW_S
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reason_of(timed), 0.2)
    timed.stub.fault = None
    assert await reason_of(timed) == "answered"


async def test_a_request_that_is_refused_says_nothing_about_the_backend(timed: Bench) -> None:
    timed.stub.fault = Fault(422)
    assert [await reason_of(timed) for _ in range(5)] == ["http"] * 5
    timed.stub.fault = None
    assert await reason_of(timed) == "answered"


async def test_patience_that_is_asked_for_is_had_by_every_caller(
    timed: Bench, seconds: Seconds
) -> None:
    timed.stub.next_faults.append(Fault(429, headers={"Retry-After": "40"}))
    assert [await reason_of(timed, one) for one in (HOOK, HOOK, WORK)] == ["not_before"] * 3
    assert len(timed.stub.asked) == 1
    seconds.now += 40
    assert await reason_of(timed) == "answered"


async def test_another_backend_does_not_pay_for_the_first_ones_failures(timed: Bench) -> None:
    timed.stub.fault = HANGING
    assert await reason_of(timed, timeout_s=0.2) == "timeout"
    timed.stub.fault = None
    await timed.use(model="jev-preview")
    assert await reason_of(timed) == "answered"


def test_each_trial_that_fails_doubles_the_window_up_to_a_bound() -> None:
    seconds = Seconds()
    breaker = Breaker(seconds)
    breaker.fail(timed_out=True)
    windows = []
    for _ in range(6):
        windows.append(breaker.window_s)
        seconds.now += breaker.window_s
        assert breaker.admits()
        assert not breaker.admits()
        breaker.fail(timed_out=True)
    assert windows == [30, 60, 120, 240, LONGEST_WINDOW_S, LONGEST_WINDOW_S]
    seconds.now += LONGEST_WINDOW_S
    assert breaker.admits()
    breaker.succeed()
    assert (breaker.state, breaker.window_s) == ("closed", FIRST_WINDOW_S)


@pytest.mark.parametrize(
    ("status", "headers", "wait_s"),
    [
        (429, {"retry-after": "7"}, 7),
        (429, {"retry-after": "7", "retry-after-ms": "1500"}, 1.5),
        (429, {"retry-after": formatdate(NOW_MS / 1000 + 90, usegmt=True)}, 90),
        (429, {"retry-after": formatdate(NOW_MS / 1000 - 90, usegmt=True)}, 0),
        (429, {"retry-after": "-5"}, 0),
        (429, {"retry-after": "99999999"}, LONGEST_WAIT_S),
        (429, {"retry-after": "nan"}, UNSAID_WAIT_S),
        (429, {"retry-after": "soon"}, UNSAID_WAIT_S),
        (429, {}, UNSAID_WAIT_S),
        (529, {}, UNSAID_WAIT_S),
        (503, {"retry-after": "3"}, 3),
        (503, {}, None),
        (500, {"retry-after": "3"}, None),
    ],
)
def test_how_long_a_reply_asks_to_wait(
    status: int, headers: dict[str, str], wait_s: float | None
) -> None:
    told = wait_asked_for(status, headers, NOW_MS)
    assert told == (None if wait_s is None else pytest.approx(wait_s, abs=1))


async def test_a_judge_that_answers_is_no_outage(timed: Bench) -> None:
    got = await timed.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
