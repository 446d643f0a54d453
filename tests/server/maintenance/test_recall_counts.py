"""How often memories are given is counted beside the recall, not within it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.wiring import TestClock, opened, repository, rows

from hitherto_contract import RecallRequest, RememberRequest
from hitherto_server.api.operations import perform
from hitherto_server.maintenance import recall_counts

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

COUNTS = "SELECT m.content, r.times FROM recalled AS r JOIN memory AS m ON m.number = memory_number"
PORT = "The port is 8080."


async def ask(services: Any, folder: Path, query: str, times: int) -> None:
    for _ in range(times):
        await perform(services, RecallRequest(query=query, project_dir=str(folder)))


async def test_what_was_given_is_written_down_together_and_at_the_latest_at_the_end(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path / "project")
    async with opened(tmp_path / "home", TestClock()) as services:
        told = RememberRequest(content=PORT, project_dir=str(folder))
        await perform(services, told)
        await ask(services, folder, "which port", 3)
        services.recall_counts.note(["0191aaaa-0000-7000-8000-000000000001"])  # erased meanwhile
        assert rows(services.home.database, COUNTS) == []
    assert rows(tmp_path / "home" / "memory.db", COUNTS) == [(PORT, 3)]


async def test_counts_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_counts, "TOGETHER_S", 0.01)
    folder = repository(tmp_path / "project")
    async with opened(tmp_path / "home", TestClock()) as services:
        await perform(services, RememberRequest(content=PORT, project_dir=str(folder)))
        for wanted in (2, 4):
            await ask(services, folder, "which port", 2)
            async with asyncio.timeout(20):
                while rows(services.home.database, COUNTS) != [(PORT, wanted)]:
                    await asyncio.sleep(0.01)
