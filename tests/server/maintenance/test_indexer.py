"""Vectors follow what is written, whatever went wrong before."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.wiring import TestClock, opened

from hitherto_contract import RememberRequest
from hitherto_server.core.errors import ModelRefused
from hitherto_server.gates.remember import remember
from hitherto_server.maintenance.indexer import Indexer
from hitherto_server.models.traits import Traits
from hitherto_server.recall.succession import Succession

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from hitherto_server.services import Services


@dataclass
class FailingEmbedder:
    """An embedder that fails with these errors first, and then works."""

    errors: list[Exception]
    model: Traits = field(default_factory=lambda: Traits("toy", 4))
    state: str = "ready"

    async def wait_loaded(self) -> None:
        """It is loaded."""

    async def embed(self, *_: str, patient: bool) -> Any:
        assert patient
        if self.errors:
            raise self.errors.pop(0)
        return np.array([1, 0, 0, 0], dtype=np.float32)


async def write(services: Services, content: str) -> None:
    await remember(services.writes, RememberRequest(content=content, scope="user"))


async def until_nothing_waits(indexer: Indexer) -> None:
    async with asyncio.timeout(10):
        while await indexer.waiting():
            await asyncio.sleep(0.01)


async def test_one_unexpected_error_does_not_end_indexing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hitherto_server.core.background.RETRY_S", 0.01)
    clock = TestClock()
    async with opened(tmp_path / "home", clock) as services:
        model: Any = FailingEmbedder([ValueError("a bug"), ModelRefused("no"), KeyError("another")])
        models = Succession(services.home.models, "toy")
        models.wanted = model
        indexer = Indexer(services.store, models, clock)
        await write(services, "The port is 8080.")
        assert await indexer.waiting() == 1
        indexer.start()
        await until_nothing_waits(indexer)
        assert model.errors == []
        await write(services, "The door is green.")
        assert await indexer.waiting() == 1
        indexer.notify()
        await until_nothing_waits(indexer)
        await indexer.close()
