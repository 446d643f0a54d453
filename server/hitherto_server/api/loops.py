"""Routes over loops: what the tool asks, and what a person lists."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract import LoopRequest, LoopsRequest
from hitherto_server.api.memories import Wired
from hitherto_server.api.operations import loop_desk, perform
from hitherto_server.api.replies import json_response

router = APIRouter(prefix="/v1")


@router.post("/loop")
async def loop(asked: LoopRequest, services: Wired) -> Response:
    """Start a loop, end it, look at it, or say how far it is."""
    return json_response(await perform(services, asked))


@router.post("/loops")
async def loops(asked: LoopsRequest, services: Wired) -> Response:
    """List the newest loops."""
    return json_response(await loop_desk(services).list(asked))
