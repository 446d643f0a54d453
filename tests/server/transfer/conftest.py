"""Two stores side by side, and one that holds something of everything."""

from __future__ import annotations

import json
import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import NOW_MS, TestClock, opened, repository, rows

from hitherto_contract import ForgetRequest, ReflectRequest, RememberRequest
from hitherto_contract.transfer import ImportReply, ImportRequest
from hitherto_server.gates.reflect import forget, reflect
from hitherto_server.gates.remember import remember
from hitherto_server.store.derived import index_session
from hitherto_server.store.projects import list_projects
from hitherto_server.store.queries import load_queries
from hitherto_server.transfer.importing import Importing
from hitherto_server.transfer.outgoing import choose_project, write_export

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.services import Services

NASTY = 'Odd: \u2028 \x0b \x01 "quoted" \\n \r\n\ttab \u202eold\u202c e\u0301 \U0001f389 {"a": 1}'
EVENT = "INSERT INTO event VALUES (NULL, ?, 'UserPromptSubmit', ?, ?, ?, 0, NULL, ?) RETURNING id"
SUPPORT = "INSERT INTO support SELECT number, ?, ?, 'affirms', 'user' FROM memory WHERE id = ?"
VERDICT = """
INSERT INTO verdict (
    memory_number, revision, surface, answer, probability, basis_hash, judged_at_ms
) SELECT number, 1, 'standing', 'holds', 0.75, 'b1', ? FROM memory WHERE id = ?
"""
USE = "INSERT INTO candidate_use SELECT number, 's1', ? FROM memory WHERE id = ?"
FEEDBACK = """
INSERT INTO feedback (session_id, admission, memory_number, revision, reason, said_by, said_at_ms,
                      undone_at_ms)
SELECT 's1', 'a1', number, 1, 'beside the point', 'cli', ?, NULL FROM memory WHERE id = ?
"""
CATEGORY = "INSERT INTO category VALUES (NULL, ?, ?, ?, ?, ?) RETURNING id"


@dataclass
class Side:
    """One store, with the few things that tests do to it."""

    services: Services
    clock: TestClock

    @property
    def database(self) -> Path:
        return self.services.home.database

    async def told(self, content: str, project: Path | None = None, **values: Any) -> str:
        self.clock.pass_ms(1000)
        place: dict[str, Any] = {"scope": "user"} if project is None else {}
        if project is not None:
            place["project_dir"] = str(project)
        request = RememberRequest(content=content, **{**place, **values})
        return (await remember(self.services.writes, request)).id

    async def edited(self, memory: str, content: str, **values: Any) -> None:
        self.clock.pass_ms(1000)
        request = ReflectRequest(action="edit", id=memory, content=content, **values)
        await reflect(self.services.writes, request)

    async def forgotten(self, memory: str) -> None:
        self.clock.pass_ms(1000)
        await forget(self.services.writes, ForgetRequest(id=memory))

    async def run(self, query: str, *values: Any) -> Any:
        def job(connection: Any) -> Any:
            row = connection.execute(query, values).fetchone()
            return row[0] if row else None

        return await self.services.store.writer.run(job)

    async def exported(self, project: str | None = None, *, trashed: bool = True) -> Path:
        path = self.services.home.root / f"export-{secrets.token_hex(4)}.jsonl"
        run = self.services.store.readers.run
        chosen = choose_project(await run(list_projects), project) if project else None
        at_ms = self.clock()
        await run(lambda c: write_export(c, path, project=chosen, trashed=trashed, at_ms=at_ms))
        return path

    async def imported(
        self, file: Path, *, merge: bool = False, told: dict[str, str] | None = None
    ) -> ImportReply:
        services = self.services
        ending = "db" if file.suffix == ".db" else "jsonl"
        name = f".import-{secrets.token_hex(8)}.{ending}.part"
        (services.home.backups / name).write_bytes(file.read_bytes())
        importing = Importing(
            services.store,
            services.backups,
            services.writes.splitter,
            self.clock,
            services.home.backups,
            services.writes.on_written,
        )
        return await importing.take(ImportRequest(name=name, merge=merge, projects=told or {}))

    async def contents(self) -> dict[str, str]:
        found = rows(self.database, "SELECT id, content FROM memory WHERE trashed_at_ms IS NULL")
        return dict(found)


@pytest.fixture
async def sides(tmp_path: Path) -> AsyncIterator[tuple[Side, Side]]:
    async with AsyncExitStack() as stack:
        made = []
        for name in ("here", "there"):
            clock = TestClock()
            services = await stack.enter_async_context(opened(tmp_path / name, clock))
            made.append(Side(services, clock))
        yield made[0], made[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = repository(tmp_path / "project", "git@example.com:owner/app.git")
    (root / "up.py").write_text("def retry_upload():\n    return 3\n")
    return root


async def fill(side: Side, project: Path) -> None:
    """Put something of everything into a store: whatever a table may hold."""
    uploads = await side.told(
        "Uploads: `retry_upload` gives up after 3 tries", project, files=["up.py"], tags=["net"],
        category="pitfalls", session_id="s1", source="user-told", importance=8,
    )  # fmt: skip
    port = await side.told("The port is 8080", project, state_key="deploy.port")
    await side.told("The port is 9090", project, state_key="deploy.port", true_from_ms=NOW_MS)
    await side.edited(uploads, "Uploads: `retry_upload` gives up after 4 tries", tags=["net", "ü"])
    everywhere = await side.told("Answer in short sentences", kind="preference")
    await side.told("The cache is keyed by E42", source_ref="notes.md", idempotency_key="k1")
    await side.told(NASTY, project)
    gone = await side.told("This was a mistake", project)
    await side.forgotten(gone)
    await spread(side, uploads, everywhere, port)


async def spread(side: Side, uploads: str, everywhere: str, port: str) -> None:
    project = await side.run("SELECT id FROM project")
    top = await side.run(CATEGORY, project, None, "deep", NOW_MS, None)
    leaf = await side.run(CATEGORY, project, top, "down", NOW_MS + 1, NOW_MS + 2)
    assert leaf
    await side.run(
        "INSERT INTO session VALUES ('s1', 'claude-code', ?, '/p', NULL, ?, ?, ?, 'clear', 2, 1)",
        project, NOW_MS, NOW_MS + 5, NOW_MS + 9,
    )  # fmt: skip
    turn = "INSERT INTO turn VALUES (NULL, 's1', 'p1', 'make uploads survive', 'done', ?, ?)"
    await side.run(turn, NOW_MS, NOW_MS + 4)
    event = await side.run(EVENT, "s1", "h1", NOW_MS, NOW_MS + 1, json.dumps({"prompt": "short"}))
    await side.run(SUPPORT, event, "Answer in short sentences", everywhere)
    await side.run(VERDICT, NOW_MS + 3, uploads)
    await side.run(USE, NOW_MS + 4, everywhere)
    await side.run(
        "UPDATE memory SET tier = 'candidate', held_back_because = 'said once' WHERE id = ?",
        everywhere,
    )
    await side.run("UPDATE memory SET confirmed_at_ms = ?, confirmed_commit = 'c1' WHERE id = ?",
                   NOW_MS + 8, port)  # fmt: skip
    await side.run(FEEDBACK, NOW_MS + 6, uploads)
    await side.run(
        "INSERT INTO quiet VALUES (NULL, 'ignore', NULL, '/secret', ?, NULL, NULL)", NOW_MS
    )
    relate = load_queries("transfer")["put_relation"]
    numbers = {row[0]: row[1] for row in rows(side.database, "SELECT id, number FROM memory")}
    values = {
        "kind": "similar", "newer_number": numbers[everywhere], "older_number": numbers[uploads],
        "said_by": "judge", "probability": 0.5, "reason": "both are short", "slot": None,
        "created_at_ms": NOW_MS, "decided_at_ms": NOW_MS + 1, "undone_at_ms": NOW_MS + 2,
        "undone_by": "person",
    }  # fmt: skip

    await side.services.store.writer.run(lambda c: c.execute(relate, values).rowcount)
    conflict = "INSERT INTO merge_conflict SELECT number, 2, 1, ? FROM memory WHERE id = ?"
    await side.run(conflict, NOW_MS + 7, uploads)
    await side.services.store.writer.run(lambda c: index_session(c, "s1"))
