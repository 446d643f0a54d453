"""Routes over clean-up: what could go, be merged, moved or settled, and taking that back."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response, StreamingResponse

from hitherto_contract.cleaning import (
    CleaningActions,
    CleaningActionsQuery,
    CleaningActionView,
    CleaningApplyRequest,
    CleaningCancelled,
    CleaningDone,
    CleaningEntry,
    CleaningList,
    CleaningMemory,
    CleaningPage,
    CleaningQuery,
    CleaningRequest,
    CleaningScore,
    CleaningUndone,
    CleaningUndoRequest,
    TriageView,
)
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.api.triage import backend_of
from hitherto_server.cleaning.cleaner import Cleaner, Where, where_is
from hitherto_server.cleaning.expendable import MOST
from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.text import is_count
from hitherto_server.store.cleaning import LAST, list_actions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send

    from hitherto_server.cleaning.applying import Done
    from hitherto_server.cleaning.entries import Entry, Member
    from hitherto_server.cleaning.runs import Run
    from hitherto_server.cleaning.triage import Snapshot
    from hitherto_server.services import Services
    from hitherto_server.store.driver import Row

MOST_A_PAGE = 200
A_PAGE = 50
SHOWN_MEANWHILE = 50
"""So many of the ranking a snapshot brings; the last one brings all of it."""
NDJSON = "application/x-ndjson"

router = APIRouter(prefix="/v1/cleaning")


def make_cleaner(services: Services) -> Cleaner:
    """Return what cleans up, made of a server's parts; one a server, since it knows what runs."""
    return Cleaner(
        store=services.store,
        lookout=services.recaller.lookout,
        writes=services.writes,
        judge=services.judge,
        clock=services.clock,
        backend=lambda: backend_of(services),
    )


def cleaner_of(request: Request) -> Cleaner:
    """Return the cleaner that the app was made with."""
    cleaner: Cleaner = request.app.state.cleaner
    return cleaner


Cleaning = Annotated[Cleaner, Depends(cleaner_of)]


@router.get("/actions")
async def actions(asked: Annotated[CleaningActionsQuery, Query()], services: Wired) -> Response:
    """List what was done with the lists, the latest first."""
    if asked.cursor is not None and not is_count(asked.cursor):
        message = f"the cursor {asked.cursor[:40]!r} is of no such list"
        raise InvalidInput(message, mend="Take the cursor from the page before.")
    before = LAST if asked.cursor is None else min(int(asked.cursor), LAST)
    rows = await services.store.readers.run(
        lambda connection: list_actions(connection, before=before, most=asked.limit)
    )
    more = str(rows[-1]["id"]) if len(rows) == asked.limit else None
    return json_response(CleaningActions(actions=[_action_view(row) for row in rows], cursor=more))


@router.get("/{which}")
async def read(
    which: CleaningList,
    asked: Annotated[CleaningQuery, Query()],
    services: Wired,
    cleaner: Cleaning,
) -> Response:
    """Return a page of a list; with `stream` the expendable ones are judged meanwhile."""
    where = await _where(services, asked.project_dir)
    if asked.stream and which == "expendable":
        run = await cleaner.begin_triage(where, most=asked.limit or MOST, origin="ui")
        return Streamed(run, services)
    limit = min(asked.limit or A_PAGE, MOST_A_PAGE)
    page = await cleaner.page(which, where, limit=limit, cursor=asked.cursor)
    entries = [_entry_view(one) for one in page.entries]
    return json_response(CleaningPage(which=which, entries=entries, cursor=page.cursor))


@router.post("/expendable/cancel")
async def cancel(cleaner: Cleaning) -> Response:
    """End the run that judges, if one is on."""
    return json_response(CleaningCancelled(cancelled=cleaner.runs.cancel()))


@router.post("/undo")
async def undo(asked: CleaningUndoRequest, cleaner: Cleaning) -> Response:
    """Take an action back as a whole."""
    done = await cleaner.undo(asked.action, actor=asked.actor)
    return json_response(CleaningUndone.model_validate({**vars(done)}))


@router.post("/{which}/apply")
async def apply(which: CleaningList, asked: CleaningApplyRequest, cleaner: Cleaning) -> Response:
    """Do what entries offer, all of them or none."""
    done = await cleaner.act(which, "apply", asked.ids, actor=asked.actor, choice=asked.choice)
    return _done_response(which, done)


@router.post("/{which}/dismiss")
async def dismiss(which: CleaningList, asked: CleaningRequest, cleaner: Cleaning) -> Response:
    """Leave things as they are and offer entries no more, all of them or none."""
    done = await cleaner.act(which, "dismiss", asked.ids, actor=asked.actor)
    return _done_response(which, done)


class Streamed(StreamingResponse):
    """Snapshots of a run as lines of JSON; the run ends with whoever listens."""

    def __init__(self, run: Run[Snapshot], services: Services) -> None:
        super().__init__(_lines(run), media_type=NDJSON)
        self._run, self._services = run, services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what comes until the run, the listener or the server ends."""
        ending = asyncio.create_task(self._end_with_server())
        try:
            await super().__call__(scope, receive, send)
        finally:
            ending.cancel()
            await self._run.end()

    async def _end_with_server(self) -> None:
        await self._services.stopping.wait()
        self._run.cancel()


async def _lines(run: Run[Snapshot]) -> AsyncIterator[str]:
    last: Snapshot | None = None
    async with aclosing(run.follow()) as snapshots:
        async for last in snapshots:
            yield _line(last, is_cancelled=False)
    if last is not None and not last.done:
        yield _line(last, is_cancelled=True)


def _line(snapshot: Snapshot, *, is_cancelled: bool) -> str:
    is_last = snapshot.done or is_cancelled
    found = snapshot.found if is_last else snapshot.found[:SHOWN_MEANWHILE]
    page = CleaningPage(
        which="expendable",
        entries=[_entry_view(one.entry) for one in found],
        triage=TriageView(
            candidates=len(snapshot.found),
            scored=len(snapshot.found) - snapshot.waiting,
            judged=snapshot.judged,
            reused=snapshot.reused,
            failed={str(reason): count for reason, count in (snapshot.failed or {}).items()},
            done=is_last,
            cancelled=is_cancelled,
        ),
    )
    return page.model_dump_json() + "\n"


async def _where(services: Services, project_dir: str | None) -> Where:
    if project_dir is None:
        return where_is(None, is_named=False)
    return where_is(await services.projects.find(project_dir), is_named=True)


def _done_response(which: CleaningList, done: Done) -> Response:
    return json_response(
        CleaningDone(
            action=done.action, which=which, entries=done.entries, revisions=dict(done.revisions)
        )
    )


def _entry_view(entry: Entry) -> CleaningEntry:
    score = entry.score
    return CleaningEntry(
        id=entry.handle,
        memories=[_memory_view(one) for one in entry.members],
        reasons=list(entry.reasons),
        said_by=entry.said_by,
        probability=entry.probability,
        said_at_ms=entry.said_at_ms,
        choices=list(entry.choices),
        category=entry.goal_name,
        score=None if score is None else CleaningScore.model_validate(vars(score)),
    )


def _memory_view(member: Member) -> CleaningMemory:
    names = ("id", "revision", "kind", "project", "category", "importance", "source")
    return CleaningMemory.model_validate(
        {name: getattr(member, name) for name in names}
        | {
            "text": member.text,
            "scope": "user" if member.is_user_wide else "project",
            "learned_at_ms": member.learned_at_ms,
        }
    )


def _action_view(row: Row) -> CleaningActionView:
    names = ("deed", "actor", "memories", "done_at_ms", "undone_at_ms", "undone_by")
    return CleaningActionView.model_validate(
        {name: row[name] for name in names} | {"action": row["id"], "which": row["list"]}
    )
