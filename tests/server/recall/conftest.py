"""A real database file with memories in it, and a recaller over it."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hitherto_server.core.clock import DAY_MS, uuid7
from hitherto_server.core.settings import Settings
from hitherto_server.core.text import content_hash
from hitherto_server.recall.admission import Admission, Occasion
from hitherto_server.recall.embedder import Embedder
from hitherto_server.recall.hits import Question
from hitherto_server.recall.passages import split
from hitherto_server.recall.pipeline import Recaller
from hitherto_server.store.database import Store, open_store
from hitherto_server.store.derived import drop_memory, index_memory, rebuild_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_contract.recall import RecallReply
    from hitherto_server.store.driver import Connection

NOW_MS = 1_796_000_000_000


class NoModel:
    """An embedder whose model is not there yet."""

    state = "loading"
    model = None

    def begin(self, text: str) -> Any:
        raise AssertionError("nobody asks a model that is not ready")


@dataclass(frozen=True)
class Named:
    name: str = "toy"


class ToyModel:
    """An embedder that knows the vector of a few texts, written down by the test."""

    state = "ready"
    model = Named()

    def __init__(self, **known: list[float]) -> None:
        self.known = known

    def begin(self, text: str) -> Any:
        made: Future[Any] = Future()
        made.set_result(unit(self.known.get(text, [0.0, 0.0, 0.0, 1.0])))
        return made


def unit(values: list[float]) -> Any:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


@dataclass
class Shelf:
    """Puts memories into the store as the gates do, and asks for them."""

    store: Store
    recaller: Recaller
    now_ms: int = NOW_MS
    count: int = 0
    ids: dict[int, str] = field(default_factory=dict)

    async def add(
        self,
        content: str,
        *,
        project: int | None = 1,
        vector: list[float] | None = None,
        files: tuple[str, ...] = (),
        supersedes: int | None = None,
        **columns: Any,
    ) -> int:
        self.count += 1
        row = _row(content, project, self.now_ms, columns)

        def job(connection: Connection) -> int:
            number = _insert(connection, row, files, self.now_ms)
            if supersedes is not None:
                _supersede(connection, number, supersedes, self.now_ms)
            if vector is not None:
                _embed(connection, number, content, unit(vector).tobytes())
            index_memory(connection, number)
            return number

        number = await self.store.writer.run(job)
        self.ids[number] = row["id"]
        return number

    async def embed_all(self, embedder: Embedder) -> None:
        """Embed every memory with a real model, passage by passage."""
        model = embedder.model
        assert model is not None
        rows = await self.run("SELECT number, content FROM memory")
        for row in rows:
            spans = split(row["content"])
            vectors = [await embedder.embed(row["content"][a:b]) for a, b in spans]
            await self.store.writer.run(
                lambda c, row=row, spans=spans, vectors=vectors: _embed_spans(
                    c, row["number"], spans, [v.tobytes() for v in vectors], model.name
                )
            )
        await self.rebuild(model.name, int(vectors[0].size))

    async def rebuild(self, model: str = "toy", dimension: int = 4) -> None:
        await self.store.writer.run(
            lambda c: rebuild_vectors(c, model=model, dimension=dimension, clock=lambda: NOW_MS)
        )

    async def run(self, statement: str, *values: Any) -> list[Any]:
        return await self.store.writer.run(lambda c: c.execute(statement, values).fetchall())

    async def trash(self, number: int) -> None:
        await self.run("UPDATE memory SET trashed_at_ms = ? WHERE number = ?", NOW_MS, number)
        await self.store.writer.run(lambda c: drop_memory(c, number))

    async def ask(
        self, text: str, *, project: int | None = 1, root: Path | None = None, **more: Any
    ) -> RecallReply:
        return await self.recaller.recall(Question(text, project, root, **more))

    async def found(self, text: str, **more: Any) -> list[int]:
        reply = await self.ask(text, **more)
        numbers = {memory_id: number for number, memory_id in self.ids.items()}
        return [numbers[hit.id] for hit in reply.hits]

    async def prompt(self, text: str, *, root: Path | None = None, **more: Any) -> Admission:
        return await self.recaller.consider(Question(text, 1, root), occasion(**more))


OCCASION = Occasion(
    session_id="s1",
    channel="prompt",
    admission="a1",
    at_ms=NOW_MS,
    memories=3,
    tokens=600,
)


def occasion(**more: Any) -> Occasion:
    return replace(OCCASION, **more)


def _row(content: str, project: int | None, now_ms: int, columns: dict[str, Any]) -> dict[str, Any]:
    row = {
        "id": uuid7(now_ms),
        "project_id": project or None,
        "kind": "fact",
        "content": content,
        "content_hash": content_hash(content),
        "source": "agent",
        "actor": "agent",
        "device": "here",
        "learned_at_ms": now_ms - DAY_MS,
        "changed_at_ms": now_ms - DAY_MS,
    }
    row.update(columns)
    if "tags" in columns:
        row["tags"] = json.dumps(columns["tags"])
    return row


def _insert(
    connection: Connection, row: dict[str, Any], files: tuple[str, ...], now_ms: int
) -> int:
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    cursor = connection.execute(f"INSERT INTO memory ({names}) VALUES ({marks})", row)
    number = int(cursor.lastrowid or 0)
    for path in files:
        connection.execute(
            "INSERT INTO anchor (memory_number, path, verified_at_ms) VALUES (?, ?, ?)",
            (number, path, now_ms),
        )
    return number


def _supersede(connection: Connection, newer: int, older: int, now_ms: int) -> None:
    connection.execute(
        "INSERT INTO relation (kind, newer_number, older_number, said_by, created_at_ms)"
        " VALUES ('supersedes', ?, ?, 'agent', ?)",
        (newer, older, now_ms),
    )


def _embed(connection: Connection, number: int, content: str, vector: bytes) -> None:
    _embed_spans(connection, number, [(0, len(content))], [vector], "toy")


def _embed_spans(
    connection: Connection,
    number: int,
    spans: list[tuple[int, int]],
    vectors: list[bytes],
    model: str,
) -> None:
    for position, ((start, end), vector) in enumerate(zip(spans, vectors, strict=True)):
        passage = connection.execute(
            "INSERT INTO passage (memory_number, position, start_char, end_char)"
            " VALUES (?, ?, ?, ?)",
            (number, position, start, end),
        ).lastrowid
        connection.execute(
            "INSERT INTO embedding VALUES (?, ?, ?, ?)",
            (passage, model, len(vector) // 4, vector),
        )


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    """Give a store with two projects, 1 and 2, and a recaller without a model."""
    store = await open_store(
        tmp_path / "memory.db", backups=tmp_path / "backups", clock=lambda: NOW_MS, readers=1
    )
    recaller = Recaller(store, NoModel(), Settings(), clock=lambda: NOW_MS)
    shelf = Shelf(store, recaller)
    for number in (1, 2):
        await shelf.run(
            "INSERT INTO project (identity, name, seen_root, created_at_ms, seen_at_ms)"
            " VALUES (?, 'p', '/p', 0, 0)",
            f"path:/p{number}",
        )
    yield shelf
    await store.close()


@pytest.fixture(scope="session")
def embedder(models_dir: Path) -> Embedder:
    """Give the real model, loaded once."""
    embedder = Embedder(models_dir)
    embedder.start_loading()
    asyncio.run(embedder.wait_loaded())
    assert embedder.state == "ready", embedder.reason
    return embedder
