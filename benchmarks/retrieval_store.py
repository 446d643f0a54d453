"""A real store filled with a question set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.clock import now_ms, uuid7
from hitherto_server.recall.passages import split
from hitherto_server.store.derived import rebuild_vectors
from hitherto_server.store.memories import AnchorRow, NewMemory, find_same, insert_memory
from hitherto_server.store.passages import put_embedding

if TYPE_CHECKING:
    from retrieval_sets import Chunk, Corpus
    from vectors import KeptVectors

    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection

BATCH = 500
PASSAGES = "SELECT id, start_char, end_char FROM passage WHERE memory_number = ? ORDER BY position"


async def fill(store: Store, corpus: Corpus, embedder: KeptVectors) -> tuple[int, dict[str, str]]:
    """Store a corpus as a project of its own; returns its number and each chunk's memory id."""
    project = await store.writer.run(partial(_project, name=corpus.name))
    ids: dict[str, str] = {}
    for start in range(0, len(corpus.chunks), BATCH):
        chunks = corpus.chunks[start : start + BATCH]
        write = partial(_write, project=project, chunks=chunks, embedder=embedder)
        ids |= await store.writer.run(write)
        embedder.keep()
    return project, ids


async def index(store: Store, embedder: KeptVectors) -> None:
    """Build the vector index over all that was stored."""
    described = embedder.model
    await store.writer.run(
        partial(rebuild_vectors, model=described.name, dimension=described.dimension, clock=now_ms)
    )


def _project(connection: Connection, *, name: str) -> int:
    row = connection.execute(
        "INSERT INTO project (identity, name, seen_root, created_at_ms, seen_at_ms)"
        " VALUES (?, ?, '/', 0, 0) RETURNING id",
        (f"path:/{name}", name),
    ).fetchone()
    return int(row[0])


def _write(
    connection: Connection, *, project: int, chunks: tuple[Chunk, ...], embedder: KeptVectors
) -> dict[str, str]:
    ids: dict[str, str] = {}
    for chunk in chunks:
        new = _memory(chunk, project)
        known = find_same(connection, project, new.content)
        ids[chunk.key] = known["id"] if known else new.id  # the same text is stored once
        if known is None:
            _embed(connection, insert_memory(connection, new), new.content, embedder)
    return ids


def _embed(connection: Connection, number: int, content: str, embedder: KeptVectors) -> None:
    described = embedder.model
    for row in connection.execute(PASSAGES, (number,)).fetchall():
        vector = embedder.of(content[row["start_char"] : row["end_char"]])
        put_embedding(
            connection,
            row["id"],
            model=described.name,
            dimension=described.dimension,
            vector=vector.astype("<f4").tobytes(),
        )


def _memory(chunk: Chunk, project: int) -> NewMemory:
    at_ms = now_ms() if chunk.at_ms is None else chunk.at_ms
    return NewMemory(
        id=uuid7(at_ms),
        project=project,
        content=chunk.content,
        kind=chunk.kind,
        source=chunk.source,
        actor=chunk.actor,
        device="bench",
        at_ms=at_ms,
        spans=tuple(split(chunk.content)),
        anchors=tuple(AnchorRow(path, None) for path in chunk.files),
        tags=chunk.tags,
        importance=chunk.importance,
        session_id=chunk.session,
    )
