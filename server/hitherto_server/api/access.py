"""Who may ask: the host, the origin, the token and the size of every request, checked once."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

from hitherto_contract.version import PROTOCOL, PROTOCOL_HEADER, VERSION, VERSION_HEADER
from hitherto_server.api.replies import error_response
from hitherto_server.core.clock import now_ms
from hitherto_server.core.errors import (
    ForeignOrigin,
    HithertoError,
    InvalidInput,
    ProtocolMismatch,
    TooLarge,
    Unauthorized,
)
from hitherto_server.core.login import hook_token, is_pass

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 1024 * 1024
MAX_HOOK_BODY = 32 * 1024 * 1024
DRAINED = 64 * 1024 * 1024
"""A too large body is read to its end up to here, so that the caller gets to see the answer."""
COOKIE = "hitherto_pass"
OPEN_PATHS = frozenset({"/health", "/login"})
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
SECURITY_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


@dataclass(frozen=True)
class Access:
    """ASGI middleware: refuses what may not come in, and names the protocol on what goes out.

    The unix socket is the owner's alone (mode 0600), so it needs no token; it has no port.
    """

    app: ASGIApp
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        is_tcp = scope["server"] is not None and scope["server"][1] is not None
        answer = _with_headers(send, is_tcp=is_tcp)
        limit = MAX_HOOK_BODY if scope["path"].startswith("/hook/") else MAX_BODY
        try:
            _check_protocol(headers)
            if is_tcp:
                _check_host(headers, scope["server"][1])
                _check_token(headers, scope["path"], self.token)
            _check_content_type(headers, scope)
            body = await _read_body(receive, limit)
        except HithertoError as error:
            await error_response(error)(scope, receive, answer)
            return
        await self.app(scope, _replayed(body, receive), answer)


def _check_protocol(headers: dict[str, bytes]) -> None:
    said = headers.get(PROTOCOL_HEADER.lower(), str(PROTOCOL).encode()).decode("latin-1")
    if said != str(PROTOCOL):
        message = f"this server speaks protocol {PROTOCOL}, the caller {said[:20]}"
        raise ProtocolMismatch(message)


def _check_host(headers: dict[str, bytes], port: int) -> None:
    host = headers.get("host", b"").decode("latin-1").lower()
    name, _, given_port = host.rpartition(":")
    if name not in LOOPBACK_NAMES or given_port != str(port):
        message = f"the request is for the host {host[:80]!r}"
        raise ForeignOrigin(message)
    origin = headers.get("origin", b"").decode("latin-1").lower()
    if origin and origin not in {f"http://{loopback}:{port}" for loopback in LOOPBACK_NAMES}:
        message = f"the request comes from {origin[:80]!r}"
        raise ForeignOrigin(message)


def _check_token(headers: dict[str, bytes], path: str, token: str) -> None:
    if path in OPEN_PATHS or (token and _may_enter(headers, token, path)):
        return
    message = "the token is missing or wrong"
    raise Unauthorized(message)


def _may_enter(headers: dict[str, bytes], token: str, path: str) -> bool:
    """Tell whether a request brings the token (a hook: its own), or a browser its pass."""
    given = headers.get("authorization", b"").decode("latin-1").removeprefix("Bearer ").strip()
    if given and path.startswith("/hook/"):
        known = (token, hook_token(token))
        return any(hmac.compare_digest(given.encode(), one.encode()) for one in known)
    if given:
        return hmac.compare_digest(given.encode(), token.encode())
    return is_pass(_cookie(headers.get("cookie", b"").decode("latin-1")), token, now_ms())


def _cookie(header: str) -> str:
    """Return our cookie's value, whatever other servers of this host have set beside it."""
    for pair in header.split(";"):
        try:
            cookie = SimpleCookie(pair.strip()).get(COOKIE)
        except CookieError:
            continue
        if cookie:
            return cookie.value
    return ""


def _check_content_type(headers: dict[str, bytes], scope: Scope) -> None:
    if scope["method"] in {"GET", "HEAD", "OPTIONS"} or scope["path"].startswith("/mcp"):
        return
    kind = headers.get("content-type", b"").decode("latin-1").split(";")[0].strip().lower()
    if kind != "application/json":
        message = f"the content type is {kind[:60]!r}; it must be application/json"
        raise InvalidInput(message)


async def _read_body(receive: Receive, limit: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            problem = "the request ended before its body was whole"
            raise InvalidInput(problem)
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= limit:
            chunks.append(chunk)
        if not message.get("more_body") or size > DRAINED:
            break
    if size > limit:
        problem = f"the request is larger than {limit} bytes"
        raise TooLarge(problem)
    return b"".join(chunks)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the body that was read, then what comes after it."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _with_headers(send: Send, *, is_tcp: bool) -> Send:
    always = [
        (PROTOCOL_HEADER.lower().encode(), str(PROTOCOL).encode()),
        (VERSION_HEADER.lower().encode(), VERSION.encode()),
    ]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", []), *always]
            message = {**message, "headers": [*headers, *(SECURITY_HEADERS if is_tcp else ())]}
        await send(message)

    return sending


def parsed_json(body: bytes) -> Any:
    """Return the JSON value of a body, or say that it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        message = f"the body is no JSON: {type(error).__name__}"
        raise InvalidInput(message) from error
