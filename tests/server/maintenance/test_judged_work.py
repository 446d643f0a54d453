"""Where nobody is asked, a write wakes no queue: it would read the store for nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tests.server.maintenance.conftest import until
from tests.wiring import TestClock, opened

from hitherto_contract import ReflectRequest, RememberRequest
from hitherto_server.gates.reflect import reflect
from hitherto_server.gates.remember import remember
from hitherto_server.maintenance.comparing import Comparer

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.models.traits import Traits
    from hitherto_server.services import Services


@dataclass(frozen=True)
class Reads:
    """A model that reads no text, so that only the rules have a word."""

    name: str = "toy"

    def reads(self, _text: str) -> bool:
        return False


class Counted(asyncio.Event):
    """Counts how often somebody was woken."""

    times = 0

    def set(self) -> None:
        self.times += 1
        super().set()


async def written_and_edited(services: Services) -> None:
    """Write a memory and edit it, and compare it as the indexer does."""
    request = RememberRequest(content="The port of the build server is 8080.", scope="user")
    written = await remember(services.writes, request)
    content = "The port of the build server is 8081."
    await reflect(services.writes, ReflectRequest(action="edit", id=written.id, content=content))
    comparer = services.indexer.comparer
    assert isinstance(comparer, Comparer)
    await comparer._compare(written.id, cast("Traits", Reads()))


async def test_without_a_judge_a_write_wakes_no_queue(tmp_path: Path) -> None:
    async with opened(tmp_path, TestClock()) as services:
        queue = services.judged.queue
        await until(lambda: queue.background.task is not None, "the queue has begun")
        queue.background.wake = Counted()
        await written_and_edited(services)
        assert queue.background.wake.times == 0
