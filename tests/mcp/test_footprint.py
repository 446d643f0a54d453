"""What one session costs: how long until `initialize` is answered, and how much memory it holds."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROUNDS = 7
MAX_INITIALIZE_S = 1.0
MAX_RSS_MB = 75.0


def environ(home: Path) -> dict[str, str]:
    """As an agent starts it: byte code may be written, and is there after the first time."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"HITHERTO_HOME": str(home)}


def initialize_once(home: Path) -> tuple[float, subprocess.Popen[bytes]]:
    """Return the seconds from the start of the process to the answer, and the process."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "hitherto_mcp.server"],
        env=environ(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    reply = exchange(process, "initialize", params)
    assert reply["result"]["serverInfo"]["name"] == "hitherto"
    return time.perf_counter() - began, process


def exchange(process: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> Any:
    assert process.stdin
    assert process.stdout
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def rss_mb(process: subprocess.Popen[bytes]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


def bare_interpreter_s() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began


def end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    assert process.stdout
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_a_session_starts_within_a_second_and_holds_little_memory(
    backend: Any, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    initialize_s, bare_s, rss_listed, rss_called = [], [], [], []
    for _ in range(ROUNDS):
        bare_s.append(bare_interpreter_s())
        took_s, process = initialize_once(home)  # the server is down, and is started by this
        initialize_s.append(took_s)
        exchange(process, "tools/list", {})
        rss_listed.append(rss_mb(process))
        call = {"name": "recall", "arguments": {"query": "anything"}}
        assert exchange(process, "tools/call", call)["result"]["isError"] is False
        rss_called.append(rss_mb(process))
        end(process)
        backend.kill()
    medians = {
        "initialize_s": statistics.median(initialize_s),
        "bare_interpreter_s": statistics.median(bare_s),
        "rss_listed_mb": statistics.median(rss_listed),
        "rss_called_mb": statistics.median(rss_called),
    }
    with capsys.disabled():
        print(f"\nmcp footprint, median of {ROUNDS}:", json.dumps(medians))
    assert medians["initialize_s"] <= MAX_INITIALIZE_S
    assert max(rss_called) <= MAX_RSS_MB
