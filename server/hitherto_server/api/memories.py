"""Routes over memories: write, change, list, ask."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from hitherto_contract import (
    CategoriesRequest,
    ForgetRequest,
    MemoriesRequest,
    RecallRequest,
    ReflectRequest,
    RememberRequest,
    RestoreRequest,
    SyncRequest,
    WhyRequest,
)
from hitherto_server.api.operations import perform
from hitherto_server.api.replies import json_response
from hitherto_server.services import Services

router = APIRouter(prefix="/v1")


def services_of(request: Request) -> Services:
    """Return what the app was wired with."""
    services: Services = request.app.state.services
    return services


Wired = Annotated[Services, Depends(services_of)]


@router.post("/remember")
async def remember(asked: RememberRequest, services: Wired) -> Response:
    """Store a statement; the reply means that it is on the disk."""
    return json_response(await perform(services, asked))


@router.post("/recall")
async def recall(asked: RecallRequest, services: Wired) -> Response:
    """Find memories, each with its standing."""
    return json_response(await perform(services, asked))


@router.post("/reflect")
async def reflect(asked: ReflectRequest, services: Wired) -> Response:
    """Edit, supersede, confirm or undo."""
    return json_response(await perform(services, asked))


@router.post("/forget")
async def forget(asked: ForgetRequest, services: Wired) -> Response:
    """Put a memory into the trash."""
    return json_response(await perform(services, asked))


@router.post("/restore")
async def restore(asked: RestoreRequest, services: Wired) -> Response:
    """Take a memory out of the trash."""
    return json_response(await perform(services, asked))


@router.post("/memories")
async def memories(asked: MemoriesRequest, services: Wired) -> Response:
    """List memories, revisions, events or counts."""
    return json_response(await perform(services, asked))


@router.post("/categories")
async def categories(asked: CategoriesRequest, services: Wired) -> Response:
    """List or change the tree of categories."""
    return json_response(await perform(services, asked))


@router.post("/sync")
async def sync(asked: SyncRequest, services: Wired) -> Response:
    """Have the memories whose files have changed judged."""
    return json_response(await perform(services, asked))


@router.post("/why")
async def why(asked: WhyRequest, services: Wired) -> Response:
    """Explain the last admission."""
    return json_response(await perform(services, asked))
