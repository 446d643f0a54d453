"""Routes over backups: make one, list them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract.backups import (
    BackupFailure,
    BackupReply,
    BackupRequest,
    BackupsReply,
    BackupView,
)
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.store.shelf import list_backups

if TYPE_CHECKING:
    from hitherto_server.services import Services
    from hitherto_server.store.shelf import Backup

router = APIRouter(prefix="/v1")


@router.post("/backup")
async def backup(_: BackupRequest, services: Wired) -> Response:
    """Make a backup; the reply means that it was proved."""
    begun = time.perf_counter()
    made = await services.backups.make("manual")
    return json_response(
        BackupReply(
            path=str(made.path),
            size_bytes=made.size_bytes,
            memories=made.memories,
            took_ms=(time.perf_counter() - begun) * 1000,
        )
    )


@router.get("/backups")
async def backups(services: Wired) -> Response:
    """List the backups, the newest first."""
    return json_response(await backups_of(services))


async def backups_of(services: Services) -> BackupsReply:
    """Return the backups there are and what is known to be wrong."""
    found = await asyncio.to_thread(list_backups, services.home.backups)
    failure = services.backups.failure
    return BackupsReply(
        backups=[view_of(one) for one in found],
        failure=BackupFailure(**asdict(failure)) if failure else None,
        damage=services.store.health.damage,
    )


def view_of(one: Backup) -> BackupView:
    """Return what the outside sees of a backup."""
    return BackupView(
        path=str(one.path), why=one.why, made_at_ms=one.made_at_ms, size_bytes=one.size_bytes
    )
