"""Routes over export and import: the files lie in the data home, so no path comes from outside."""

from __future__ import annotations

import secrets
from functools import partial

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract.transfer import ExportReply, ExportRequest, ImportRequest
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.store.projects import list_projects
from hitherto_server.transfer.importing import Importing
from hitherto_server.transfer.outgoing import choose_project, write_export

router = APIRouter(prefix="/v1")


@router.post("/export")
async def export(asked: ExportRequest, services: Wired) -> Response:
    """Write an export beside the backups; the caller moves it away."""
    path = services.home.backups / f".export-{secrets.token_hex(8)}.jsonl.part"
    project = None
    if asked.project is not None:
        projects = await services.store.readers.run(list_projects)
        project = choose_project(projects, asked.project)
    writing = partial(
        write_export, path=path, project=project, trashed=asked.trashed, at_ms=services.clock()
    )
    done = await services.store.readers.run(writing)
    return json_response(
        ExportReply(path=str(path), counts=done.counts, trashed_left_out=done.left_out)
    )


@router.post("/import")
async def import_(asked: ImportRequest, services: Wired) -> Response:
    """Take in a file that the caller put beside the backups, whole or not at all."""
    await services.sessions.drain()
    importing = Importing(
        store=services.store,
        backups=services.backups,
        splitter=services.writes.splitter,
        clock=services.clock,
        folder=services.home.backups,
        on_written=services.writes.on_written,
    )
    reply = await importing.take(asked)
    await services.quiet.load()
    return json_response(reply)
