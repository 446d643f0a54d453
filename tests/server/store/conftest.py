"""A real database file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hitherto_server.store.database import Store, open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.wiring import TestClock


@pytest.fixture
async def store(tmp_path: Path, clock: TestClock) -> AsyncIterator[Store]:
    store = await open_store(
        tmp_path / "memory.db", backups=tmp_path / "backups", clock=clock, readers=2
    )
    yield store
    await store.close()
