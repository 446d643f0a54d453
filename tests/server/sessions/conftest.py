"""The desk where hook calls arrive, over a real store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.wiring import TestClock, opened, repository, rows

from hitherto_contract import RememberRequest
from hitherto_server.gates.remember import remember
from hitherto_server.sessions.call import read_call
from hitherto_server.store.sessions import list_events

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.services import Services
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply


class Client:
    """The agent's client, as far as its hooks show."""

    def __init__(self, services: Services, project: Path, clock: TestClock) -> None:
        self.services = services
        self.project = project
        self.clock = clock

    def call(self, event: str, **body: Any) -> HookCall:
        given = {"session_id": "s", "cwd": str(self.project), **body}
        return read_call(event, json.dumps(given).encode(), at_ms=self.clock())

    async def says(self, event: str, **body: Any) -> Reply:
        self.clock.pass_ms(20_000)
        return await self.services.sessions.take(self.call(event, **body))

    async def prompts(self, prompt: str, **body: Any) -> str:
        """What is injected for a prompt."""
        return context_of(await self.says("UserPromptSubmit", prompt=prompt, **body))

    async def starts(self, source: str, **body: Any) -> str:
        """What is injected at a start."""
        return context_of(await self.says("SessionStart", source=source, **body))

    async def knows(self, content: str, **values: Any) -> str:
        request = RememberRequest(content=content, project_dir=str(self.project), **values)
        return (await remember(self.services.writes, request)).id

    async def events(self, session: str = "s") -> list[dict[str, Any]]:
        return await self.services.store.readers.run(
            lambda c: list_events(c, session, limit=200, offset=0)
        )

    def memories(self, kind: str) -> list[str]:
        query = "SELECT content FROM memory WHERE kind = ? ORDER BY number"
        return [row[0] for row in rows(self.services.home.database, query, kind)]

    def injected(self) -> list[tuple[Any, ...]]:
        query = "SELECT channel, revision FROM injection WHERE outcome = 'injected' ORDER BY id"
        return rows(self.services.home.database, query)

    def spool(self, event: str, *, at_ms: int | None = None, **body: Any) -> bytes:
        """Return a line as a hook writes it while no server answers."""
        time_ns = (self.clock() if at_ms is None else at_ms) * 1_000_000
        given = json.dumps({"session_id": "s", **body})
        return f"{event}\t{time_ns}\t{quote(str(self.project))}\t{given}\n".encode()


def context_of(reply: Reply) -> str:
    """Return what the model would read."""
    return str((reply or {}).get("hookSpecificOutput", {}).get("additionalContext", ""))


@pytest.fixture
async def services(tmp_path: Path, clock: TestClock) -> AsyncIterator[Services]:
    async with opened(tmp_path / "home", clock) as services:
        await services.sessions.close()  # the tests drain by themselves
        yield services


@pytest.fixture
def client(services: Services, tmp_path: Path, clock: TestClock) -> Client:
    return Client(services, repository(tmp_path / "project", commit=False), clock)
