"""Which task a subagent has: told for certain, or not at all."""

from __future__ import annotations

import asyncio

import pytest

from hitherto_server.sessions.dispatches import (
    KEPT_MS,
    MOST_OPEN,
    MOST_SESSIONS,
    Dispatch,
    Dispatches,
    Start,
)

SOON_S = 0.02
LONG_S = 20.0


def dispatch(n: int = 1, agent_type: str = "Explore", at_ms: int | None = None) -> Dispatch:
    return Dispatch(f"toolu_{n}", agent_type, "p1", f"task {n}", n if at_ms is None else at_ms)


def start(
    agent_id: str = "a1", agent_type: str = "Explore", *, prompt: str = "p1", at_ms: int = 100
) -> Start:
    return Start(agent_id, agent_type, prompt, at_ms)


@pytest.fixture
def desk() -> Dispatches:
    return Dispatches()


async def task(desk: Dispatches, begun: Start, wait_s: float = 0.0) -> str | None:
    found = await desk.take("s", begun, wait_s)
    return found.task if found else None


async def test_the_only_open_dispatch_of_the_type_is_the_one(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    desk.note("s", dispatch(2, "Plan"))
    assert await task(desk, start("a2", "Plan")) == "task 2"
    assert await task(desk, start("a1")) == "task 1"
    assert await task(desk, start("a3")) is None


@pytest.mark.parametrize(
    "begun",
    [
        start(agent_type="Plan"),
        start(prompt="p2"),
        start(at_ms=KEPT_MS + 100),
    ],
    ids=["another type", "another prompt", "too long ago"],
)
async def test_what_cannot_have_been_meant_is_not_taken(desk: Dispatches, begun: Start) -> None:
    desk.note("s", dispatch(1))
    assert await task(desk, begun) is None
    assert await desk.take("other", start(), 0) is None


async def test_a_client_that_names_no_prompt_is_matched_by_the_type(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    assert await task(desk, start(prompt="")) == "task 1"


async def test_a_dispatch_that_is_told_twice_counts_once(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    desk.note("s", dispatch(1))
    assert await task(desk, start("a1")) == "task 1"
    assert await task(desk, start("a2")) is None


async def test_of_equal_tasks_the_oldest_is_taken(desk: Dispatches) -> None:
    first = Dispatch("toolu_1", "Explore", "p1", "the same", 1)
    desk.note("s", Dispatch("toolu_2", "Explore", "p1", "the same", 2))
    desk.note("s", first)
    assert await desk.take("s", start("a1"), 0) == first
    assert await task(desk, start("a2")) == "the same"


async def test_different_tasks_that_cannot_be_told_apart_are_nobodys(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    desk.note("s", dispatch(2))
    assert await task(desk, start("a1"), SOON_S) is None
    assert await task(desk, start("a2"), SOON_S) is None
    # both have begun now, whichever was whose: the next dispatch is clear again
    desk.note("s", dispatch(3))
    assert await task(desk, start("a3")) == "task 3"


async def test_a_link_that_came_first_decides(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    desk.note("s", dispatch(2))
    desk.link("s", "a2", "toolu_2")
    # the other one is known by that, too
    assert await task(desk, start("a1")) == "task 1"
    assert await task(desk, start("a2")) == "task 2"


async def test_a_link_that_comes_a_moment_later_is_waited_for(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    desk.note("s", dispatch(2))
    one = asyncio.create_task(task(desk, start("a1"), LONG_S))
    other = asyncio.create_task(task(desk, start("a2"), LONG_S))
    await asyncio.sleep(0)
    desk.link("s", "a1", "toolu_2")
    assert [await one, await other] == ["task 2", "task 1"]


async def test_a_link_that_comes_too_late_still_clears_what_is_open(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    desk.note("s", dispatch(2))
    assert await task(desk, start("a1")) is None
    desk.link("s", "a1", "toolu_1")
    assert await task(desk, start("a2")) == "task 2"


async def test_a_subagent_that_begins_again_takes_nobody_elses_task(desk: Dispatches) -> None:
    desk.note("s", dispatch(1))
    assert await task(desk, start("a1")) == "task 1"
    desk.link("s", "a1", "toolu_1")
    desk.note("s", dispatch(2))
    assert await task(desk, start("a1")) is None
    assert await task(desk, start("a2")) == "task 2"


async def test_what_is_remembered_is_bounded(desk: Dispatches) -> None:
    for n in range(3 * MOST_OPEN):
        desk.note("s", dispatch(n, agent_type=f"type {n}"))
    assert await task(desk, start(agent_type="type 1")) is None
    assert await task(desk, start(agent_type=f"type {2 * MOST_OPEN}")) == f"task {2 * MOST_OPEN}"
    for n in range(MOST_SESSIONS):
        desk.note(f"other {n}", dispatch(1))
    assert await task(desk, start(agent_type=f"type {2 * MOST_OPEN + 1}")) is None
