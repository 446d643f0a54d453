"""The route of the hooks: one event in, the client's JSON out, or nothing."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request
from starlette.responses import Response

from hitherto_server.api.memories import Wired
from hitherto_server.core.errors import InvalidInput
from hitherto_server.sessions.call import read_call

router = APIRouter()

MOST_DIGITS = 19  # of nanoseconds since 1970: until the year 2286, and within 64 bits


@router.post("/hook/{event}")
async def hook(event: str, request: Request, services: Wired) -> Response:
    """Note an event, once, and answer what the client should hear."""
    headers = request.headers
    call = read_call(
        event,
        await request.body(),
        at_ms=_number(headers.get("x-hitherto-time"), services.clock() * 1_000_000) // 1_000_000,
        project=headers.get("x-hitherto-project"),
        deadline_ms=_number(headers.get("x-hitherto-deadline-ms"), 0) or None,
    )
    reply = await services.sessions.take(call)
    if reply is None:
        return Response(status_code=204)
    return Response(json.dumps(reply), media_type="application/json")


def _number(text: str | None, default: int) -> int:
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS):
        message = f"a header should be a number and is {text[:40]!r}"
        raise InvalidInput(message)
    return int(text)
