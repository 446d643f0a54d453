"""Errors become replies here, and nowhere else."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

import hitherto_contract as contract
from hitherto_server.core.errors import HithertoError, InvalidInput, NotFound, TooLarge
from hitherto_server.core.text import storable
from hitherto_server.gates.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel
    from starlette.applications import Starlette
    from starlette.requests import Request

NOT_FOUND = 404
SERVER_FAULT = 500
MOST_NAMED, MOST_PROBLEMS, MOST_QUOTED = 3, 20, 200
TOO_LONG = frozenset({"string_too_long", "too_long"})

log = logging.getLogger(__name__)


def json_response(model: BaseModel, status: int = 200) -> Response:
    """Return a model as a JSON reply."""
    return Response(model.model_dump_json(), status, media_type="application/json")


def error_response(error: HithertoError, details: Sequence[dict[str, Any]] = ()) -> Response:
    """Return an expected failure as its reply."""
    # a message may name what was sent, and the caller's transcript keeps it
    body = contract.ErrorBody(
        code=error.code,
        message=redact(storable(error.message)).text,
        mend=error.mend,
        details=list(details),
    )
    return json_response(contract.ErrorReply(error=body), error.status)


def install_error_replies(app: Starlette) -> None:
    """Make every failure of a route an `ErrorReply`."""
    app.add_exception_handler(HithertoError, expected)
    app.add_exception_handler(HTTPException, unrouted)
    app.add_exception_handler(Exception, unexpected)


async def expected(_: Request, error: Any) -> Response:
    """Reply with a failure of the error tree."""
    if error.status >= SERVER_FAULT:
        log.error("%s: %s", error.code, error.message)
    return error_response(error)


async def invalid(_: Request, error: Any) -> Response:
    """Reply to a request that FastAPI could not read."""
    return validation_response(error.errors())


async def unrouted(request: Request, error: Any) -> Response:
    """Reply to a request for which there is no route."""
    path = request.url.path[:MOST_QUOTED]
    if error.status_code == NOT_FOUND:
        return error_response(NotFound(f"there is nothing at {path}"))
    message = f"{request.method[:20]} {path}: {error.detail}"
    reply = error_response(InvalidInput(message))
    reply.status_code = error.status_code
    return reply


async def unexpected(request: Request, error: Exception) -> Response:
    """Reply to what is a bug of ours."""
    log.exception("a bug met at %s", request.url.path, exc_info=error)
    return error_response(
        HithertoError(f"unexpected {type(error).__name__}", mend="See logs/server.log.")
    )


def validation_response(errors: Sequence[Any]) -> Response:
    """Say which fields are wrong, without giving back what was sent."""
    return error_response(refusal_of(errors), _problems(errors))


def refusal_of(errors: Sequence[Any]) -> InvalidInput:
    """Return what a request is refused with: its first few problems, in one line."""
    named = [f"{found['field'] or 'request'}: {found['problem']}" for found in _problems(errors)]
    refusal = TooLarge if any(found["type"] in TOO_LONG for found in errors) else InvalidInput
    return refusal("; ".join(named[:MOST_NAMED]))


def _problems(errors: Sequence[Any]) -> list[dict[str, str]]:
    return [
        {
            "field": _quoted(".".join(str(part) for part in found["loc"] if part != "body"), 200),
            "problem": _quoted(str(found["msg"]), 300),
        }
        for found in errors[:MOST_PROBLEMS]
    ]


def _quoted(text: str, most: int) -> str:
    return redact(storable(text[: 4 * most])).text[:most]
