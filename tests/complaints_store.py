"""A project with more memories than some indexes take in one step; the oldest is about a valve."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from tests.wiring import NOW_MS, TestClock, opened

from hitherto_server.core.clock import uuid7
from hitherto_server.models.files import get_files
from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.recall.passages import split
from hitherto_server.store.derived import rebuild_vectors
from hitherto_server.store.memories import NewMemory, insert_memory
from hitherto_server.store.passages import put_embedding

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.store.driver import Connection

OLDEST = "In frost the flumox valve, `flumox_valve`, drains the water of the east wing."
OTHERS = 4200
"""More than 4,096, where some indexes end."""


async def fill(home: Path, folder: Path, model_dir: Path) -> None:
    """Fill a data home whose server is down; the vectors of all but the oldest are drawn."""
    model = load_model(get_files(model_dir))
    description = model.files.description
    drawn = np.random.default_rng(1).standard_normal((OTHERS, description.dimension))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    vectors = [embed_text(model, OLDEST), *drawn.astype("<f4")]
    async with opened(home, TestClock()) as services:
        project = await services.projects.get(str(folder))
        put = partial(_put, project=project.number, vectors=vectors, model=description.name)
        await services.store.writer.run(put)
        rebuild = partial(rebuild_vectors, model=description.name, dimension=description.dimension)
        await services.store.writer.run(partial(rebuild, clock=lambda: NOW_MS))


def _put(connection: Connection, *, project: int, vectors: list[np.ndarray], model: str) -> None:
    for place, vector in enumerate(vectors):
        text = OLDEST if place == 0 else f"Room {place} was painted in shade {place * 7}."
        number = insert_memory(connection, _memory(text, project, NOW_MS + place))
        sql = "SELECT id FROM passage WHERE memory_number = ?"
        (passage,) = connection.execute(sql, (number,)).fetchone()
        put_embedding(
            connection,
            passage,
            model=model,
            dimension=len(vector),
            vector=vector.astype("<f4").tobytes(),
        )


def _memory(text: str, project: int, at_ms: int) -> NewMemory:
    return NewMemory(
        id=uuid7(at_ms),
        project=project,
        content=text,
        kind="fact",
        source="agent",
        actor="agent",
        device="test",
        at_ms=at_ms,
        spans=tuple(split(text)),
    )
