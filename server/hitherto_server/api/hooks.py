"""The route of the hooks: one event in, the client's JSON out, or nothing; and who answers.

Plain Starlette: a session's first hook does not wait for the framework of the API.
"""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hitherto_contract import PROTOCOL, VERSION
from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.text import is_count
from hitherto_server.sessions.call import read_call
from hitherto_server.sessions.client.clients import accepted

if TYPE_CHECKING:
    from starlette.requests import Request

    from hitherto_server.services import Services

READ_AT_ONCE = 32 * 1024


async def health(_: Request) -> Response:
    """Say who answers; the only thing that needs no token."""
    # written out: the type `Health` would import pydantic for the first answer of a start
    return JSONResponse({"name": "hitherto", "version": VERSION, "protocol": PROTOCOL})


async def hook(request: Request) -> Response:
    """Note an event, once, and answer what the client should hear."""
    services: Services = request.app.state.services
    headers = request.headers
    body = await request.body()
    read = partial(
        read_call,
        request.path_params["event"],
        body,
        at_ms=_number(headers.get("x-hitherto-time"), services.clock() * 1_000_000) // 1_000_000,
        project=headers.get("x-hitherto-project"),
        deadline_ms=_number(headers.get("x-hitherto-deadline-ms"), 0) or None,
    )
    # an edit may bring its whole file: nobody else waits until it is parsed and hashed
    call = read() if len(body) <= READ_AT_ONCE else await asyncio.to_thread(read)
    reply = accepted(call.client, call.event, await services.sessions.take(call))
    if reply is None:
        return Response(status_code=204)
    return Response(json.dumps(reply), media_type="application/json")


def _number(text: str | None, default: int) -> int:
    if text is None:
        return default
    if not is_count(text):
        message = f"a header should be a number and is {text[:40]!r}"
        raise InvalidInput(message)
    return int(text)


ROUTES = (Route("/health", health, methods=["GET"]), Route("/hook/{event}", hook, methods=["POST"]))
