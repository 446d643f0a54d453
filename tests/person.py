"""Somebody who writes through the gates, with a project to write from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_contract import ForgetRequest, ReflectRequest, RememberRequest, RestoreRequest
from hitherto_server.gates.reflect import forget, reflect, restore
from hitherto_server.gates.remember import remember
from hitherto_server.store.memories import list_revisions, list_views

if TYPE_CHECKING:
    from pathlib import Path

    from tests.wiring import TestClock

    from hitherto_contract import MemoryView, Remembered, RevisionView
    from hitherto_server.services import Services


class Person:
    """Writes through the gates from one folder, as the API does."""

    def __init__(self, services: Services, folder: Path, clock: TestClock) -> None:
        self.services = services
        self.folder = folder
        self.clock = clock

    async def remember(self, content: str, **values: Any) -> Remembered:
        self.clock.pass_ms(1000)
        values = {"project_dir": str(self.folder), **values}
        request = RememberRequest(content=content, **values)
        return await remember(self.services.writes, request)

    async def reflect(self, memory_id: str, action: Any, **values: Any) -> Remembered:
        self.clock.pass_ms(1000)
        values = {"project_dir": str(self.folder), **values}
        return await reflect(
            self.services.writes, ReflectRequest(id=memory_id, action=action, **values)
        )

    async def forget(self, memory_id: str, revision: int | None = None) -> Remembered:
        request = ForgetRequest(id=memory_id, expected_revision=revision)
        return await forget(self.services.writes, request)

    async def restore(self, memory_id: str, revision: int | None = None) -> Remembered:
        request = RestoreRequest(id=memory_id, expected_revision=revision)
        return await restore(self.services.writes, request)

    async def see(self, memory_id: str) -> MemoryView:
        return (await self.services.store.readers.run(lambda c: list_views(c, [memory_id])))[0]

    async def history(self, memory_id: str) -> list[RevisionView]:
        return await self.services.store.readers.run(lambda c: list_revisions(c, memory_id))

    async def count(self) -> int:
        def job(connection: Any) -> int:
            return int(connection.execute("SELECT count(*) FROM memory").fetchone()[0])

        return await self.services.store.readers.run(job)

    async def relations(self) -> list[tuple[Any, ...]]:
        """Kind, newer id, older id, who said so, and whether it was undone."""

        def job(connection: Any) -> list[tuple[Any, ...]]:
            found = connection.execute(
                "SELECT r.kind, n.id, o.id, r.said_by, r.undone_at_ms IS NOT NULL"
                " FROM relation AS r"
                " JOIN memory AS n ON n.number = r.newer_number"
                " JOIN memory AS o ON o.number = r.older_number ORDER BY r.id"
            )
            return [tuple(row) for row in found]

        return await self.services.store.readers.run(job)

    async def found_by(self, word: str) -> list[str]:
        """What the word index finds, to see that it went along."""

        def job(connection: Any) -> list[str]:
            found = connection.execute(
                "SELECT m.id FROM fulltext AS f JOIN memory AS m ON m.number = f.rowid & 0xFFFFFFFF"
                " WHERE fulltext MATCH ? ORDER BY m.number",
                (word,),
            )
            return [row[0] for row in found]

        return await self.services.store.readers.run(job)
