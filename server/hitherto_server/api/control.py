"""Routes by which a person steers: wrong, pause, resume, ignore, purge, and what is left alone."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract import (
    IgnoreRequest,
    PauseRequest,
    PurgeRequest,
    QuietReply,
    ResumeRequest,
    WrongReply,
    WrongRequest,
)
from hitherto_server.api.memories import Wired
from hitherto_server.api.quieted import quiet_views
from hitherto_server.api.replies import json_response
from hitherto_server.gates.secrets import redact
from hitherto_server.sessions.control.purge import purge as purged
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.sessions.control.wrong import mark, unmark
from hitherto_server.store.feedback import Aim
from hitherto_server.store.projects import refuse_relative

if TYPE_CHECKING:
    from hitherto_contract.control import Target as AskedTarget
    from hitherto_server.services import Services

router = APIRouter(prefix="/v1")


@router.post("/wrong")
async def wrong(asked: WrongRequest, services: Wired) -> Response:
    """Mark the last injection, or one memory of it, as wrong; or take that back."""
    return json_response(await say_wrong(services, asked))


@router.post("/pause")
async def pause(asked: PauseRequest, services: Wired) -> Response:
    """Leave a session or a folder alone."""
    until_ms = None if asked.for_ms is None else services.clock() + asked.for_ms
    await services.quiet.begin("pause", _target(asked), until_ms)
    return json_response(quiet_reply(services, changed=1))


@router.post("/resume")
async def resume(asked: ResumeRequest, services: Wired) -> Response:
    """End a pause."""
    ended = await services.quiet.end("pause", _target(asked))
    return json_response(quiet_reply(services, changed=ended))


@router.post("/ignore")
async def ignore(asked: IgnoreRequest, services: Wired) -> Response:
    """Keep nothing of a folder; or take that back."""
    refuse_relative(asked.path)
    target = Target(path=asked.path)
    if asked.remove:
        return json_response(quiet_reply(services, await services.quiet.end("ignore", target)))
    await services.quiet.begin("ignore", target)
    return json_response(quiet_reply(services, changed=1))


@router.get("/quiet")
async def quiet(services: Wired) -> Response:
    """Say what is left alone."""
    return json_response(quiet_reply(services, changed=0))


@router.post("/purge")
async def purge(asked: PurgeRequest, services: Wired) -> Response:
    """Count what was kept of a session or a folder, and remove it where that is confirmed."""
    _target(asked)
    await services.sessions.drain()  # what waits is noted now, not after it was looked for
    async with services.judge.forgetting():
        return json_response(await purged(services.store, services.clock, asked))


async def say_wrong(services: Services, asked: WrongRequest) -> WrongReply:
    """Mark or unmark; where no session is named, it is the project's last one."""
    project = None
    if asked.session_id is None and asked.memory is None and asked.project_dir is not None:
        found = await services.projects.find(asked.project_dir)
        project = -1 if found is None else found.number  # where nothing is known, nothing is meant
    aim = Aim(asked.session_id, project, asked.memory)
    at_ms = services.clock()
    if asked.undo:
        return await services.store.writer.run(lambda c: unmark(c, aim, at_ms=at_ms))
    reason = None
    if asked.because is not None:
        reason = (await asyncio.to_thread(redact, asked.because)).text
    job = partial(mark, aim=aim, reason=reason, said_by=asked.actor, at_ms=at_ms)
    return await services.store.writer.run(job)


def quiet_reply(services: Services, changed: int) -> QuietReply:
    """Return what is left alone now."""
    return QuietReply(changed=changed, quiet=quiet_views(services))


def _target(asked: AskedTarget) -> Target:
    if asked.path is not None:
        refuse_relative(asked.path)
    return Target(asked.session_id, asked.path)
