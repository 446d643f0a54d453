"""The route that erases: for a person, so it is no tool of an agent."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract import EraseRequest
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.maintenance.erase import Eraser

router = APIRouter(prefix="/v1")


@router.post("/erase")
async def erase(asked: EraseRequest, services: Wired) -> Response:
    """Erase a memory or a text from everything that is kept; count it first."""
    await services.sessions.drain()  # what waits is noted now, not after it was looked for
    writes = services.writes
    eraser = Eraser(
        services.home, services.store, writes.splitter, writes.on_written, services.backups
    )
    async with services.judge.forgetting():
        return json_response(await eraser.erase(asked))
