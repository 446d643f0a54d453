"""A store as it looks after months of use: thousands of memories over twenty projects."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from harness import SEED
from prompts import DEEDS, KNOWN, OBJECTS, REASONS, SUBJECTS

from hitherto_server.core.clock import now_ms, uuid7
from hitherto_server.core.git import Head
from hitherto_server.gates.anchoring import tie_to_files
from hitherto_server.gates.context import Place
from hitherto_server.models.runtime import embed_text, load_model
from hitherto_server.models.sources import fetch_model
from hitherto_server.recall.passages import split
from hitherto_server.standing.files import FileStates
from hitherto_server.store.database import open_store
from hitherto_server.store.derived import rebuild_vectors
from hitherto_server.store.memories import AnchorRow, NewMemory, insert_memory
from hitherto_server.store.passages import put_embedding
from hitherto_server.store.projects import Projects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homes import Person

    from hitherto_server.core.home import Home
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.projects import Project

PROJECTS = 20
BATCH = 500
DAY_MS = 86_400_000


@dataclass(frozen=True)
class Seed:
    """One memory to write; without a vector of its own it gets a random one."""

    content: str
    project: int
    anchors: tuple[AnchorRow, ...]
    vector: bytes | None = None


def seed_store(home: Home, folder: Path, count: int) -> Path:
    """Fill a data home whose server is down; returns the folder of the project in question."""
    folders = make_projects(folder)
    asyncio.run(_fill(home, folders, count))
    return folders[0]


def make_projects(folder: Path) -> list[Path]:
    """Make the working trees of all projects."""
    return [make_project(folder / f"project{number:02d}", number) for number in range(PROJECTS)]


def make_project(folder: Path, number: int) -> Path:
    """Make a working tree with a remote and the files that memories name."""
    folder.mkdir(parents=True)
    for path, content in KNOWN:
        file = folder / path
        file.parent.mkdir(exist_ok=True)
        named = content.split("`")[1] if "`" in content else "setting"
        file.write_text(f"# {path}\n\ndef {named.replace(' ', '_').lower()}():\n    return 1\n")
    git = partial(subprocess.run, cwd=folder, check=True, capture_output=True)
    git(["git", "init", "--quiet"])
    git(["git", "remote", "add", "origin", f"https://example.org/bench/project{number:02d}.git"])
    return folder


async def _fill(home: Home, folders: list[Path], count: int) -> None:
    home.create()
    model = load_model(fetch_model(home.models))
    store = await open_store(home.database, backups=home.backups, clock=now_ms, readers=1)
    try:
        projects = [await Projects(store, now_ms).get(str(folder)) for folder in folders]
        seeds = [*_known(projects[0], partial(embed_text, model))]
        seeds += _others([one.number for one in projects], count - len(seeds))
        random.Random(SEED).shuffle(seeds)
        described = model.files.description
        write = partial(_write, model=described.name, dimension=described.dimension)
        for start in range(0, len(seeds), BATCH):
            await store.writer.run(partial(write, seeds=seeds[start : start + BATCH], start=start))
        build = partial(
            rebuild_vectors, model=described.name, dimension=described.dimension, clock=now_ms
        )
        await store.writer.run(build)
    finally:
        await store.close()


def _known(project: Project, embed: object) -> Iterator[Seed]:
    files, place = FileStates(), Place(project, Head(None, None))
    for path, content in KNOWN:
        vector = embed(content).tobytes()  # type: ignore[operator]
        yield Seed(content, project.number, tie_to_files(files, content, [path], [], place), vector)


def _others(projects: list[int], count: int) -> Iterator[Seed]:
    rng = random.Random(SEED)
    for number in range(count):
        subject, deed, thing, reason = (
            rng.choice(words) for words in (SUBJECTS, DEEDS, OBJECTS, REASONS)
        )
        content = (
            f"The {subject} of unit {number} {deed} {thing} {reason}. "
            f"`{subject}_{thing}_{number % 97}` was tried with {rng.randrange(2, 4000)} of them "
            f"and took {rng.randrange(2, 900)} ms; {rng.choice(OBJECTS)} are not affected."
        )
        anchor = AnchorRow(rng.choice(KNOWN)[0], None)
        yield Seed(content, projects[number % len(projects)], (anchor,))


def _write(
    connection: Connection, *, seeds: list[Seed], start: int, model: str, dimension: int
) -> None:
    rng = np.random.default_rng(SEED + start)
    sql = "SELECT id FROM passage WHERE memory_number = ? ORDER BY position"
    for place, seed in enumerate(seeds):
        number = insert_memory(connection, _memory(seed, now_ms() - (start + place) * DAY_MS // 50))
        for (passage,) in connection.execute(sql, (number,)).fetchall():
            vector = seed.vector or _unit(rng, dimension)
            put_embedding(connection, passage, model=model, dimension=dimension, vector=vector)


def _memory(seed: Seed, at_ms: int) -> NewMemory:
    return NewMemory(
        id=uuid7(at_ms),
        project=seed.project,
        content=seed.content,
        kind="fact",
        source="agent",
        actor="agent",
        device="bench",
        at_ms=at_ms,
        spans=tuple(split(seed.content)),
        anchors=seed.anchors,
    )


def _unit(rng: np.random.Generator, dimension: int) -> bytes:
    vector = rng.standard_normal(dimension).astype("<f4")
    return bytes((vector / np.linalg.norm(vector)).astype("<f4").tobytes())


def seeded(data: Path, who: Person, count: int) -> Path:
    """Give a person's server its memories, made once and copied from then on."""
    kept = data / f"seeds-{count}-{_recipe()}"
    folder = who.folder / "src"
    if kept.exists():
        shutil.copyfile(kept, who.home.database)
        who.home.database.chmod(0o600)
        return make_projects(folder)[0]
    project = seed_store(who.home, folder, count)
    kept.parent.mkdir(parents=True, exist_ok=True)
    copied = kept.with_suffix(f".{os.getpid()}")
    shutil.copyfile(who.home.database, copied)
    copied.replace(kept)
    return project


def _recipe() -> str:
    """Name what the store depends on: seeds of another recipe are not used again."""
    here = Path(__file__).parent
    sources = [here / "seeds.py", here / "prompts.py"]
    for package in ("hitherto_migrations", "hitherto_server.store", "hitherto_server.recall"):
        folder = Path(find_spec(package).submodule_search_locations[0])  # type: ignore[union-attr,index]
        sources += sorted(
            [*folder.glob("*.sql"), *folder.glob("passages.py"), *folder.glob("derived.py")]
        )
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
