"""The proof of use: a memory of an import that recall would have given for a later prompt."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.clock import uuid7
from hitherto_server.gates.secrets import redact
from hitherto_server.history.session import read_session
from hitherto_server.history.sources import standing_folder
from hitherto_server.recall.admission import CANDIDATE, Occasion
from hitherto_server.recall.hits import Question
from hitherto_server.sessions.prompt.silence import silent_because
from hitherto_server.store import history as rows
from hitherto_server.store.projects import USER_WIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.settings import Settings
    from hitherto_server.history.session import Asked
    from hitherto_server.history.sources import Source
    from hitherto_server.maintenance.indexer import Indexer
    from hitherto_server.recall.admission import Decision
    from hitherto_server.recall.pipeline import Recaller
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.projects import Project, Projects

MOST_FILES, MOST_BYTES, MOST_PROMPTS = 200, 60_000_000, 2000
MOST_TRIED, MOST_OF_A_PROJECT = 120, 30
"""So many prompts are put to recall, of projects that the import brought something for."""
EMBEDDED_WITHIN_S, POLL_S = 30.0, 0.1
PROMPT_CHARS = 200


@dataclass(frozen=True)
class Shown:
    """A prompt of the person's, and the memory that it would have been given."""

    prompt: str
    asked_at_ms: int
    memory_id: str
    content: str
    learned_at_ms: int
    is_candidate: bool
    """Recall finds it, and gives it unasked once it is admitted."""


@dataclass(frozen=True)
class _Origin:
    """Where a memory of the import comes from."""

    project: int
    session_id: str | None


@dataclass(frozen=True)
class Showcase:
    """Finds what to show, by the very recall that prompts get."""

    store: Store
    projects: Projects
    recaller: Recaller
    indexer: Indexer
    settings: Settings
    clock: Clock

    async def find(
        self, import_id: int, sources: Sequence[Source], told: Callable[[int], None]
    ) -> Shown | None:
        """Return the latest prompt that would have been given a memory of this import."""
        await self._embedded()
        origins = await self.store.readers.run(lambda c: _origins(c, import_id))
        waiting: Shown | None = None
        tried: Counter[int] = Counter()
        for asked in await asyncio.to_thread(_prompts, list(sources), told) if origins else ():
            project = await self._project_of(asked, {one.project for one in origins.values()})
            if project is None or tried[project.number] >= MOST_OF_A_PROJECT:
                continue
            if tried.total() >= MOST_TRIED:
                break
            tried[project.number] += 1
            shown = await self._shown_for(asked, project, origins)
            if shown is not None and not shown.is_candidate:
                return shown
            waiting = waiting or shown
        return waiting

    async def _embedded(self) -> None:
        """Wait until the new memories are found by meaning too; without a model nothing waits."""
        for _ in range(round(EMBEDDED_WITHIN_S / POLL_S)):
            if not await self.indexer.waiting():
                return
            await asyncio.sleep(POLL_S)

    async def _project_of(self, asked: Asked, brought: set[int]) -> Project | None:
        """Return a prompt's project, if the import brought something that it may be given."""
        if not asked.folder.startswith("/"):
            return None
        folder = await asyncio.to_thread(standing_folder, asked.folder)
        project = await self.projects.find(folder)
        if project is None or not brought & {project.number, USER_WIDE}:
            return None
        return project

    async def _shown_for(
        self, asked: Asked, project: Project, origins: dict[int, _Origin]
    ) -> Shown | None:
        question = Question(text=asked.text, project=project.number, root=project.root)
        occasion = Occasion(
            session_id="",
            channel="prompt",
            admission=uuid7(self.clock()),
            at_ms=self.clock(),
            memories=self.settings.prompt_memories,
            tokens=self.settings.prompt_tokens,
        )
        admission = await self.recaller.consider(question, occasion)
        for one in admission.decisions:
            if _counts(one, asked, origins):
                return Shown(
                    prompt=redact(asked.text).text[:PROMPT_CHARS],
                    asked_at_ms=asked.at_ms,
                    memory_id=one.found.id,
                    content=one.found.content,
                    learned_at_ms=one.found.learned_at_ms,
                    is_candidate=one.found.tier == "candidate",
                )
        return None


def _counts(one: Decision, asked: Asked, origins: dict[int, _Origin]) -> bool:
    """Tell whether a memory was there before the prompt, from another session, and fits it."""
    fits = one.outcome == "injected" or (one.reason == CANDIDATE and one.found.below is None)
    origin = origins.get(one.found.number)
    is_another = origin is not None and origin.session_id != asked.session_id
    return fits and is_another and one.found.learned_at_ms < asked.at_ms


def _origins(connection: Connection, import_id: int) -> dict[int, _Origin]:
    """Return an import's memories, each with the project and the session that it comes from."""
    found = rows.list_memories(connection, import_id)
    return {
        row["number"]: _Origin(row["project_id"] or USER_WIDE, row["session_id"]) for row in found
    }


def _prompts(sources: list[Source], told: Callable[[int], None]) -> list[Asked]:
    """Return the latest prompts of the latest transcripts that ask for something."""
    found: list[Asked] = []
    room = MOST_BYTES
    for source in [one for one in reversed(sources) if one.kind == "transcript"][:MOST_FILES]:
        room -= source.size
        if room < 0 or len(found) >= MOST_PROMPTS:
            break
        asked = read_session(source.path, told).asked
        found += [one for one in reversed(asked) if silent_because(one.text) is None]
    return found[:MOST_PROMPTS]
