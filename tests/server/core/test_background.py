"""What goes on in the background is woken, or comes round by itself, and outlives a failure."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.server.maintenance.conftest import until

from hitherto_server.core import background as module
from hitherto_server.core.background import Background, Pace
from hitherto_server.core.errors import StoreBusy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def background() -> AsyncIterator[Background]:
    made = Background("the test")
    yield made
    await made.close()


async def test_it_serves_what_it_is_woken_for_also_after_a_bug(background: Background) -> None:
    done: list[str] = []

    async def catch_up() -> None:
        done.append("woken")
        if len(done) == 1:
            raise ValueError("a bug")

    async def sweep() -> None:
        done.append("swept")

    background.start(background.serve(catch_up, sweep, Pace(0, 600, 600)))
    background.wake.set()
    await until(lambda: done == ["woken"], "it was woken once")
    background.wake.set()
    await until(lambda: done == ["woken", "woken"], "it was woken again")


async def test_it_sweeps_by_itself(background: Background) -> None:
    swept = asyncio.Event()

    async def catch_up() -> None:
        raise AssertionError("nobody woke it")

    async def sweep() -> None:
        swept.set()

    background.start(background.serve(catch_up, sweep, Pace(0, 0.01, 600)))
    await asyncio.wait_for(swept.wait(), 30)


async def test_what_failed_is_tried_again_after_a_pause(
    background: Background, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "RETRY_S", 0.01)
    tries: list[int] = []

    async def work() -> None:
        await background.wake.wait()
        background.wake.clear()
        tries.append(len(tries))
        if len(tries) < 3:
            raise StoreBusy("somebody else writes")

    background.start(background.repeat(work))
    background.wake.set()
    await until(lambda: tries == [0, 1, 2], "it went well in the end")
    assert caplog.messages == ["the test waits: somebody else writes"] * 2
