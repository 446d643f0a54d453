"""A person's store with the labelled projects in it, among any number of other memories."""

from __future__ import annotations

import json
import subprocess
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from distractors import distractors
from seeds import DAY_MS

from hitherto_contract import RememberRequest
from hitherto_server.app import open_services
from hitherto_server.core.clock import now_ms, uuid7
from hitherto_server.core.home import Home
from hitherto_server.core.settings import Settings
from hitherto_server.core.text import identifiers_in
from hitherto_server.gates.remember import remember
from hitherto_server.recall.passages import split
from hitherto_server.sessions.call import read_call
from hitherto_server.store.derived import rebuild_vectors
from hitherto_server.store.memories import NewMemory, insert_memory
from hitherto_server.store.passages import list_waiting, put_embedding

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from labelled import LabelledMemory, LabelledProject
    from vectors import KeptVectors

    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection

BATCH = 500
ELSEWHERE = 12
"""Projects beside the labelled ones; they hold half of the other memories."""


@dataclass
class LabelledStore:
    """A server's parts over a store with labels, and the way of a prompt through them."""

    services: Services
    folders: dict[str, Path]
    names: dict[str, str] = field(default_factory=dict)
    """By id, the name of each labelled memory; other memories have none."""
    asked: int = 0

    async def prompt(self, project: str, session: str, text: str) -> list[str]:
        """Return the ids of what the prompt hook gives for a prompt, in order."""
        self.asked += 1
        said = {
            "session_id": session,
            "cwd": str(self.folders[project]),
            "prompt": text,
            "prompt_id": str(self.asked),
        }
        call = read_call("UserPromptSubmit", json.dumps(said).encode(), at_ms=now_ms())
        reply = await self.services.sessions.take(call)
        if reply is None:
            return []
        return ids_in(reply["hookSpecificOutput"]["additionalContext"])


def ids_in(block: str) -> list[str]:
    """Return the ids of the memories that a block shows."""
    return [
        line[2:].split(" ")[0]
        for line in block.splitlines()
        if line.startswith("- ") and line[2:38].count("-") == 4
    ]


class NoModel:
    """An embedder on a machine without a model."""

    state = "absent"
    model = None

    def begin(self, *_: Any, **__: Any) -> Any:
        """Never asked: there is no model."""
        raise NotImplementedError


@asynccontextmanager
async def labelled_store(
    folder: Path,
    projects: Sequence[LabelledProject],
    others: int,
    vectors: KeptVectors,
    *,
    has_model: bool = True,
) -> AsyncIterator[LabelledStore]:
    """Open a new store with the projects' memories and as many others."""
    home = Home(folder / "home")
    home.create()
    async with open_services(home, Settings(), token="bench", port=0) as services:
        services.recaller.embedder = vectors if has_model else NoModel()
        folders = {one.name: _tree(folder / one.name, one.memories) for one in projects}
        store = LabelledStore(services, folders)
        await _fill(store, projects, others, vectors)
        yield store


def _tree(folder: Path, memories: Sequence[LabelledMemory]) -> Path:
    """Make a working tree whose files hold what the memories name."""
    folder.mkdir(parents=True)
    for memory in memories:
        for path in memory.files:
            file = folder / path
            if path.endswith("/") or file.is_dir():
                file.mkdir(parents=True, exist_ok=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            named = "\n".join(identifiers_in(memory.text))
            with file.open("a", encoding="utf-8") as written:
                written.write(f"{named}\n")
    _git_init(folder)
    return folder


def _git_init(folder: Path) -> None:
    git = partial(subprocess.run, cwd=folder, check=True, capture_output=True)
    git(["git", "init", "--quiet"])
    git(["git", "remote", "add", "origin", f"https://example.org/bench/{folder.name}.git"])


async def _fill(
    store: LabelledStore,
    projects: Sequence[LabelledProject],
    others: int,
    vectors: KeptVectors,
) -> None:
    for project in projects:
        for memory in project.memories:
            await _remember(store, project.name, memory)
    homes = [await _number(store, folder) for folder in store.folders.values()]
    aliens = [await _number(store, _alien(store, number)) for number in range(ELSEWHERE)]
    news = [
        _memory(_taken_in_turn(homes if at % 2 else aliens, at // 2), text)
        for at, text in enumerate(distractors(others))
    ]
    write = store.services.store.writer.run
    for start in range(0, len(news), BATCH):
        await write(partial(_insert, news=news[start : start + BATCH]))
    while await write(partial(_embed, vectors=vectors)):
        pass
    described = vectors.model
    await write(
        partial(rebuild_vectors, model=described.name, dimension=described.dimension, clock=now_ms)
    )


def _taken_in_turn(projects: list[int], turn: int) -> int:
    return projects[turn % len(projects)]


async def _remember(store: LabelledStore, project: str, memory: LabelledMemory) -> None:
    """Remember as an agent does, through every gate."""
    request = RememberRequest.model_validate(
        {
            "content": memory.text,
            "kind": memory.kind,
            "files": list(memory.files),
            "project_dir": str(store.folders[project]),
        }
    )
    reply = await remember(store.services.writes, request)
    if reply.outcome != "stored":
        message = f"{project}/{memory.name} was not stored: {reply}"
        raise RuntimeError(message)
    store.names[reply.id] = memory.name


async def _number(store: LabelledStore, folder: Path) -> int:
    return (await store.services.projects.get(str(folder))).number


def _alien(store: LabelledStore, number: int) -> Path:
    folder = store.services.home.root.parent / f"elsewhere{number:02d}"
    folder.mkdir()
    _git_init(folder)
    return folder


def _memory(project: int, text: str) -> NewMemory:
    at_ms = now_ms() - DAY_MS
    return NewMemory(
        id=uuid7(at_ms),
        project=project,
        content=text,
        kind="fact",
        source="agent",
        actor="agent",
        device="bench",
        at_ms=at_ms,
        spans=tuple(split(text)),
    )


def _insert(connection: Connection, *, news: list[NewMemory]) -> None:
    for new in news:
        insert_memory(connection, new)


def _embed(connection: Connection, *, vectors: KeptVectors) -> int:
    described = vectors.model
    waiting = list_waiting(connection, model=described.name, limit=BATCH)
    for passage in waiting:
        vector = vectors.of(passage.text).tobytes()
        put_embedding(
            connection,
            passage.id,
            model=described.name,
            dimension=described.dimension,
            vector=vector,
        )
    return len(waiting)
