"""MCP over streamable HTTP, inside the server process: the SDK, imported at the first request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from hitherto_mcp.client import VERSION, Call
from hitherto_mcp.quoting import quotable
from hitherto_mcp.tools import INSTRUCTIONS, TOOLS, Caller, answer

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

SESSION_HEADER = "x-hitherto-session"
PROJECT_HEADER = "x-hitherto-project"
MAX_BODY_BYTES = 16 * 1024 * 1024

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def asgi_app(call: Call) -> McpApp:
    """Return the ASGI app to mount at /mcp; `aclose()` it when the server stops."""
    return McpApp(call)


class McpApp:
    """Serves each POST by itself: no session, no stream, so nothing is left open."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._starting = asyncio.Lock()
        self._closing = asyncio.Event()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":
            await refuse(send)
            return
        manager = await self._started()
        await manager.handle_request(scope, receive, send)

    async def aclose(self) -> None:
        """End what the first request started."""
        self._closing.set()
        if self._running is not None:
            await self._running

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._starting:
            if self._manager is None:
                # In a thread: importing the SDK takes longer than a hook may wait for this loop.
                manager = await asyncio.to_thread(manager_for, self._call)
                ready = asyncio.Event()
                self._running = asyncio.create_task(self._run(manager, ready))
                await ready.wait()
                self._manager = manager
            return self._manager

    async def _run(self, manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
        # One task of its own: the SDK's task group must be left by the task that entered it.
        async with manager.run():
            ready.set()
            await self._closing.wait()


def manager_for(call: Call) -> StreamableHTTPSessionManager:
    """Return the SDK's manager over our tools."""
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp_types import CallToolResult, ListToolsResult, TextContent
    from mcp_types import Tool as ListedTool

    listed = [ListedTool.model_validate(tool.listed()) for tool in TOOLS.values()]

    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Any, params: Any) -> CallToolResult:
        if (tool := TOOLS.get(params.name)) is None:
            raise unknown_tool(params.name)
        caller = caller_of(context.request.headers)
        result = await answer(tool, params.arguments or {}, caller, call)
        content = TextContent(type="text", text=result.text)
        return CallToolResult(content=[content], is_error=result.is_error)

    server: Server[Any] = Server(
        "hitherto",
        version=VERSION,
        title="Hitherto",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    return StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
    )


def unknown_tool(name: str) -> Exception:
    """Return the SDK's error for a tool that is not there."""
    from mcp import MCPError
    from mcp_types import INVALID_PARAMS

    return MCPError(code=INVALID_PARAMS, message=quotable(f"no tool {name[:60]!r}"))


def caller_of(headers: Mapping[str, str]) -> Caller:
    """Return the session and the project that the headers name (percent-encoded or not)."""
    # A header's bytes arrive as Latin-1, but what a client writes unencoded is UTF-8.
    project = unquote_to_bytes(headers.get(PROJECT_HEADER, "").encode("latin-1"))
    return Caller.named(headers.get(SESSION_HEADER), project.decode(errors="replace"))


async def refuse(send: Send) -> None:
    """Answer a method that needs a session: there is none to listen to or to end."""
    headers = [(b"allow", b"POST"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 405, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
