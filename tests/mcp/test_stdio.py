"""The stdio server against the SDK's own client, and against what no good client sends."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from hitherto_mcp.tools import INSTRUCTIONS, TOOLS

if TYPE_CHECKING:
    from pathlib import Path

# As a client that knows no better: the handshake; as the newest client: discovery.
MODES = ("legacy", "auto")


@pytest.mark.parametrize("mode", MODES)
async def test_the_sdks_client_lists_the_tools(connect: Any, no_server: Any, mode: str) -> None:
    async with connect(mode=mode) as client:
        listed = (await client.list_tools()).tools
        assert client.session.instructions == INSTRUCTIONS
        assert client.session.server_info.name == "hitherto"
    assert [tool.name for tool in listed] == list(TOOLS)
    assert all(tool.input_schema == TOOLS[tool.name].input_schema for tool in listed)
    assert {t.name for t in listed if t.annotations.read_only_hint} == {"recall", "memories"}


@pytest.mark.parametrize("mode", MODES)
async def test_the_sdks_client_calls_a_tool(
    connect: Any, backend: Any, ask: Any, mode: str
) -> None:
    async with connect(mode=mode) as client:
        assert (await ask(client, "remember", content="the port is 8080")).startswith("stored: ")
        assert "the port is 8080" in await ask(client, "recall", query="port")


async def test_the_newest_client_needs_no_handshake(connect: Any, no_server: Any) -> None:
    async with connect(mode="auto") as client:
        assert client.session.protocol_version == LATEST_MODERN_VERSION


async def test_two_sessions_share_one_server(connect: Any, real_backend: Any, ask: Any) -> None:
    async with connect() as one, connect() as other:
        stored, _ = await asyncio.gather(
            ask(one, "remember", content="written by the first"),
            ask(other, "remember", content="written by the second"),
        )
        assert stored.startswith("stored")
        assert "by the second" in await ask(one, "recall", query="written")
        assert "by the first" in await ask(other, "recall", query="written")


async def test_calls_overlap_and_each_gets_its_own_answer(
    connect: Any, backend: Any, ask: Any
) -> None:
    async with connect() as client:
        texts = [f"statement number{n}" for n in range(20)]
        await asyncio.gather(*(ask(client, "remember", content=text) for text in texts))
        found = await asyncio.gather(
            *(ask(client, "recall", query=f"number{n}") for n in range(20))
        )
    assert all(text in answer for text, answer in zip(texts, found, strict=True))


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_a_revision_that_is_spoken_is_agreed_on(wire: Any, no_server: Any, version: str) -> None:
    assert wire.initialize(version)["result"]["protocolVersion"] == version


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", ""])
def test_any_other_is_answered_with_the_newest(wire: Any, no_server: Any, version: str) -> None:
    newest = HANDSHAKE_PROTOCOL_VERSIONS[-1]
    assert wire.initialize(version)["result"]["protocolVersion"] == newest


def test_a_request_in_an_unknown_revision_is_refused_with_what_is_spoken(
    wire: Any, no_server: Any
) -> None:
    wire.send("tools/list", 1, _meta={"io.modelcontextprotocol/protocolVersion": "2099-01-01"})
    error = wire.read()["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"no json", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "meth', -32700),
        (b"\xff\xfe\x00garbage", -32700),
        (b"[" * 100_000, -32700),
        (b"1" * 5000, -32700),
        (b"42", -32600),
        (b"[]", -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "nonsense"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
        (
            b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm"}}',
            -32602,
        ),
        (
            b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": "x"}}',
            -32602,
        ),
    ],
)
def test_a_broken_line_gets_an_error_and_the_next_one_its_answer(
    wire: Any, no_server: Any, line: bytes, code: int
) -> None:
    wire.write(line + b"\n")
    assert wire.read()["error"]["code"] == code
    wire.send("ping", "after")
    assert wire.read() == {"jsonrpc": "2.0", "id": "after", "result": {}}


def test_a_lone_surrogate_in_an_id_comes_back_as_it_was(wire: Any, no_server: Any) -> None:
    wire.write(b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}\n')
    assert wire.read()["id"] == "\ud800"


def test_a_batch_is_answered_as_one(wire: Any, no_server: Any) -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "nonsense"},
    ]
    wire.write(json.dumps(messages).encode() + b"\n")
    first, second = wire.read()
    assert (first["id"], first["result"]) == (1, {})
    assert (second["id"], second["error"]["code"]) == (2, -32601)


def test_blank_lines_answers_and_unknown_notifications_are_passed_over(
    wire: Any, no_server: Any
) -> None:
    wire.write(b'\n  \r\n{"jsonrpc": "2.0", "id": 9, "result": {}}\n')
    wire.send("notifications/unheard_of")
    wire.send("notifications/cancelled", requestId=[1])
    wire.send("ping", 1)
    assert wire.read()["id"] == 1


def test_a_cancelled_call_is_not_answered_and_others_are(
    wire: Any, home: Path, no_server: Any
) -> None:
    wire.initialize()
    wire.send("tools/call", 1, name="recall", arguments={"query": "x"})
    wire.send("ping", 2)
    assert wire.read()["id"] == 2
    wire.send("notifications/cancelled", requestId=1)
    wire.send("tools/call", 1, name="recall", arguments={"limit": 0, "query": "x"})
    reply = wire.read()
    assert reply["id"] == 1
    assert "invalid_input" in reply["result"]["content"][0]["text"]
    assert wire.is_silent()


def test_an_id_in_use_is_refused(wire: Any, no_server: Any) -> None:
    wire.send("tools/call", 1, name="recall", arguments={"query": "x"})
    wire.send("ping", 1)
    assert wire.read()["error"]["code"] == -32600


def test_the_end_of_stdin_ends_the_process_at_once(wire: Any, no_server: Any) -> None:
    wire.initialize()
    wire.send("tools/call", 1, name="recall", arguments={"query": "x"})
    wire.send("ping", 2)
    wire.read()
    began = time.monotonic()
    assert wire.close() == 0
    assert time.monotonic() - began < 1.0
    assert wire.is_silent()


def test_a_reader_that_goes_away_ends_the_process(home: Path, no_server: Any) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "hitherto_mcp.server"],
        env={**os.environ, "HITHERTO_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    process.stdin.flush()
    assert process.wait(20) == 0
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()


def test_what_else_prints_does_not_reach_the_client(no_server: Any, home: Path) -> None:
    program = (
        "import os, hitherto_mcp.server as s\n"
        "from hitherto_mcp import tools\n"
        "real = s.service_of\n"
        "def noisy(environ):\n"
        "    service = real(environ)\n"
        "    async def wake():\n"
        "        print('stray', flush=True); os.system('echo child')\n"
        "    object.__setattr__(service, 'wake', wake)\n"
        "    return service\n"
        "s.service_of = noisy\n"
        "s.main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "HITHERTO_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    request["params"] = {"protocolVersion": "2025-11-25"}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    lines = [json.dumps(message).encode() + b"\n" for message in (request, ping)]
    process.stdin.write(lines[0])
    process.stdin.flush()
    first = process.stdout.readline()
    process.stdin.write(lines[1])
    process.stdin.flush()
    second = process.stdout.readline()
    out, err = process.communicate(timeout=20)
    assert [json.loads(line)["id"] for line in (first, second)] == [1, 2]
    assert out == b""
    assert b"stray" in err
    assert b"child" in err
