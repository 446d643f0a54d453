"""The same tools over streamable HTTP, against the SDK's own client and a real web server."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from hitherto_mcp.client import ServerSaid
from hitherto_mcp.http import asgi_app, caller_of
from hitherto_mcp.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

MEMORY = "01990000-0000-7000-8000-000000000001"


class Services:
    """What the server process passes: its services, without HTTP between."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def call(self, operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Answer one operation."""
        self.asked.append((operation, payload))
        if operation == "forget":
            raise ServerSaid("not_found", "no such memory", "Look it up.")
        if operation == "restore":
            raise RuntimeError("a bug")
        return {"hits": [], "withheld": {}, "arms": {}, "took_ms": 0.1, "added_later": 1}


@asynccontextmanager
async def served(services: Services) -> AsyncIterator[str]:
    app = asgi_app(services.call)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, lifespan="off", log_level="warning")
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve([listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await running
        await app.aclose()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdks_client_lists_and_calls_over_http(ask: Any, mode: str) -> None:
    services = Services()
    async with served(services) as url:
        headers = {"X-Hitherto-Session": "s-1", "X-Hitherto-Project": "/a%20b/%C3%A9"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                tools = (await client.list_tools()).tools
                assert {t.name: t.input_schema for t in tools} == {
                    name: tool.input_schema for name, tool in TOOLS.items()
                }
                assert await ask(client, "recall", query="x") == "No memory matches."
                gone = await ask(client, "forget", id=MEMORY, fails=True)
                bug = await ask(client, "restore", id=MEMORY, fails=True)
                huge = await ask(client, "remember", content="x" * 10_000_000, fails=True)
                nul = await ask(client, "remember", content="a\x00", fails=True)
    placed = {"session_id": "s-1", "project_dir": "/a b/é"}
    assert services.asked[0] == ("recall", {"query": "x", **placed})
    assert gone == "not_found: no such memory. Look it up."
    assert bug.startswith("internal: RuntimeError")
    assert huge.startswith("too_large: ")
    assert nul.startswith("invalid_input: ")


async def test_without_headers_a_call_names_no_project(ask: Any) -> None:
    services = Services()
    async with served(services) as url, Client(url) as client:
        await ask(client, "recall", query="x")
    assert services.asked == [("recall", {"query": "x"})]


@pytest.mark.parametrize("raw", ["/a b/é".encode(), b"/a%20b/%C3%A9", b"/a b/%c3%a9"])
def test_a_project_is_understood_percent_encoded_or_not(raw: bytes) -> None:
    headers = {"x-hitherto-project": raw.decode("latin-1"), "x-hitherto-session": "${UNFILLED}"}
    assert caller_of(headers).placed() == {"project_dir": "/a b/é"}


async def test_calls_overlap_over_http(ask: Any) -> None:
    async with served(Services()) as url, Client(url) as client:
        answers = await asyncio.gather(*(ask(client, "recall", query=f"{n}") for n in range(10)))
    assert answers == ["No memory matches."] * 10


async def test_there_is_no_stream_to_listen_to_and_no_session_to_end() -> None:
    async with served(Services()) as url, httpx.AsyncClient() as http:
        for method in ("GET", "DELETE", "PUT"):
            answer = await http.request(method, url)
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("body", [b"no json", b"", b"[]", b'{"a": "\\ud800"}'])
async def test_a_broken_body_gets_an_error_and_the_server_lives(ask: Any, body: bytes) -> None:
    async with served(Services()) as url:
        async with httpx.AsyncClient() as http:
            accept = "application/json, text/event-stream"
            headers = {"Content-Type": "application/json", "Accept": accept}
            answer = await http.post(url, content=body, headers=headers)
            assert answer.status_code == 400
            assert "error" in answer.json()
        async with Client(url) as client:
            assert await ask(client, "recall", query="x")


def test_the_sdk_is_imported_by_the_first_request_only() -> None:
    program = (
        "import sys; from hitherto_mcp.http import asgi_app; asgi_app(None);"
        "import hitherto_mcp.server;"
        "sys.exit(bool({'mcp', 'mcp_types', 'pydantic', 'httpx'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


async def test_the_real_server_serves_the_tools_at_mcp(
    home: Path, real_backend: Any, ask: Any
) -> None:
    port = json.loads((home / "run" / "server.json").read_text())["port"]
    token = (home / "run" / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", "X-Hitherto-Project": str(home.parent)}
    for path in ("/mcp", "/mcp/"):
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{port}{path}", http_client=http)
            async with Client(transport) as client:
                stored = await ask(client, "remember", content=f"It is reached at {path}")
                assert stored.startswith("stored: ")
                assert "It is reached" in await ask(client, "recall", query="reached")
                huge = await ask(client, "remember", content="x" * 200_000, fails=True)
                assert huge.startswith("too_large: ")
