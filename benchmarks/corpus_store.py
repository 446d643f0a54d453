"""A store of any size, made of the corpus once and copied from then on."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import shutil
import tempfile
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from corpus import memories
from corpus_grow import grow
from harness import SEED
from seeds import DAY_MS, make_projects

from hitherto_server.core.clock import now_ms, uuid7
from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.models.sources import fetch_model
from hitherto_server.recall.passages import split
from hitherto_server.store import derived
from hitherto_server.store.database import open_store
from hitherto_server.store.driver import open_raw
from hitherto_server.store.memories import AnchorRow, NewMemory, insert_memory
from hitherto_server.store.migrate import migrate
from hitherto_server.store.passages import put_embedding
from hitherto_server.store.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus import Text
    from homes import Person

    from hitherto_server.core.home import Home
    from hitherto_server.store.driver import Connection

RECIPE = "corpus-2"
"""To be changed with what this file writes, and by a migration that changes what a memory holds."""
JOB, JOBS = 25, 40
"""A job runs in a savepoint, whose journal makes each further statement slower."""
REAL_VECTORS = 600
"""So many texts are really embedded; the vectors of the others are made of theirs."""
CACHE_KIB = 512 * 1024
"""While a store is made; with the server's own, its random pages would go in and out."""
OWN_SHARE, OTHER_SHARE, NOISE = 0.75, 0.35, 0.55
GROWN_FROM = 100_000
"""A larger store is made of a store of this size, see corpus_grow.py."""
KINDS = ("fact", "decision", "issue", "preference", "note", "plan", "workflow")


@dataclass(frozen=True)
class Shape:
    """What a store is made for."""

    model: str
    dimension: int
    projects: tuple[int, ...]
    count: int


def provide(data: Path, who: Person, count: int) -> Path:
    """Give a person's server so many memories; returns the folder of the project in question."""
    kept = data / f"corpus-{count}-{recipe()}"
    folder = who.folder / "src"
    if not kept.exists():
        if count > GROWN_FROM:
            project = _grow(data, who, count)
        else:
            projects = make_projects(folder)
            asyncio.run(_fill(who.home, projects, count))
            project = projects[0]
        kept.parent.mkdir(parents=True, exist_ok=True)
        staged = kept.with_suffix(f".{os.getpid()}")
        shutil.copyfile(who.home.database, staged)
        staged.replace(kept)
        return project
    _upgrade(kept)
    shutil.copyfile(kept, who.home.database)
    who.home.database.chmod(0o600)
    return make_projects(folder)[0]


def _upgrade(kept: Path) -> None:
    """Bring a kept store up to the newest schema, once and not with each copy."""
    with closing(open_raw(kept)) as connection, tempfile.TemporaryDirectory(dir=kept.parent) as old:
        migrate(connection, backups=Path(old), clock=now_ms)


def _grow(data: Path, who: Person, count: int) -> Path:
    """Make a store of copies of a smaller one's memories; returns the first project's folder."""
    project = provide(data, who, GROWN_FROM)
    with closing(open_raw(who.home.database, read_only=True)) as connection:
        first = "SELECT vector FROM embedding ORDER BY passage_id LIMIT ?"
        rows = connection.execute(first, (REAL_VECTORS,)).fetchall()
    real = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f4")
    vectors = Vectors(real.reshape(len(rows), -1))
    grow(who.home.database, count // GROWN_FROM - 1, vectors.of)
    return project


def export(database: Path, folder: Path) -> Path:
    """Write all memories with their vectors for another store; each project by its own name."""
    connection = open_raw(database, read_only=True)
    sql = (
        "SELECT m.content, 'project' || m.project_id AS store, e.vector FROM memory AS m"
        " JOIN passage AS p ON p.memory_number = m.number AND p.position = 0"
        " JOIN embedding AS e ON e.passage_id = p.id ORDER BY m.number"
    )
    rows = connection.execute(sql).fetchall()
    connection.close()
    texts = [{"content": row["content"], "store": row["store"]} for row in rows]
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    vectors = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f4")
    np.save(folder / "vectors.npy", vectors.reshape(len(rows), -1))
    return folder


def recipe() -> str:
    """Name what the store depends on; a store of another recipe is not used again."""
    texts = Path(__file__).with_name("corpus.py").read_text(encoding="utf-8")
    indexes = [derived.TEXT_INDEXES, derived.TEXT_TABLES, derived.VECTOR_INDEX]
    named = "\n".join([RECIPE, str(SEED), texts, *indexes])
    return hashlib.sha256(named.encode()).hexdigest()[:12]


async def _fill(home: Home, folders: list[Path], count: int) -> None:
    home.create()
    model = load_model(fetch_model(home.models))
    described = model.files.description
    texts = memories(SEED, count)
    real = list(islice(memories(SEED, count), REAL_VECTORS))
    vectors = Vectors(np.array([embed_text(model, text.content) for text in real]))
    store = await open_store(home.database, backups=home.backups, clock=now_ms, readers=1)
    try:
        projects = [(await Projects(store, now_ms).get(str(folder))).number for folder in folders]
        await store.writer.run(_enlarge_cache)
        shape = Shape(described.name, described.dimension, tuple(projects), count)
        for start in range(0, count, JOB * JOBS):
            jobs = [
                partial(
                    _write, shape=shape, start=first, texts=some, vectors=vectors.of(first, JOB)
                )
                for first in range(start, min(start + JOB * JOBS, count), JOB)
                if (some := list(islice(texts, JOB)))
            ]
            await asyncio.gather(*[store.writer.run(job) for job in jobs])
        await store.writer.run(partial(_build_index, shape=shape))
    finally:
        await store.close()


def _enlarge_cache(connection: Connection) -> None:
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")


class Vectors:
    """Vectors in any number: the first are real, the others lie among them as texts do."""

    def __init__(self, real: np.ndarray) -> None:
        self.real = real.astype("<f4")

    def of(self, start: int, count: int) -> np.ndarray:
        """Return the vectors of the texts from a place on."""
        made = self._mixed(np.random.default_rng(SEED + start), count)
        own = self.real[start : start + count]
        made[: len(own)] = own
        return made

    def _mixed(self, rng: np.random.Generator, count: int) -> np.ndarray:
        # Two neighbours and noise give pairs of cosines as wide apart as those of real texts.
        places = rng.integers(0, len(self.real), size=(2, count))
        noise = rng.standard_normal((count, self.real.shape[1])).astype("<f4")
        noise /= np.linalg.norm(noise, axis=1, keepdims=True)
        made = OWN_SHARE * self.real[places[0]] + OTHER_SHARE * self.real[places[1]] + NOISE * noise
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return np.asarray(made, dtype="<f4")


def _write(
    connection: Connection, *, shape: Shape, start: int, texts: list[Text], vectors: np.ndarray
) -> None:
    rng = random.Random(SEED + start)
    oldest_ms = now_ms() - shape.count * DAY_MS // 500
    for place, text in enumerate(texts):
        at_ms = oldest_ms + (start + place) * DAY_MS // 500
        new = _memory(text, rng.choice(shape.projects), rng.choice(KINDS), at_ms)
        number = insert_memory(connection, new)
        vector = vectors[place].tobytes()
        for (passage,) in _passages(connection, number):
            put_embedding(
                connection, passage, model=shape.model, dimension=shape.dimension, vector=vector
            )


def _build_index(connection: Connection, *, shape: Shape) -> None:
    derived.rebuild_vectors(connection, model=shape.model, dimension=shape.dimension, clock=now_ms)


def _passages(connection: Connection, number: int) -> Iterator[tuple[int]]:
    sql = "SELECT id FROM passage WHERE memory_number = ?"
    return iter(connection.execute(sql, (number,)).fetchall())


def _memory(text: Text, project: int, kind: str, at_ms: int) -> NewMemory:
    return NewMemory(
        id=uuid7(at_ms),
        project=project,
        content=text.content,
        kind=kind,
        source="agent",
        actor="agent",
        device="bench",
        at_ms=at_ms,
        spans=tuple(split(text.content)),
        anchors=(AnchorRow(text.file, None),),
    )
