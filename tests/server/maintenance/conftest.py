"""Memories with vectors of a test's choice, a queue at work, and a judge that answers over HTTP."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.system_one_stub import SystemOneStub
from tests.wiring import TestClock, opened, rows

from hitherto_contract import RememberRequest
from hitherto_server.core.clock import DAY_MS
from hitherto_server.gates.remember import remember
from hitherto_server.judge.configuration import Backend, JudgeConfig
from hitherto_server.judge.profiles import PROFILES
from hitherto_server.maintenance import judged_work, queue, relating
from hitherto_server.store import jobs
from hitherto_server.store.derived import rebuild_vectors
from hitherto_server.store.passages import put_embedding

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection

MODEL, DIMENSION = "toy", 8
NEAR = "near"
"""Memories of one place have the same vector, others are far from each other."""


async def until(holds: Callable[[], Any], what: str, within_s: float = 30.0) -> None:
    """Wait until something holds, or fail."""
    try:
        async with asyncio.timeout(within_s):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"waited {within_s} s until {what}")


@dataclass
class Bench:
    """A server's parts over a database, and the judge that they ask."""

    services: Services
    stub: SystemOneStub
    clock: TestClock
    places: dict[str, int] = field(default_factory=dict)

    @property
    def database(self) -> Path:
        return self.services.home.database

    async def use(self, profile: str = "custom") -> None:
        """Choose the stub as the backend."""
        backend = Backend(PROFILES[profile], self.stub.url, "jev-1.13.0")
        await self.services.judge.change(lambda c: JudgeConfig(c.on, backend, c.surfaces))

    async def write(
        self, content: str, *, at: str | None = NEAR, days: int = 0, **values: Any
    ) -> str:
        """Remember something some days later, with the vector of its place; return its id."""
        self.clock.pass_ms(days * DAY_MS + 1)
        request = RememberRequest(content=content, scope="user", **values)
        written = await remember(self.services.writes, request)
        if at is not None:
            await self.embed(written.id, at)
        return written.id

    async def embed(self, memory_id: str, at: str = NEAR) -> None:
        """Give a memory the vector of a place."""
        await self.services.store.writer.run(lambda c: self._embed(c, memory_id, at))

    def _embed(self, connection: Connection, memory_id: str, place: str) -> None:
        axis = self.places.setdefault(place, len(self.places))
        vector = np.eye(DIMENSION, dtype="<f4")[axis].tobytes()
        found = connection.execute(
            "SELECT p.id FROM passage AS p JOIN memory AS m ON m.number = p.memory_number"
            " WHERE m.id = ?",
            (memory_id,),
        )
        for row in found.fetchall():
            put_embedding(connection, row[0], model=MODEL, dimension=DIMENSION, vector=vector)
        rebuild_vectors(connection, model=MODEL, dimension=DIMENSION, clock=self.clock)

    async def ask_for(self, memory_id: str, kind: str = relating.KIND) -> None:
        """Put a job, as the comparison by rule does."""

        def job(connection: Connection) -> None:
            at_ms = self.clock()
            jobs.put(connection, kind, memory_id, priority=jobs.RELATE, at_ms=at_ms)

        await self.services.store.writer.run(job)
        self.services.judged.notify()

    async def relate(self, memory_id: str) -> None:
        """Have a memory related, and wait until that is done."""
        await self.ask_for(memory_id)
        await self.until_done()

    async def until_done(self) -> None:
        """Let time pass until no job waits or is worked at."""

        def are_done() -> bool:
            self.clock.pass_ms(50)
            self.services.judged.notify()
            return not self.jobs()

        await until(are_done, "the jobs are done")

    async def until_it_has_failed(self) -> None:
        """Wait until a job says why it is not done."""
        await until(lambda: any(one[4] for one in self.jobs()), "something has failed")

    def jobs(self) -> list[tuple[Any, ...]]:
        """Return kind, subject, state, attempts and failure of the jobs of the queue."""
        query = (
            "SELECT kind, subject, state, attempts, failure FROM job WHERE kind <> 'compare'"
            " ORDER BY id"
        )
        return rows(self.database, query)

    def relations(self, *, undone: bool = False) -> list[tuple[Any, ...]]:
        """Return what is said of memories: kind, newer and older text, who said it, how sure."""
        query = (
            "SELECT r.kind, n.content, o.content, r.said_by, r.probability FROM relation AS r"
            " JOIN memory AS n ON n.number = r.newer_number"
            " JOIN memory AS o ON o.number = r.older_number"
            f" WHERE r.undone_at_ms IS {'NOT' if undone else ''} NULL ORDER BY r.id"
        )
        return rows(self.database, query)

    def verdicts(self, surface: str = "relations") -> list[tuple[Any, ...]]:
        query = (
            "SELECT m.content, v.revision, v.answer FROM verdict AS v"
            " JOIN memory AS m ON m.number = v.memory_number WHERE surface = ? ORDER BY v.id"
        )
        return rows(self.database, query, surface)


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub() as serving:
        yield serving


@asynccontextmanager
async def judging(root: Path, stub: SystemOneStub, clock: TestClock) -> AsyncIterator[Bench]:
    """Open a server's parts with the stub as their judge."""
    async with opened(root, clock) as services:
        made = Bench(services, stub, clock)
        await made.use()
        yield made


@pytest.fixture
async def bench(
    tmp_path: Path, stub: SystemOneStub, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bench]:
    monkeypatch.setattr(queue, "BUSY_S", 0.02)
    monkeypatch.setattr(judged_work, "BEGINS_AFTER_S", 0.0)
    async with judging(tmp_path / "home", stub, TestClock()) as made:
        yield made


def says(
    relation: str | dict[str, float] = "unrelated",
    exclusive: float = 0.02,
    newer: float = 0.02,
    **others: Any,
) -> Callable[[Any, str, Any], Any]:
    """Return what the stub answers for every pair."""

    def answer(_: Any, key: str, __: Any) -> Any:
        named = {"relation": relation, "exclusive": exclusive, "newer": newer}
        return {**named, **others}.get(key.rsplit("_", 1)[0])

    return answer
