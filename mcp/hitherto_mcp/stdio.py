"""MCP over stdin and stdout: one JSON-RPC message a line, several calls at a time.

The SDK does this too, but importing any part of it takes longer than the whole of `initialize`
may (docs/decisions/mcp.md); it serves HTTP, and it is the client that tests this module.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from hitherto_mcp import protocol
from hitherto_mcp.protocol import MessageId, Notification, Object, Request, RpcError
from hitherto_mcp.tools import Caller, Tool, answer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from hitherto_mcp.client import Call

MAX_LINE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Service:
    """What is served: who answers, to whom, with which tools."""

    info: Object
    instructions: str
    tools: Mapping[str, Tool]
    caller: Caller
    call: Call
    wake: Callable[[], Awaitable[None]]


class Conversation:
    """One client's messages: each answered in its own task, a cancelled one not at all."""

    def __init__(self, service: Service, send: Callable[[bytes], None]) -> None:
        self._service = service
        self._send = send
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: dict[MessageId, asyncio.Task[Any]] = {}

    def take(self, line: bytes | None) -> None:
        """Begin to answer a line, or refuse one that was too long to be kept."""
        try:
            if line is None:
                raise RpcError(protocol.INVALID_REQUEST, f"more than {MAX_LINE_BYTES} bytes")
            message = protocol.parsed(line)
        except RpcError as error:
            self._send(protocol.encoded(protocol.failure(None, error)))
        else:
            self._begin(self._respond(message))

    async def _respond(self, message: Any) -> None:
        reply = await (self._batch(message) if isinstance(message, list) else self._one(message))
        if reply:
            self._send(protocol.encoded(reply))

    async def _batch(self, messages: list[Any]) -> list[Object] | Object:
        if not messages:
            return protocol.failure(None, RpcError(protocol.INVALID_REQUEST, "an empty batch"))
        replies = await asyncio.gather(*map(self._one, messages))
        return [reply for reply in replies if reply is not None]

    async def _one(self, message: Any) -> Object | None:
        try:
            match protocol.understood(message):
                case Request() as request:
                    return await self._answer(request)
                case Notification() as notification:
                    self._notice(notification)
                case None:
                    pass
        except RpcError as error:
            return protocol.failure(protocol.id_of(message), error)
        except Exception as error:
            logging.getLogger(__name__).exception("a message failed")
            fault = RpcError(protocol.INTERNAL_ERROR, f"internal: {type(error).__name__}")
            return protocol.failure(protocol.id_of(message), fault)
        return None

    async def _answer(self, request: Request) -> Object | None:
        task = asyncio.current_task()
        if task is None or request.id in self._running:
            raise RpcError(protocol.INVALID_REQUEST, "a request with this id is still running")
        self._running[request.id] = task
        try:
            return protocol.success(request.id, await self._result_of(request))
        except asyncio.CancelledError:
            return None  # who cancelled it expects no answer
        finally:
            if self._running.get(request.id) is task:
                del self._running[request.id]

    async def _result_of(self, request: Request) -> Object:
        enveloped = protocol.is_enveloped(request.params)
        result = await self._plain_result_of(request)
        if enveloped:
            return protocol.enveloped(request.method, result, self._service.info)
        return result

    async def _plain_result_of(self, request: Request) -> Object:
        service = self._service
        match request.method:
            case "initialize":
                self._begin(service.wake())
                return protocol.initialized(request.params, service.info, service.instructions)
            case "server/discover":
                self._begin(service.wake())
                return protocol.discovered(service.instructions)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [tool.listed() for tool in service.tools.values()]}
            case "tools/call":
                return await self._call_tool(request.params)
            case _:
                raise RpcError(protocol.METHOD_NOT_FOUND, f"no method {request.method[:60]!r}")

    async def _call_tool(self, params: Mapping[str, Any]) -> Object:
        name, arguments = params.get("name"), params.get("arguments")
        tool = self._service.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            raise RpcError(protocol.INVALID_PARAMS, f"no tool {str(name)[:60]!r}")
        if not isinstance(arguments, dict | None):
            raise RpcError(protocol.INVALID_PARAMS, "arguments must be an object")
        caller = caller_of(params, self._service.caller)
        result = await answer(tool, arguments or {}, caller, self._service.call)
        content = [{"type": "text", "text": result.text}]
        return {"content": content, "isError": result.is_error}

    def _notice(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            cancelled = protocol.id_of({"id": notification.params.get("requestId")})
            if cancelled is not None and (task := self._running.pop(cancelled, None)):
                task.cancel()

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def caller_of(params: Mapping[str, Any], known: Caller) -> Caller:
    """Return whose a call is: the environment's session, else the one that the call itself names.

    Codex says nothing in the environment, and names its session in every call's `_meta`.
    """
    meta = params.get("_meta")
    named = meta.get("sessionId") if isinstance(meta, dict) else None
    if known.session_id is not None or not isinstance(named, str):
        return known
    return Caller.named(named, known.project_dir)


async def converse(service: Service, stdin: BinaryIO, stdout: int) -> threading.Thread:
    """Serve until stdin ends or nobody reads stdout any more; return what may still read."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()

    def send(line: bytes) -> None:
        try:
            write_all(stdout, line)
        except OSError:
            over.set()

    conversation = Conversation(service, send)

    def listen() -> None:
        for line in lines_of(stdin):
            loop.call_soon_threadsafe(conversation.take, line)
        loop.call_soon_threadsafe(over.set)

    # A thread, because a file or a terminal as stdin cannot be polled everywhere; a daemon,
    # because nothing can wake it when it is stdout that ended.
    reading = threading.Thread(target=listen, name="stdin", daemon=True)
    reading.start()
    await over.wait()
    return reading


def lines_of(stdin: BinaryIO) -> Iterator[bytes | None]:
    """Yield each line that is not blank; nothing in place of one that is too long."""
    while line := stdin.readline(MAX_LINE_BYTES):
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stdin.readline(MAX_LINE_BYTES)
            yield None
        elif line.strip():
            yield line


def write_all(file: int, data: bytes) -> None:
    """Write every byte."""
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def claimed_pipes() -> tuple[BinaryIO, int]:
    """Return the protocol's own ends; what else prints goes to stderr."""
    stdin, stdout = os.dup(0), os.dup(1)
    for pipe in (stdin, stdout):
        os.set_blocking(pipe, True)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    os.close(nothing)
    return os.fdopen(stdin, "rb"), stdout


def serve(service: Service) -> None:
    """Serve this process's stdin and stdout until they end, then end it."""
    stdin, stdout = claimed_pipes()
    try:
        reading = asyncio.run(converse(service, stdin, stdout))
    except KeyboardInterrupt:
        os._exit(130)
    reading.join(0.1)
    if reading.is_alive():
        # It holds stdin, and the interpreter would wait for it.
        os._exit(0)
