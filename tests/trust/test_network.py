"""Nothing leaves the machine: what server, model, hooks, MCP and command line say to the kernel."""

from __future__ import annotations

import ipaddress
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.mcp_process import McpProcess
from tests.server_process import wait_until
from tests.straced import TracedServer, addresses, read_trace, tracing

import hitherto_hooks

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
PROMPT = {"session_id": "s", "prompt": "Which port does the server use?"}
LOCAL_FAMILIES = {"AF_UNIX", "AF_NETLINK", "AF_UNSPEC"}


def leaving(lines: list[str]) -> set[tuple[str, str]]:
    """Return what is neither a unix socket nor loopback."""
    return {
        (family, address)
        for family, address in addresses(lines)
        if family not in LOCAL_FAMILIES
        and not (address and ipaddress.ip_address(address).is_loopback)
    }


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TracedServer]:
    server = TracedServer(tmp_path / "home")
    yield server
    server.end()


def test_an_address_elsewhere_would_be_seen(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    code = (
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    )
    command = [*tracing("network", trace), sys.executable, "-W", "ignore", "-c", code]
    subprocess.run(command, check=False, capture_output=True)
    assert ("AF_INET", "192.0.2.1") in leaving(read_trace(trace))


@pytest.mark.slow
def test_server_model_hooks_mcp_and_command_line_speak_to_this_machine_only(
    server: TracedServer, models_dir: Path, tmp_path: Path
) -> None:
    server.use_models(models_dir)
    server.start()
    told = server.run("remember", "The server uses port 8080.", "--user-wide")
    assert told.returncode == 0, told.stderr
    assert server.run("recall", "which port").returncode == 0
    wait_until(lambda: server.get("/v1/status").json["model"]["state"] == "ready", "it is loaded")
    page = server.send_tcp("GET", "/?q=port", None, server.bearer())
    assert b"8080" in page.body

    environ = {**server.environment(), "CLAUDE_PROJECT_DIR": str(tmp_path)}
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        trace = tmp_path / f"hook-{event}.trace"
        hook = [*tracing("network", trace), sys.executable, "-I", "-S", str(RUN), event]
        body = json.dumps(PROMPT).encode()
        subprocess.run(hook, input=body, env=environ, check=True, capture_output=True)
        server.traces.append(trace)
    mcp_trace = tmp_path / "mcp.trace"
    mcp = McpProcess(environ, tmp_path / "mcp.errors", before=tracing("network", mcp_trace))
    assert not mcp.call("recall", query="which port").is_error
    mcp.end()
    server.traces.append(mcp_trace)
    assert server.run("doctor").returncode in {0, 1}
    assert server.run("stop").returncode == 0
    lines = server.lines()
    assert ("AF_INET", "127.0.0.1") in addresses(lines), "the trace saw the server listen"
    assert leaving(lines) == set()
