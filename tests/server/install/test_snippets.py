"""What `hitherto connect` prints: exactly this, in the client's own format, and nothing written."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.server_process import ServerProcess, wait_until

from hitherto_server.install.snippets import CLIENTS, Reach, snippet_for

PROGRAM = '/home/zoë o\'neil/my "tools"/bin/hitherto-mcp'
REACH = Reach(Path(PROGRAM), {}, "http://127.0.0.1:7420/mcp", "TOKEN")
PLAIN = {"command": PROGRAM, "args": []}
TYPED = {"type": "stdio", **PLAIN}
LOCAL = {"type": "local", "command": [PROGRAM], "enabled": True}
HTTP = {
    "type": "http",
    "url": "http://127.0.0.1:7420/mcp",
    "headers": {"Authorization": "Bearer TOKEN"},
}
GOLDEN = {
    "cursor": {"mcpServers": {"hitherto": PLAIN}},
    "vscode": {"servers": {"hitherto": TYPED}},
    "windsurf": {"mcpServers": {"hitherto": PLAIN}},
    "gemini": {"mcpServers": {"hitherto": PLAIN}},
    "zed": {"context_servers": {"hitherto": PLAIN}},
    "opencode": {"mcp": {"hitherto": LOCAL}},
    "claude-code": {"mcpServers": {"hitherto": TYPED}},
    "codex": {"mcp_servers": {"hitherto": PLAIN}},
    "stdio": {"mcpServers": {"hitherto": PLAIN}},
    "http": {"mcpServers": {"hitherto": HTTP}},
}


def parsed(text: str, kind: str) -> Any:
    return tomllib.loads(text) if kind == "toml" else json.loads(text)


def test_every_client_has_its_golden_snippet() -> None:
    assert set(GOLDEN) == set(CLIENTS)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_snippet_says_exactly_that_in_its_format(name: str) -> None:
    snippet = snippet_for(name, REACH)
    assert parsed(snippet.text, snippet.kind) == GOLDEN[name]


@pytest.mark.parametrize("name", sorted(set(CLIENTS) - {"http"}))
def test_another_data_home_is_named(name: str) -> None:
    reach = Reach(Path(PROGRAM), {"HITHERTO_HOME": "/data/ü"}, "", "")
    snippet = snippet_for(name, reach)
    assert "/data/ü" in snippet.text
    parsed(snippet.text, snippet.kind)


def test_places_differ_by_system_where_the_client_does() -> None:
    assert (
        "Library/Application Support/Code" in snippet_for("vscode", REACH, platform="darwin").place
    )
    assert "~/.config/Code" in snippet_for("vscode", REACH, platform="linux").place


@pytest.fixture
def server(tmp_path: Path) -> ServerProcess:
    return ServerProcess(tmp_path / "a home")


def test_the_command_writes_nothing_and_knows_its_clients(server: ServerProcess) -> None:
    listed = server.run("connect", "--json")
    assert {one["client"] for one in json.loads(listed.stdout)} == set(CLIENTS)
    for name in CLIENTS:
        done = server.run("connect", name)
        assert done.returncode == 0, done.stderr
        text = done.stdout.decode()
        parsed(text, "toml" if name == "codex" else "json")
        assert str(server.home) in text
    refused = server.run("connect", "emacs")
    assert refused.returncode == 2
    assert b"cursor" in refused.stderr
    assert not server.home.exists()


def test_the_printed_program_answers_as_an_mcp_server(server: ServerProcess) -> None:
    printed = json.loads(server.run("connect", "stdio").stdout)
    entry = printed["mcpServers"]["hitherto"]
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    client = {"name": "t", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps({**initialize, "params": params}) + "\n",
        env={"PATH": os.environ["PATH"], "HITHERTO_PORT": "0", **entry["env"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"]
    wait_until(server.answers, "the server that it started answers")
    server.end()


def test_the_printed_address_answers_with_the_printed_token(server: ServerProcess) -> None:
    server.start()
    try:
        hidden = server.run("connect", "http").stdout.decode()
        assert server.token not in hidden
        printed = json.loads(server.run("connect", "http", "--show-token").stdout)
        entry = printed["mcpServers"]["hitherto"]
        assert entry["url"] == f"http://127.0.0.1:{server.port}/mcp"
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        headers = {**entry["headers"], "Accept": "application/json, text/event-stream"}
        reply = server.send_tcp("POST", "/mcp", json.dumps(listing), headers)
        assert reply.status != 401
        assert server.send_tcp("POST", "/mcp", json.dumps(listing), {}).status == 401
    finally:
        server.end()
