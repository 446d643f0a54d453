"""The one client of the server's HTTP API: a request a connection, over the unix socket."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from hitherto_mcp.spawn import Backend

if TYPE_CHECKING:
    from pathlib import Path

# The package `hitherto_contract` costs 0.2 s to import and only a call needs it; its `version`
# module alone cannot be had without it. A test holds these three to the contract's.
PROTOCOL = 1
PROTOCOL_HEADER = "X-Hitherto-Protocol"
VERSION = "0.1.0"

CALL_S = 2.0
# What a judge is asked many times, four at once.
LONG_CALLS_S = {"sync": 60.0}
FIRST_START_S = 5.0
RETRY_S = 0.03
MAX_REPLY_BYTES = 32 * 1024 * 1024
CHUNK = 1 << 16
SAFE_TO_REPEAT = frozenset({"recall", "memories", "remember"})

Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Ask for one operation (remember, recall, …); raises an error with code, message and mend."""


class ServerSaid(Exception):
    """The server, or the way to it, refused: a code of docs/errors.md and what mends it."""

    def __init__(self, code: str, message: str, mend: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.mend = mend


class LostAnswer(Exception):
    """The connection ended after the request was sent and before its answer was whole."""


class Client:
    """Calls the server of one data home, and starts it when it is away."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._backend = Backend(home)

    async def wake(self) -> None:
        """Start the server unless it answers already; what fails here, the first call will say."""
        try:
            _, writer = await self._connect()
        except OSError:
            self._backend.start()
        else:
            writer.close()

    async def call(self, operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Return the server's reply within 2 s in all; where it must start first, 5 s later."""
        request = request_of(operation, payload)
        call_s = LONG_CALLS_S.get(operation, CALL_S)
        clock = asyncio.get_running_loop().time
        started = clock()
        sent = False
        try:
            async with asyncio.timeout_at(started + call_s) as limit:
                for may_repeat in (operation in SAFE_TO_REPEAT, False):
                    streams = await self._connect_or_start(limit, started, call_s)
                    sent = True
                    try:
                        return reply_in(await exchange(*streams, request))
                    except LostAnswer:
                        if not may_repeat:
                            break
        except TimeoutError as error:
            raise self._no_answer(operation, clock() - started, sent=sent) from error
        raise self._lost(operation)

    async def _connect_or_start(
        self, limit: asyncio.Timeout, started: float, call_s: float
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        waited = False
        while True:
            try:
                streams = await self._connect()
            except OSError:
                comes_up, waited = self._backend.start(), True
                limit.reschedule(started + (FIRST_START_S if comes_up else call_s))
                await asyncio.sleep(RETRY_S)
            else:
                if waited:
                    limit.reschedule(asyncio.get_running_loop().time() + call_s)
                return streams

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        streams = await asyncio.open_unix_connection(socket_path(self._home))
        self._backend.answered()
        return streams

    def _no_answer(self, operation: str, took_s: float, *, sent: bool) -> ServerSaid:
        if sent and operation not in SAFE_TO_REPEAT:
            return self._lost(operation)
        what = "did not answer" if sent else "could not be reached"
        message = f"the server {what} within {took_s:.1f} s{self._backend.last_end()}"
        return ServerSaid("server_away", message, "Run `hitherto doctor`, then try again.")

    def _lost(self, operation: str) -> ServerSaid:
        if operation in SAFE_TO_REPEAT:
            message = "the server went away before it answered, twice"
            return ServerSaid("server_away", message, "Run `hitherto doctor`, then try again.")
        message = f"the server went away before it answered; {operation} may or may not be done"
        return ServerSaid("server_away", message, "Look with `memories` before you repeat it.")


def socket_path(home: Path) -> str:
    """Return where the server listens: what `run/socket` names, else `run/server.sock`."""
    try:
        return (home / "run" / "socket").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return str(home / "run" / "server.sock")


def request_of(operation: str, payload: dict[str, Any]) -> bytes:
    """Return the bytes of the request that asks for an operation."""
    if operation == "remember":
        # A lost answer is asked for again: the key makes that one memory, not two.
        payload = {"idempotency_key": f"mcp-{os.urandom(16).hex()}", **payload}
    body = json.dumps(payload, separators=(",", ":")).encode()
    head = (
        f"POST /v1/{operation} HTTP/1.1\r\n"
        "Host: localhost\r\n"
        "Connection: close\r\n"
        "Accept: application/json\r\n"
        "Content-Type: application/json\r\n"
        f"{PROTOCOL_HEADER}: {PROTOCOL}\r\n"
        f"X-Hitherto-Version: {VERSION}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> bytes:
    """Send the request and return everything that came back before the server closed."""
    try:
        answer = bytearray()
        writer.write(request)
        while chunk := await reader.read(CHUNK):
            answer += chunk
            if len(answer) > MAX_REPLY_BYTES:
                raise unexpected("an answer that is too large")
        if not answer:
            raise LostAnswer
        return bytes(answer)
    except OSError as error:
        raise LostAnswer from error
    finally:
        writer.close()


def reply_in(answer: bytes) -> dict[str, Any]:
    """Return the JSON object that an answer carries, or raise what the server said instead."""
    head, end, body = answer.partition(b"\r\n\r\n")
    status_line, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    if not end or headers.get("content-length") != str(len(body)):
        raise LostAnswer
    theirs = headers.get(PROTOCOL_HEADER.lower(), str(PROTOCOL))
    if theirs != str(PROTOCOL):
        message = f"the server speaks protocol {theirs}, this process {PROTOCOL}"
        raise ServerSaid("protocol_mismatch", message, "Run `hitherto stop`, restart the session.")
    try:
        reply = json.loads(body)
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        what = f"something that is no JSON object ({status_line[:60]})"
        raise unexpected(what)
    if status_line.split(" ")[1:2] != ["200"]:
        raise refusal_in(reply, status_line)
    return reply


def refusal_in(reply: dict[str, Any], status_line: str) -> ServerSaid:
    """Return what a reply that is no success says."""
    error = reply.get("error")
    said = error if isinstance(error, dict) else {}
    code, message, mend = (said.get(name) for name in ("code", "message", "mend"))
    if isinstance(code, str) and isinstance(message, str):
        return ServerSaid(code, message, mend if isinstance(mend, str) else "")
    return unexpected(f"an error without a code ({status_line[:60]})")


def unexpected(what: str) -> ServerSaid:
    """Return the error for an answer that no server of ours gives."""
    return ServerSaid("internal", f"the server sent {what}", "Run `hitherto doctor`.")
