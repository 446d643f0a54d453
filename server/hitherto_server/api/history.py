"""Routes over a client's history and the queue of candidates: for a person, no tool of an agent."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract import (
    AdmitReply,
    AdmitRequest,
    CandidatesReply,
    CandidatesRequest,
    CandidateView,
    HistoryImportRequest,
    HistoryReply,
    HistoryRequest,
    HistorySample,
    HistoryShown,
    HistoryUndone,
    HistoryUndoRequest,
    ImportsReply,
    ImportView,
)
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.gates.promotion import admit_confirmed
from hitherto_server.history.undoing import undo_import
from hitherto_server.store.candidates import list_waiting
from hitherto_server.store.history import list_imports
from hitherto_server.store.memories import get_row
from hitherto_server.store.projects import USER_WIDE

if TYPE_CHECKING:
    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection, Row

router = APIRouter(prefix="/v1")


@router.get("/history")
async def progress(services: Wired) -> Response:
    """Say how far it is."""
    return json_response(reply_of(services))


@router.post("/history/look")
async def look(asked: HistoryRequest, services: Wired) -> Response:
    """Begin to count what an import would bring."""
    await services.history.look(asked.client_home)
    return json_response(reply_of(services))


@router.post("/history/import")
async def begin(asked: HistoryImportRequest, services: Wired) -> Response:
    """Begin an import, or go on with one."""
    await services.history.begin(asked.client_home, admits=asked.admits)
    return json_response(reply_of(services))


@router.post("/history/undo")
async def undo(asked: HistoryUndoRequest, services: Wired) -> Response:
    """Take an import back."""
    services.history.refuse_if_busy()
    job = partial(undo_import, number=asked.number, at_ms=services.clock())
    done = await services.store.writer.run(job)
    return json_response(
        HistoryUndone(number=done.import_id, trashed=done.trashed, stays=list(done.stays))
    )


@router.get("/history/imports")
async def imports(services: Wired) -> Response:
    """List every import."""
    rows = await services.store.readers.run(list_imports)
    return json_response(ImportsReply(imports=[_import_view(row) for row in rows]))


@router.post("/candidates")
async def candidates(asked: CandidatesRequest, services: Wired) -> Response:
    """List what waits to be admitted, and why."""
    scopes: list[int] | None = None
    if asked.project_dir is not None:
        project = await services.projects.find(asked.project_dir)
        scopes = [USER_WIDE] if project is None else [project.number, USER_WIDE]
    job = partial(list_waiting, projects=scopes, most=asked.limit)
    rows = await services.store.readers.run(job)
    return json_response(CandidatesReply(candidates=[_candidate_view(row) for row in rows]))


@router.post("/candidates/admit")
async def admit(asked: AdmitRequest, services: Wired) -> Response:
    """Admit candidates, all or none."""
    at_ms = services.clock()

    def job(connection: Connection) -> list[str]:
        rows = [get_row(connection, one) for one in dict.fromkeys(asked.ids)]
        waiting = [row for row in rows if row["tier"] == "candidate"]
        for row in waiting:
            admit_confirmed(connection, row, actor="person", at_ms=at_ms)
        return [row["id"] for row in waiting]

    return json_response(AdmitReply(admitted=await services.store.writer.run(job)))


def reply_of(services: Services) -> HistoryReply:
    """Return how far the look or the import is."""
    now = services.history.progress
    return HistoryReply(
        phase=now.phase,
        number=now.import_id,
        files=now.files,
        files_done=now.files_done,
        bytes=now.bytes,
        bytes_done=now.bytes_done,
        unchanged=now.unchanged,
        skipped_lines=now.skipped_lines,
        failed_files=now.failed_files,
        by_kind=dict(now.by_kind),
        by_project=dict(now.by_project),
        samples=[
            HistorySample.model_validate({"kind": kind, "project": project, "text": text})
            for kind, project, text in now.samples
        ],
        outcomes=dict(now.outcomes),
        admitted=now.admitted,
        shown=None if now.shown is None else _shown_view(asdict(now.shown)),
        failure=now.failure,
    )


def _shown_view(shown: dict[str, object]) -> HistoryShown:
    return HistoryShown.model_validate({"memory": shown.pop("memory_id"), **shown})


def _import_view(row: Row) -> ImportView:
    names = ("began_at_ms", "finished_at_ms", "undone_at_ms", "memories")
    return ImportView(number=row["id"], **{name: row[name] for name in names})


def _candidate_view(row: Row) -> CandidateView:
    names = ("id", "revision", "kind", "content", "learned_at_ms", "waits_since_ms")
    same = {name: row[name] for name in names}
    return CandidateView(project=row["project_name"], because=row["held_back_because"], **same)
