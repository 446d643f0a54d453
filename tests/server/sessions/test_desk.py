"""Each event is noted once, whichever way it comes, and none is lost to a failure."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import rows

from hitherto_server.core.errors import StoreBusy, StoreFull

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hitherto_server.services import Services
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.spool_reader import Spool

    from .conftest import Client

PLAN = {
    "tool_name": "ExitPlanMode",
    "tool_response": {"plan": "# Plan\nMove the cache.", "filePath": "/x/plans/a-b-c.md"},
}


@pytest.fixture
def failing_writes(services: Services, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make the next writes fail, as a full disk would."""
    real = services.store.writer.run
    left = [0]

    async def run(job: Any, *, durable: bool = True) -> Any:
        if left[0] > 0:
            left[0] -= 1
            raise StoreFull("no space")
        return await real(job, durable=durable)

    monkeypatch.setattr(services.store.writer, "run", run)

    def fail(times: int) -> None:
        left[0] = times

    return fail


async def names(client: Client) -> list[str]:
    return [event["name"] for event in await client.events()]


async def test_settings_and_plugin_together_report_an_event_once(client: Client) -> None:
    call = client.call("PostToolUse", tool_use_id="t")
    await asyncio.gather(*(client.services.sessions.take(call) for _ in range(2)))
    assert await names(client) == ["PostToolUse"]


async def test_what_happens_again_later_is_noted_again(client: Client) -> None:
    for _ in range(2):
        await client.says("PostToolUse", tool_use_id="t")
    assert len(await client.events()) == 2


async def test_repeats_do_not_make_the_time_longer_in_which_they_are_one(client: Client) -> None:
    for _ in range(5):
        client.clock.pass_ms(6_000)
        await client.services.sessions.take(client.call("SessionEnd"))
    assert len(await client.events()) == 3  # at 0, 12 and 24 seconds


async def test_an_event_that_could_not_be_noted_is_taken_when_it_comes_again(
    client: Client, failing_writes: Callable[[int], None]
) -> None:
    await client.says("Stop")  # the project is known from here on
    failing_writes(1)
    call = client.call("PostToolUse", tool_use_id="t")
    with pytest.raises(StoreFull):
        await client.services.sessions.take(call)
    await client.services.sessions.take(call)
    assert await names(client) == ["Stop", "PostToolUse"]


async def test_a_copy_is_not_acknowledged_before_the_first_is_noted(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the spool forgets its copy then, and a kill would take the first with it
    desk, released = client.services.sessions, asyncio.Event()
    real = desk._take

    async def slow(call: HookCall) -> Any:
        await released.wait()
        return await real(call)

    monkeypatch.setattr(desk, "_take", slow)
    call = client.call("PostToolUse", tool_use_id="t")
    first = asyncio.create_task(desk.take(call))
    await asyncio.sleep(0)
    copy = asyncio.create_task(desk.take(replace(call, spooled=True)))
    await asyncio.wait({copy}, timeout=0.1)
    assert not copy.done()
    released.set()
    await asyncio.gather(first, copy)
    assert await names(client) == ["PostToolUse"]


async def test_a_copy_takes_the_place_of_a_first_that_failed(
    client: Client, failing_writes: Callable[[int], None]
) -> None:
    await client.says("Stop")  # the project is known from here on
    failing_writes(1)
    call = client.call("PostToolUse", tool_use_id="t")
    copies = (client.services.sessions.take(call) for _ in range(3))
    outcomes = await asyncio.gather(*copies, return_exceptions=True)
    assert sum(isinstance(one, StoreFull) for one in outcomes) == 1
    assert await names(client) == ["Stop", "PostToolUse"]


async def test_only_what_was_spooled_waits_for_the_disk(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = client.services.store.writer
    real, waits = writer.run, []

    async def run(job: Any, *, durable: bool = True) -> Any:
        waits.append(durable)
        return await real(job, durable=durable)

    await client.says("Stop")  # the project is known from here on
    monkeypatch.setattr(writer, "run", run)
    await client.says("PostToolUse", tool_use_id="t")
    assert waits == [False]
    client.services.sessions.spool.events.write_bytes(client.spool("SessionEnd"))
    await client.services.sessions.drain()
    assert waits == [False, True]


async def test_a_spool_is_drained_in_order_and_is_gone(client: Client) -> None:
    client.services.sessions.spool.events.write_bytes(
        b"".join(client.spool(name) for name in ("SessionStart", "PostToolUse", "SessionEnd"))
    )
    assert await client.services.sessions.drain() == 3
    assert await names(client) == ["SessionStart", "PostToolUse", "SessionEnd"]
    assert list(client.services.home.spool.iterdir()) == []
    assert [event["spooled"] for event in await client.events()] == [1, 1, 1]


async def test_two_that_drain_at_once_take_each_line_once(client: Client) -> None:
    client.services.sessions.spool.events.write_bytes(
        b"".join(client.spool(name) for name in ("SessionStart", "PostToolUse", "SessionEnd"))
    )
    taken = await asyncio.gather(*(client.services.sessions.drain() for _ in range(2)))
    assert sorted(taken) == [0, 3]


async def test_an_event_that_came_directly_and_by_the_spool_is_one(client: Client) -> None:
    call = client.call("Stop")
    await client.services.sessions.take(call)
    client.services.sessions._recent.clear()  # as after a restart
    body = {"cwd": str(client.project)}
    client.services.sessions.spool.events.write_bytes(client.spool("Stop", **body))
    await client.services.sessions.drain()
    assert len(await client.events()) == 1


async def test_an_event_that_comes_late_by_the_spool_does_not_reopen_an_ended_session(
    client: Client,
) -> None:
    earlier_ms = client.clock()
    await client.says("SessionEnd", reason="exit")
    ended_ms = client.clock()
    client.services.sessions.spool.events.write_bytes(client.spool("Stop", at_ms=earlier_ms))
    await client.services.sessions.drain()
    assert await names(client) == ["SessionEnd", "Stop"]
    query = "SELECT ended_at_ms, end_reason, seen_at_ms FROM session"
    database = client.services.home.database
    assert rows(database, query) == [(ended_ms, "exit", ended_ms)]
    await client.says("SessionStart", source="resume")
    assert rows(database, query) == [(None, None, client.clock())]


@pytest.mark.parametrize("spooled", [False, True])
async def test_an_event_of_a_folder_whose_git_is_slow_is_noted_without_a_project(
    client: Client, monkeypatch: pytest.MonkeyPatch, spooled: bool
) -> None:
    with monkeypatch.context() as slow:
        slow.setattr("hitherto_server.core.git.TIMEOUT_S", 1e-6)
        if spooled:
            client.services.sessions.spool.events.write_bytes(client.spool("Stop"))
            await client.services.sessions.drain()
        else:
            await client.says("Stop")
    database = client.services.home.database
    assert rows(database, "SELECT project_id FROM session") == [(None,)]
    await client.says("PostToolUse")
    assert await names(client) == ["Stop", "PostToolUse"]
    assert rows(database, "SELECT project_id FROM session") == [(1,)]


@pytest.mark.parametrize(
    "bad",
    [
        b"torn\n",
        b"Stop\t1\t/a\tno json\n",
        b"Stop\t1\t/a\t{}\n",
        b"Stop\t" + b"9" * 30 + b'\t/a\t{"session_id": "s"}\n',
        b'Stop\t1\t%00\t{"session_id": "\\u0000"}\n',
        b"\xff" * 50 + b"\n",
    ],
)
async def test_a_line_that_cannot_be_read_is_kept_aside_and_holds_up_no_other(
    client: Client, bad: bytes
) -> None:
    spool = client.services.sessions.spool
    spool.events.write_bytes(client.spool("A") + bad + client.spool("B"))
    await client.services.sessions.drain()
    assert await names(client) == ["A", "B"]
    assert spool.unreadable.read_bytes() == bad


async def test_a_folder_in_a_circle_of_links_holds_up_no_other(client: Client) -> None:
    loop = client.project / "loop"
    loop.symlink_to(loop)
    spool = client.services.sessions.spool
    line = f'Stop\t1\t{loop}\t{{"session_id": "s"}}\n'.encode()
    spool.events.write_bytes(line + client.spool("B"))
    await client.services.sessions.drain()
    assert await names(client) == ["B"]
    assert spool.unreadable.read_bytes() == line


async def test_a_store_that_fails_in_the_midst_of_a_spool_loses_nothing(
    client: Client, failing_writes: Callable[[int], None]
) -> None:
    await client.says("Stop")
    spool = client.services.sessions.spool
    lines = [client.spool(f"E{number}") for number in range(6)]
    spool.events.write_bytes(b"".join(lines[:3]))
    await client.services.sessions.drain()
    spool.events.write_bytes(b"".join(lines[3:]))
    failing_writes(1)
    with pytest.raises(StoreFull):
        await client.services.sessions.drain()
    assert spool.is_waiting()
    await client.services.sessions.drain()
    assert await names(client) == ["Stop", *(f"E{number}" for number in range(6))]
    assert not spool.is_waiting()


async def test_draining_goes_on_after_a_failure(
    client: Client, failing_writes: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hitherto_server.sessions.desk.DRAIN_EVERY_S", 0.01)
    client.services.sessions.spool.events.write_bytes(client.spool("Stop"))
    failing_writes(3)
    client.services.sessions.start()
    async with asyncio.timeout(10):
        while client.services.sessions.spool.is_waiting():
            await asyncio.sleep(0.01)
    assert await names(client) == ["Stop"]


async def test_draining_goes_on_after_a_bug(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = client.services.sessions.spool
    real, met = type(spool).take, [0]

    def take(spool: Spool) -> Path | None:
        met[0] += 1
        if met[0] == 1:
            raise ValueError("a bug")
        return real(spool)

    monkeypatch.setattr("hitherto_server.sessions.desk.DRAIN_EVERY_S", 0.01)
    monkeypatch.setattr(type(spool), "take", take)
    spool.events.write_bytes(client.spool("Stop"))
    client.services.sessions.start()
    async with asyncio.timeout(30):
        while spool.is_waiting():
            await asyncio.sleep(0.01)
    assert await names(client) == ["Stop"]


async def test_an_approved_plan_is_stored_once(client: Client) -> None:
    for _ in range(2):
        await client.says("PostToolUse", **PLAN)
    assert client.memories("plan") == ["# Plan\nMove the cache."]


async def test_a_plan_is_stored_though_the_server_was_killed_right_after_it_noted_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(*_: object) -> None:
        raise StoreBusy("the process ends here")

    call = client.call("PostToolUse", **PLAN)
    with monkeypatch.context() as ending:
        ending.setattr(client.services.sessions.__class__, "_note", killed)
        with pytest.raises(StoreBusy):
            await client.services.sessions.take(call)
    assert len(client.memories("plan")) == 1, "before the event, or nothing would bring it back"
    await client.services.sessions.take(call)
    assert len(client.memories("plan")) == 1
    assert await names(client) == ["PostToolUse"]


async def test_a_plan_that_could_not_be_stored_comes_again(
    client: Client, failing_writes: Callable[[int], None]
) -> None:
    await client.says("Stop")
    call = client.call("PostToolUse", **PLAN)
    failing_writes(1)
    with pytest.raises(StoreFull):
        await client.services.sessions.take(call)
    assert await names(client) == ["Stop"], "the hook is not answered, so it spools the event"
    await client.services.sessions.take(call)
    assert len(client.memories("plan")) == 1


async def test_a_plan_of_any_length_is_stored_and_says_that_it_was_cut(client: Client) -> None:
    long = {"tool_name": "ExitPlanMode", "tool_response": {"plan": "word " * 10_000}}
    await client.says("PostToolUse", **long)
    query = "SELECT length(content), tags, source FROM memory"
    assert rows(client.services.home.database, query) == [(19_999, '["plan", "cut"]', "plan")]


@pytest.mark.parametrize(
    "response", [None, "text", {}, {"plan": None}, {"plan": ""}, {"plan": "  "}, {"plan": ["a"]}]
)
async def test_what_is_no_plan_is_noted_and_not_stored(client: Client, response: object) -> None:
    await client.says("PostToolUse", tool_name="ExitPlanMode", tool_response=response)
    assert client.memories("plan") == []
    assert await names(client) == ["PostToolUse"]
