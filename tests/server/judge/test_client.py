"""The judge over the real wire: what comes back, and what is said when nothing does."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from tests.canaries import Canaries
from tests.server.judge.conftest import ANSWERS, HOOK, QUESTIONS, STATE, WORK, judging, surface
from tests.system_one_stub import (
    BROKEN,
    BUSY,
    DRIPPING,
    GARBAGE,
    HANGING,
    Fault,
    SystemOneStub,
    use_stub,
)
from tests.wiring import rows

from hitherto_server.judge.answers import Answers, Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.configuration import SurfaceChoice
from hitherto_server.judge.questions import AskChoice, AskNoul

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server.judge.conftest import Bench

NEVER_CACHED = Asking(origin="hook", uses_cache=False)


async def reason_of(bench: Bench, asking: Asking = HOOK, **changes: Any) -> str:
    """Ask and return why there is no answer."""
    got = await bench.judge.ask(surface(**changes), STATE, QUESTIONS, asking)
    assert isinstance(got, Unavailable), got
    return got.reason


async def test_the_three_kinds_of_question_are_answered_in_one_request(bench: Bench) -> None:
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert got.noul("same") == 0.9
    kind, worth = got.choice("kind"), got.score("worth")
    assert kind is not None
    assert worth is not None
    assert kind.choice == "fact"
    assert kind.confidence == pytest.approx(0.4)
    assert worth.score == pytest.approx(1.6)
    assert (got.model, got.calibrated, got.cached) == ("jev-1.13.0", True, False)
    assert got.input_tokens is not None
    assert len(bench.stub.asked) == 1
    assert bench.stub.asked[0].state == STATE


async def test_nothing_is_asked_or_logged_where_nothing_is_configured(
    tmp_path: Path, stub: SystemOneStub
) -> None:
    async with judging(tmp_path, stub) as bench:
        assert await reason_of(bench) == "no_backend"
        assert not bench.judge.is_on(surface())
        await bench.judge.flush()
        assert rows(bench.database, "SELECT count(*) FROM judgment_log") == [(0,)]
    assert stub.requests == []


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (BROKEN, "http"),
        (GARBAGE, "invalid"),
        (Fault(200, b'{"model": "m"}'), "invalid"),
        (Fault(200, b"[" * 100_000), "invalid"),
        (Fault(200, b"x" * (5 * 1024 * 1024)), "invalid"),
        (Fault(drops=True), "http"),
        (BUSY, "not_before"),
        (Fault(401), "http"),
        (Fault(307, headers={"Location": "http://127.0.0.1:9/"}), "http"),
        (Fault(413), "budget"),
        (Fault(200, headers={"Content-Encoding": "gzip"}), "invalid"),
    ],
)
async def test_a_backend_that_fails_is_a_reason_and_no_exception(
    bench: Bench, fault: Fault, reason: str
) -> None:
    bench.stub.fault = fault
    assert await reason_of(bench) == reason


@pytest.mark.parametrize("fault", [HANGING, DRIPPING, Fault(delay_s=30)])
async def test_the_deadline_is_of_the_whole_and_not_of_each_read(
    bench: Bench, fault: Fault
) -> None:
    bench.stub.fault = fault
    began = time.monotonic()
    assert await reason_of(bench, timeout_s=0.4) == "timeout"
    assert time.monotonic() - began < 3


async def test_the_callers_deadline_bounds_the_surfaces_timeout(bench: Bench) -> None:
    bench.stub.fault = HANGING
    began = time.monotonic()
    asking = Asking(origin="hook", deadline_s=0.2)
    assert await reason_of(bench, asking, timeout_s=60.0) == "timeout"
    assert time.monotonic() - began < 5


async def test_nobody_listening_is_a_reason(bench: Bench) -> None:
    bench.stub.__exit__()
    assert await reason_of(bench) == "http"


async def test_without_time_nothing_is_asked(bench: Bench) -> None:
    assert await reason_of(bench, Asking(origin="hook", deadline_s=0.0)) == "budget"
    assert bench.stub.requests == []


async def test_one_invalid_answer_leaves_its_neighbours_standing(bench: Bench) -> None:
    bench.stub.answers = {**ANSWERS, "same": 1.7}
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    same = got.by_key["same"]
    assert isinstance(same, Unavailable)
    assert same.reason == "invalid"
    assert got.noul("same") is None
    assert got.choice("kind") is not None


@pytest.mark.parametrize(
    ("questions", "reason"),
    [
        ({}, "invalid"),
        ({"q": AskNoul("  ")}, "invalid"),
        ({"q": AskChoice("Which?", {"only": "one"})}, "invalid"),
        ({"q": AskChoice("Which?", {str(n): "x" for n in range(256)})}, "budget"),
    ],
)
async def test_what_cannot_be_asked_is_not_sent(
    bench: Bench, questions: dict[str, Any], reason: str
) -> None:
    got = await bench.judge.ask(surface(), STATE, questions, HOOK)
    assert isinstance(got, Unavailable)
    assert got.reason == reason
    assert bench.stub.requests == []


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ({"text": "word " * 60_000}, "budget"),
        ({"text": "word " * 200_000}, "budget"),
        ({"text": float("nan")}, "invalid"),
        ({"text": "\ud800"}, "invalid"),
        ({"text": object()}, "invalid"),
    ],
)
async def test_a_state_that_cannot_be_sent_is_not_sent(
    bench: Bench, state: Any, reason: str
) -> None:
    got = await bench.judge.ask(surface(), state, QUESTIONS, HOOK)
    assert isinstance(got, Unavailable)
    assert got.reason == reason
    assert bench.stub.requests == []


async def test_an_ask_can_be_cancelled_and_the_next_one_is_answered(bench: Bench) -> None:
    bench.stub.next_faults.append(HANGING)
    task = asyncio.create_task(bench.judge.ask(surface(), STATE, QUESTIONS, HOOK))
    await _asked(bench, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK), Answers)


async def test_switching_off_breaks_off_what_runs(bench: Bench) -> None:
    from dataclasses import replace

    bench.stub.fault = HANGING
    task = asyncio.create_task(bench.judge.ask(surface(timeout_s=60.0), STATE, QUESTIONS, HOOK))
    await _asked(bench, 1)
    await bench.judge.change(lambda config: replace(config, on=False))
    got = await asyncio.wait_for(task, 20)
    assert isinstance(got, Unavailable)
    assert got.reason == "cancelled"


async def test_what_is_switched_off_meanwhile_is_not_tried_again(bench: Bench) -> None:
    from dataclasses import replace

    off = {"likeness": SurfaceChoice(on=False)}
    bench.stub.next_faults.append(Fault(429, headers={"retry-after-ms": "1500"}))
    task = asyncio.create_task(bench.judge.ask(surface(), STATE, QUESTIONS, WORK))
    await _asked(bench, 1)
    await bench.judge.change(lambda config: replace(config, surfaces=off))
    got = await asyncio.wait_for(task, 20)
    assert isinstance(got, Unavailable)
    assert got.reason == "cancelled"
    assert len(bench.stub.asked) == 1


async def test_background_work_tries_once_more_and_a_hook_does_not(bench: Bench) -> None:
    bench.stub.next_faults.append(BROKEN)
    assert await reason_of(bench, NEVER_CACHED) == "http"
    assert len(bench.stub.asked) == 1
    bench.stub.next_faults.append(BROKEN)
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, WORK)
    assert isinstance(got, Answers)
    assert len(bench.stub.asked) == 3


async def test_no_second_try_is_made_without_the_time_for_it(bench: Bench) -> None:
    bench.stub.next_faults.append(BROKEN)
    assert await reason_of(bench, WORK, timeout_s=0.4) == "http"
    assert len(bench.stub.asked) == 1


async def test_a_short_patience_is_waited_for_in_background_work(bench: Bench) -> None:
    bench.stub.next_faults.append(Fault(429, headers={"retry-after-ms": "700"}))
    began = time.monotonic()
    assert isinstance(await bench.judge.ask(surface(), STATE, QUESTIONS, WORK), Answers)
    assert time.monotonic() - began >= 0.7


async def test_the_same_question_about_the_same_state_is_asked_once(bench: Bench) -> None:
    first = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    await bench.judge.flush()
    second = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(first, Answers)
    assert isinstance(second, Answers)
    assert (second.cached, second.by_key, second.cost_usd) == (True, first.by_key, 0.0)
    assert len(bench.stub.asked) == 1
    await bench.judge.ask(surface(), {**STATE, "a": "The port is 9090."}, QUESTIONS, HOOK)
    await bench.judge.ask(surface(), STATE, QUESTIONS, NEVER_CACHED)
    assert len(bench.stub.asked) == 3


async def test_what_an_alias_answered_serves_for_a_day_and_a_pinned_model_for_longer(
    bench: Bench,
) -> None:
    day_ms = 24 * 3600 * 1000
    await bench.use(model="jev-latest")
    await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    await bench.judge.flush()
    bench.clock.pass_ms(day_ms - 1)
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert (got.cached, got.model) == (True, "jev-1.13.0")
    bench.clock.pass_ms(1)
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert not got.cached
    await bench.use(model="jev-1.13.0")
    await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    await bench.judge.flush()
    bench.clock.pass_ms(20 * day_ms)
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert got.cached


async def test_an_answer_that_is_partly_invalid_is_not_kept(bench: Bench) -> None:
    bench.stub.answers = {**ANSWERS, "same": 1.7}
    await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    await bench.judge.flush()
    bench.stub.answers = dict(ANSWERS)
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert got.noul("same") == 0.9


async def test_each_judgment_is_logged_with_whom_it_was_for_and_what_came_of_it(
    bench: Bench,
) -> None:
    asking = Asking(origin="tool", session_id="s-7", riders=("historical-query",))
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, asking)
    assert isinstance(got, Answers)
    await bench.judge.note_outcome(got.log_id, {"did": "kept both"})
    bench.stub.fault = BROKEN
    lost = await bench.judge.ask(surface(), "another state", QUESTIONS, HOOK)
    await bench.judge.flush()
    found = rows(
        bench.database,
        "SELECT id, surface, riders, origin, session_id, model, answers, outcome, preview,"
        " unavailable_reason FROM judgment_log ORDER BY id",
    )
    number, *told = found[0]
    assert number == got.log_id
    assert told[:5] == ["likeness", '["historical-query"]', "tool", "s-7", "jev-1.13.0"]
    assert json.loads(told[5])["same"] == {"noul": 0.9}
    assert json.loads(told[6]) == {"did": "kept both"}
    assert told[7].startswith('{"a": "The port is 8080."')
    assert (found[1][0], found[1][-1]) == (lost.log_id, "http")


async def test_a_preview_is_short_and_withheld_where_the_text_is_not_to_be_shown(
    bench: Bench,
) -> None:
    await bench.judge.ask(surface(), {"text": "word " * 1000}, QUESTIONS, HOOK)
    await bench.judge.ask(surface(shows_text=False), STATE, QUESTIONS, HOOK)
    await bench.judge.flush()
    shown = rows(bench.database, "SELECT preview FROM judgment_log ORDER BY id")
    assert len(shown[0][0]) == 500
    assert shown[1] == (None,)


async def test_what_is_asked_while_something_is_erased_leaves_no_preview(bench: Bench) -> None:
    bench.stub.fault = Fault(delay_s=1.0)

    def ask(text: str) -> asyncio.Task[Answers | Unavailable]:
        state = {"a": text}
        return asyncio.create_task(bench.judge.ask(surface(), state, QUESTIONS, NEVER_CACHED))

    before = ask("before")
    await _asked(bench, 1)
    async with bench.judge.forgetting():
        during, shorter = ask("during"), ask("shorter")
        await _asked(bench, 3)
        shorter.cancel()
    await asyncio.gather(before, during, shorter, return_exceptions=True)
    await ask("after")
    await bench.judge.flush()
    shown = rows(bench.database, "SELECT preview FROM judgment_log WHERE preview IS NOT NULL")
    assert [json.loads(preview) for (preview,) in shown] == [{"a": "after"}]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "socks5://me:word@127.0.0.1:9"),
        ("HTTPS_PROXY", "what://me:word@127.0.0.1:9"),
        ("SSL_CERT_FILE", "/nowhere/word.pem"),
    ],
)
async def test_an_environment_that_no_client_can_use_is_a_reason_and_no_exception(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    value: str,
) -> None:
    monkeypatch.setenv(name, value)
    await bench.use(base_url="https://judge.example.invalid")
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Unavailable)
    assert got.reason == "http"
    assert "environment" in got.detail
    assert "word" not in got.detail + caplog.text
    await bench.use()
    assert isinstance(await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK), Answers)


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
async def test_a_judge_on_this_machine_is_asked_without_the_environments_proxy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with SystemOneStub() as proxy:
        monkeypatch.setenv(name, proxy.url)
        await bench.judge.switches.give_key("sk-of-the-judge")
        assert isinstance(await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK), Answers)
        assert proxy.requests == []


async def test_a_proxy_of_the_environment_sees_neither_key_nor_text_of_a_judge_elsewhere(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening() as (port, heard):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        await bench.use(base_url="https://judge.example.invalid")
        await bench.judge.switches.give_key("sk-of-the-judge")
        assert await reason_of(bench) == "http"
    assert heard
    assert heard[0].startswith(b"CONNECT judge.example.invalid:443 ")
    assert not any(b"sk-of-the-judge" in one or b"8080" in one for one in heard)


@contextmanager
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """Take what is sent to a port of this machine, and close each connection then."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hear() -> None:
            with suppress(OSError):
                while True:
                    with server.accept()[0] as connection:
                        heard.append(connection.recv(65536))

        thread = threading.Thread(target=hear, daemon=True)
        thread.start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)
        thread.join(20)


async def test_secrets_reach_neither_the_backend_nor_the_log(bench: Bench) -> None:
    secret = Canaries().token("state, key, preview and option")
    state = {"text": [f"Use {secret} to push."], f"at {secret}": {"deep": f"token={secret}"}}
    asking = Asking(origin="tool", preview=f"pushing with {secret}")
    questions = {"q": AskChoice("Which?", {"a": f"It names {secret}.", "none": "None."})}
    got = await bench.judge.ask(surface(), state, questions, asking)
    assert isinstance(got, Answers)
    named = {"q": AskChoice("Which?", {secret: "It.", "none": "None."})}
    refused = await bench.judge.ask(surface(), STATE, named, HOOK)
    assert isinstance(refused, Unavailable)
    await bench.judge.flush()
    sent = b"".join(one.raw for one in bench.stub.requests)
    assert b"[redacted:" in sent
    assert secret.encode() not in sent
    kept = str(rows(bench.database, "SELECT * FROM judgment_log"))
    assert "[redacted:" in kept
    assert secret not in kept


async def test_a_model_of_a_local_profile_chooses_between_letters_in_both_orders(
    bench: Bench,
) -> None:
    """Its yes and no follow their labels: whoever likes A must not win by that."""
    bench.stub.answers = lambda _, __, question: (
        {"A": 0.9, "B": 0.1} if question["type"] == "choice" else None
    )
    await use_stub(bench.judge, bench.stub, "laya")
    got = await bench.judge.ask(surface(), STATE, {"same": AskNoul("Same?")}, HOOK)
    assert isinstance(got, Answers)
    assert got.noul("same") == pytest.approx(0.5)
    assert {one["type"] for one in bench.stub.asked[0].questions.values()} == {"choice"}


async def test_what_was_sent_costs_what_the_profile_says(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await use_stub(bench.judge, bench.stub, "llama.cpp")
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert got.cost_usd == 0
    await use_stub(bench.judge, bench.stub, "custom")
    got = await bench.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Answers)
    assert got.cost_usd is None


async def _asked(bench: Bench, times: int) -> None:
    deadline = time.monotonic() + 20
    while len(bench.stub.asked) < times:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)
