"""A client's folder that tests fill with sessions, and the import over a real store."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import NOW_MS, TestClock, opened, repository
from written_history import Session, write_transcript

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.history.importer import Progress
    from hitherto_server.services import Services

BUSY = {"looking", "importing", "finishing"}
DEADLINE_S = 60.0


@dataclass
class Client:
    """What a client keeps of a person's sessions."""

    home: Path
    count: int = field(default=0)

    def session(self, folder: Path | str, *steps: tuple[str, str], title: str = "") -> Path:
        """Write a session of these steps; a later one is of a later day."""
        self.count += 1
        parts = [(kind, *self._lines(text)) for kind, text in steps]
        session = Session("project", title or f"session {self.count}", parts)
        return write_transcript(session, self.home / "projects", str(folder), day=self.count)

    def _lines(self, text: str) -> tuple[str, list[str]]:
        first, *more = text.split("\n")
        return first, more


@pytest.fixture
def client(tmp_path: Path) -> Client:
    """Return a client that has kept nothing yet."""
    home = tmp_path / "claude"
    home.mkdir()
    return Client(home)


@dataclass
class Desk:
    """An open store, and imports into it."""

    services: Services
    client: Client
    project: Path

    async def look(self) -> Progress:
        await self.services.history.look(str(self.client.home))
        return await self.done()

    async def bring(self, *, admits: bool = True) -> Progress:
        """Import and wait until all of it is read."""
        await self.services.history.begin(str(self.client.home), admits=admits)
        return await self.done()

    async def done(self) -> Progress:
        async with asyncio.timeout(DEADLINE_S):
            while self.services.history.progress.phase in BUSY:
                await asyncio.sleep(0.01)
        assert self.services.history.progress.failure is None
        return self.services.history.progress

    async def rows(self, query: str) -> list[tuple[Any, ...]]:
        return await self.services.store.readers.run(
            lambda c: [tuple(row) for row in c.execute(query)]
        )

    async def live(self) -> list[tuple[str, str]]:
        """Return tier and text of every live memory."""
        found = await self.rows(
            "SELECT tier, content FROM memory WHERE trashed_at_ms IS NULL ORDER BY content"
        )
        return [(tier, content) for tier, content in found]


@pytest.fixture
async def desk(tmp_path: Path, client: Client) -> AsyncIterator[Desk]:
    """Open a store beside a client and one project."""
    project = repository(tmp_path / "project")
    async with opened(tmp_path / "home", TestClock(NOW_MS)) as services:
        yield Desk(services, client, project)
