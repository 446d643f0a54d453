"""What recall itself makes of the relevance set: a store of its memories, asked as prompts ask."""

from __future__ import annotations

import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.benches.sets import load_relevance
from hitherto_server.benches.trial import Said
from hitherto_server.core.clock import now_ms, uuid7
from hitherto_server.core.settings import Settings
from hitherto_server.gates.context import WriteContext
from hitherto_server.gates.remember import remember
from hitherto_server.judge.surfaces.rerank import MOST_CANDIDATES
from hitherto_server.maintenance.indexer import Indexer
from hitherto_server.recall.admission import Occasion
from hitherto_server.recall.hits import Question
from hitherto_server.recall.passages import split
from hitherto_server.recall.pipeline import Recaller
from hitherto_server.sessions.prompt.silence import silent_because
from hitherto_server.store.database import open_store
from hitherto_server.store.projects import Projects

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from hitherto_server.benches.cosines import Cosines
    from hitherto_server.benches.items import Request
    from hitherto_server.store.database import Store

TOKENS = 100_000
"""No budget: what is measured is the floor."""


@dataclass(frozen=True)
class Shelf:
    """A store with the set's memories in one project."""

    recaller: Recaller
    project: int
    numbers: dict[str, int]
    """The memories' numbers by their text."""


async def ranked_by_recall(cosines: Cosines) -> list[Sequence[Said]]:
    """Return of each request's memories whether a prompt would be given them, and in which order.

    All memories of the set are in one project: what belongs to other requests is in the way.
    """
    requests = load_relevance()
    async with _shelf(requests, cosines) as shelf:
        return [await _given(shelf, one) for one in requests]


@asynccontextmanager
async def _shelf(requests: Sequence[Request], cosines: Cosines) -> AsyncIterator[Shelf]:
    with tempfile.TemporaryDirectory() as folder:
        root = _real(folder)
        store = await open_store(root / "bench.db", backups=root, clock=now_ms, readers=1)
        try:
            yield await _filled(store, root, requests, cosines)
        finally:
            await store.close()


def _real(folder: str) -> Path:
    return Path(folder).resolve()


async def _filled(store: Store, root: Path, requests: Sequence[Request], cosines: Cosines) -> Shelf:
    projects = Projects(store, now_ms)
    writes = WriteContext(
        store=store,
        projects=projects,
        anchorer=lambda *_: (),
        splitter=split,
        clock=now_ms,
        device="bench",
        on_written=lambda: None,
    )
    ids = {
        one.content: (await remember(writes, _wish(one.content, root), waits=False)).id
        for request in requests
        for one in request.candidates
    }
    await Indexer(store, cosines.models, now_ms).catch_up()
    numbers = await store.readers.run(
        lambda c: {row["id"]: row["number"] for row in c.execute("SELECT id, number FROM memory")}
    )
    project = await projects.get(str(root))
    recaller = Recaller(store, cosines.models, Settings(), now_ms)
    return Shelf(recaller, project.number, {text: numbers[one] for text, one in ids.items()})


def _wish(content: str, root: Path) -> contract.RememberRequest:
    return contract.RememberRequest(content=content, project_dir=str(root), actor="bench")


async def _given(shelf: Shelf, request: Request) -> list[Said]:
    at_ms = now_ms()
    occasion = Occasion(
        session_id=request.id,
        channel="prompt",
        admission=uuid7(at_ms),
        at_ms=at_ms,
        memories=MOST_CANDIDATES,
        tokens=TOKENS,
    )
    question = Question(text=request.request, project=shelf.project, root=None)
    decisions = (await shelf.recaller.consider(question, occasion)).decisions
    is_searched = silent_because(request.request) is None
    given = {one.found.number for one in decisions if one.outcome == "injected"}
    places = {one.found.number: -place for place, one in enumerate(decisions)}
    last = -len(decisions)
    return [
        Said(
            "given" if is_searched and number in given else "left out",
            order=places.get(number, last),
        )
        for number in (shelf.numbers[one.content] for one in request.candidates)
    ]
