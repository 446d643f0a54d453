"""The process under test, a server behind it, and the SDK's client before it."""

from __future__ import annotations

import functools
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, StdioServerParameters

from hitherto_mcp.client import socket_path
from hitherto_mcp.spawn import serve_command, spawn_detached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcp.types import CallToolResult

STAND_IN = Path(__file__).with_name("stand_in.py")
COMMAND = [sys.executable, "-m", "hitherto_mcp.server"]
DEADLINE_S = 20.0


def wait_until(holds: Callable[[], Any], what: str) -> None:
    """Poll until something holds."""
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail(f"waited {DEADLINE_S} s until {what}")
        time.sleep(0.01)


class Backend:
    """The server behind the MCP process: started by that process, killed by the test."""

    def __init__(self, home: Path, command: list[str]) -> None:
        self.home = home
        (home / "run").mkdir(parents=True)
        self.use(command)

    def use(self, command: list[str]) -> None:
        """Let this command be what starts the server."""
        (self.home / "run" / "serve.cmd").write_text("\n".join([*command, ""]))

    def start(self) -> None:
        """Start it before anything asks for it, and wait until it listens."""
        pid = spawn_detached(serve_command(self.home), self.home)
        wait_until(lambda: self.pid and self.listens(), "the server listens")
        assert os.waitpid(pid, os.WNOHANG) == (0, 0)

    def listens(self) -> bool:
        """Tell whether its socket takes a connection."""
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            probe.connect(socket_path(self.home))
            return True
        return False

    @property
    def pid(self) -> int | None:
        """The process that says it is the server, if it runs."""
        try:
            pid = int(json.loads((self.home / "run" / "server.json").read_text())["pid"])
            os.kill(pid, 0)
        except (OSError, ValueError):
            return None
        return None if is_zombie(pid) else pid

    def kill(self) -> None:
        """End it as an outage does, and wait until it is gone."""
        if (pid := self.pid) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            wait_until(lambda: self.pid is None, "the server is gone")

    def calls(self, operation: str) -> list[dict[str, Any]]:
        """What the stand-in was asked."""
        log = self.home / "stand_in_calls.jsonl"
        told = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return [call for call in told if call["op"] == operation]


def is_zombie(pid: int) -> bool:
    """Tell whether a process has ended and only waits for its parent."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return not Path("/proc").exists()
    return state == "Z"


@pytest.fixture
def home(isolated: Path) -> Path:
    """The data home that the guard made."""
    return isolated / ".hitherto"


@pytest.fixture
def backend(home: Path) -> Iterator[Backend]:
    """The stand-in, which runs as soon as something asks for it."""
    backend = Backend(home, [sys.executable, str(STAND_IN), str(os.getpid())])
    yield backend
    backend.kill()


@pytest.fixture
def no_server(home: Path) -> Backend:
    """A server that never comes up, for what needs none."""
    return Backend(home, ["/bin/sh", "-c", "exit 0"])


@functools.cache
def server_exists() -> bool:
    """Tell whether the real server's command is there."""
    command = [sys.executable, "-m", "hitherto_server", "serve", "--help"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def real_backend(backend: Backend) -> Backend:
    """The real server, running."""
    if not server_exists():
        pytest.skip("the server cannot be started yet")
    backend.use([sys.executable, "-P", "-m", "hitherto_server", "serve"])
    backend.start()
    return backend


@pytest.fixture(params=["backend", "real_backend"])
def either_backend(request: pytest.FixtureRequest) -> Backend:
    """The stand-in, then the real server: what a test expects of one it expects of the other."""
    found: Backend = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def connect(home: Path) -> Any:
    """Connect the SDK's own client to a fresh process."""

    def connected(*, cwd: Path | None = None, mode: str = "legacy", **env: str) -> Client:
        server = StdioServerParameters(
            command=COMMAND[0],
            args=COMMAND[1:],
            env={"HITHERTO_HOME": str(home), **env},
            cwd=cwd or home.parent,
        )
        return Client(server, mode=mode)

    return connected


@pytest.fixture
def ask() -> Any:
    """Call a tool and return its text; an error unless one is expected fails the test."""

    async def asked(client: Client, tool: str, *, fails: bool = False, **args: Any) -> str:
        result: CallToolResult = await client.call_tool(tool, args)
        (block,) = result.content
        assert block.type == "text"
        assert bool(result.is_error) is fails, block.text
        return block.text

    return asked


class Wire:
    """The process under test, line by line, for what no well-behaved client sends."""

    def __init__(self, environ: dict[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            COMMAND,
            env=environ,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)

    def write(self, line: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, method: str, message_id: Any = None, **params: Any) -> None:
        """Send a request, or a notification if it has no id."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if message_id is not None:
            message["id"] = message_id
        self.write(json.dumps(message).encode() + b"\n")

    def read(self) -> Any:
        """Return the next message."""
        return json.loads(self._lines.get(timeout=DEADLINE_S))

    def is_silent(self) -> bool:
        """Tell whether nothing is waiting to be read."""
        return self._lines.empty()

    def initialize(self, version: str = "2025-11-25") -> Any:
        """Shake hands."""
        client = {"name": "test", "version": "1"}
        self.send("initialize", 0, protocolVersion=version, capabilities={}, clientInfo=client)
        reply = self.read()
        self.send("notifications/initialized")
        return reply

    def close(self) -> int:
        """End stdin and return the exit code."""
        assert self.process.stdin
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait(DEADLINE_S)
        self._reader.join(DEADLINE_S)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()
        return code


@pytest.fixture
def wire(home: Path) -> Iterator[Wire]:
    """A fresh process, spoken to by hand."""
    wire = Wire({**os.environ, "HITHERTO_HOME": str(home)}, home.parent)
    yield wire
    if wire.process.returncode is None:
        wire.close()
