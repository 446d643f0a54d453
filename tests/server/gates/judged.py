"""A person who writes where a judge is on, and what that judge was asked."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.person import Person
from tests.system_one_stub import use_stub

from hitherto_server.judge.configuration import SurfaceChoice
from hitherto_server.judge.register import surfaces as all_surfaces

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.system_one_stub import SystemOneStub

    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection

PATIENCE_S = 60.0


class Judged(Person):
    """Writes through the gates, with a stub that speaks System One behind them."""

    stub: SystemOneStub

    async def settled(self) -> None:
        """Wait until everything that was written has its vectors."""
        self.services.wake_model()
        await until(lambda: self.services.embedder.state == "ready")
        deadline = time.monotonic() + PATIENCE_S
        while await self.services.indexer.waiting():
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)

    async def asked(self) -> None:
        """Wait until the judge has a question that it was not asked before."""
        before = len(self.stub.asked)
        await until(lambda: len(self.stub.asked) > before)

    async def logged(self) -> list[tuple[str, str | None, Any]]:
        """Surface, reason why no answer came, and outcome of each judgment."""
        await self.services.judge.flush()

        def job(connection: Connection) -> list[tuple[str, str | None, Any]]:
            found = connection.execute(
                "SELECT surface, unavailable_reason, outcome FROM judgment_log ORDER BY id"
            )
            return [(one[0], one[1], json.loads(one[2]) if one[2] else None) for one in found]

        return await self.services.store.readers.run(job)

    async def everything(self) -> str:
        """All texts of the database, to look for what must not be there."""

        def job(connection: Connection) -> str:
            tables = ("memory", "revision", "judgment_log", "judgment_cache", "relation")
            texts = [
                str(tuple(row))
                for table in tables
                for row in connection.execute(f"SELECT * FROM {table}")
            ]
            return "\n".join(texts)

        await self.services.judge.flush()
        return await self.services.store.readers.run(job)


async def judged_by(services: Services, stub: SystemOneStub, *surfaces: str) -> None:
    """Choose the stub as the judge of these surfaces and of no other."""
    off = {name: SurfaceChoice(on=False) for name in all_surfaces() if name not in surfaces}
    await use_stub(services.judge, stub)
    await services.judge.change(lambda config: replace(config, surfaces=off))


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)
