"""What Hitherto costs while it does nothing much: its start, its memory, its tools' text."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from harness import (
    Bar,
    Memory,
    at_most,
    begin,
    cpu_s,
    figure,
    memory_of,
    read_options,
    spread,
    unmeasured,
)
from homes import Person, Server, end_server, person, serving
from prompts import PROMPTS
from seeds import seeded

if TYPE_CHECKING:
    from collections.abc import Sequence

SETTLE_S = 2.0
PROTOCOL = "2025-11-25"
MCP = str(Path(sys.executable).with_name("hitherto-mcp"))
PEER_NOTE = "needs torch (1.5 GB); a later benchmark measures it"


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    starts: int
    recalls: int
    remembers: int
    memories: int


FULL, QUICK = Size(11, 200, 50, 10_000), Size(3, 40, 10, 2_000)


@dataclass(frozen=True)
class Start:
    """One start of the server."""

    wall_s: float
    cpu_s: float
    idle: Memory


@dataclass(frozen=True)
class Session:
    """One session of `hitherto-mcp`."""

    initialize_s: float
    memory: Memory | None
    tools: list[dict[str, Any]]


def start_once(who: Person) -> Start:
    """Start the server from nothing, let it settle, and end it."""
    with serving(who) as server:
        used_s = cpu_s(server.process.pid)
        time.sleep(SETTLE_S)
        return Start(server.started_s, used_s, memory_of(server.process.pid))


def work(server: Server, project: Path, size: Size) -> Memory:
    """Recall and remember as a busy day does, with the model; returns memory and peak."""
    server.load_model(project)
    for number in range(max(size.recalls, size.remembers)):
        placed = {"project_dir": str(project)}
        if number < size.recalls:
            server.ask("/v1/recall", {"query": PROMPTS[number % len(PROMPTS)], **placed})
        if number < size.remembers:
            content = f"Note {number}: the importer of batch {number * 7} keeps its own log file."
            server.ask("/v1/remember", {"content": content, "files": ["src/queue.py"], **placed})
    while server.ask("/v1/status")["pending"].get("embeddings", 1):
        time.sleep(0.02)
    return memory_of(server.process.pid)


class Mcp:
    """A client of `hitherto-mcp` over stdin and stdout, one message a line."""

    def __init__(self, who: Person, project: Path) -> None:
        environ = {**who.environ, "CLAUDE_PROJECT_DIR": str(project)}
        self.process = subprocess.Popen(
            [MCP], env=environ, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.last = 0

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of one request."""
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            reply: dict[str, Any] = json.loads(line)
            if reply.get("id") == self.last:
                found: dict[str, Any] = reply["result"]
                return found
        message = f"hitherto-mcp ended before it answered {method}"
        raise RuntimeError(message)

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def initialize(self) -> None:
        """Open the session as a client does."""
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
        self.ask("initialize", params)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def close(self) -> None:
        """End the session as a client does: by closing stdin."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def session_once(who: Person, project: Path, *, used: bool) -> Session:
    """Open an MCP session while the server is down; where `used`, list and call a tool too."""
    began = time.perf_counter()
    client = Mcp(who, project)
    try:
        client.initialize()
        taken_s = time.perf_counter() - began
        if not used:
            return Session(taken_s, None, [])
        tools = client.ask("tools/list", {})["tools"]
        client.ask("tools/call", {"name": "recall", "arguments": {"query": PROMPTS[0]}})
        return Session(taken_s, memory_of(client.process.pid), tools)
    finally:
        client.close()
        wait_for_server(who)
        end_server(who.home)


def wait_for_server(who: Person) -> None:
    """Wait for the server that the session started, so that it can be ended."""
    ends = time.monotonic() + 20
    while not who.home.record.exists() and time.monotonic() < ends:
        time.sleep(0.01)


def shown_bytes(tools: Sequence[dict[str, Any]]) -> int:
    """Return the size of the tools as a model sees them: name, description, input schema."""
    seen = [
        {name: tool.get(name) for name in ("name", "description", "inputSchema")} for tool in tools
    ]
    return len(json.dumps(seen, ensure_ascii=False, separators=(",", ":")).encode())


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    size = QUICK if options.quick else FULL
    run = begin("footprint", options)
    models = options.data / "models"
    with person(models) as who:
        project = seeded(options.data, who, size.memories)
        start_once(who)  # it writes the bytecode and warms the disk's cache
        session_once(who, project, used=False)
        starts, sessions = [], []
        for _ in range(size.starts):
            starts.append(start_once(who))
            sessions.append(session_once(who, project, used=False))
        used = session_once(who, project, used=True)
        with serving(who) as server:
            busy = work(server, project, size)
    details = {
        "memories": size.memories,
        "start_s": spread([one.wall_s for one in starts], 3),
        "start_cpu_s": spread([one.cpu_s for one in starts], 3),
        "idle": vars(starts[-1].idle),
        "busy": {**vars(busy), "recalls": size.recalls, "remembers": size.remembers},
        "mcp_initialize_s": spread([one.initialize_s for one in sessions], 3),
        "mcp_session": None if used.memory is None else vars(used.memory),
        "tools": [tool["name"] for tool in used.tools],
        "unit_of_memory": "MB of 10^6 bytes; rss is the bar, pss shares what others map too",
    }
    run.end(bars_of(starts, busy, sessions, used), details)


def bars_of(starts: list[Start], busy: Memory, sessions: list[Session], used: Session) -> list[Bar]:
    """Put each figure beside what it has to reach."""
    idle = median(one.idle.rss for one in starts)
    assert used.memory is not None
    return [
        at_most("server start to its first answer", median(s.wall_s for s in starts), "s", 0.6),
        figure("processor time of a start", median(s.cpu_s for s in starts), "s"),
        at_most("server, resident and idle", idle, "MB", 80),
        at_most("server, peak with the model and a busy day", busy.peak, "MB", 200),
        at_most(
            "hitherto-mcp initialize, the server down",
            median(one.initialize_s for one in sessions),
            "s",
            1,
        ),
        at_most("hitherto-mcp, resident a session", used.memory.rss, "MB", 75),
        at_most("memory tools as the model sees them", shown_bytes(used.tools), "bytes", 6144),
        unmeasured("start of mcp-memory-service", "s", None, PEER_NOTE),
        unmeasured("resident memory of mcp-memory-service", "MB", None, PEER_NOTE),
    ]


if __name__ == "__main__":
    main()
