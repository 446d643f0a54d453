"""What a process really asked the kernel for: strace over it and all that it starts."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.server_process import ServerProcess, wait_until

if TYPE_CHECKING:
    from pathlib import Path

# read at import: the guard takes it out of the environment before a test sees it
MUST_TRACE = os.environ.get("HITHERTO_REQUIRE_STRACE") == "1"
STRACE = shutil.which("strace")
FAMILY = re.compile(r"sa_family=(AF_\w+)")
ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')


def require_strace() -> str:
    """Return strace, or skip the test; HITHERTO_REQUIRE_STRACE=1 makes it fail."""
    if STRACE is not None:
        return STRACE
    if MUST_TRACE:
        pytest.fail("strace is required and not installed: apt-get install strace")
    pytest.skip("strace is not installed")


def tracing(calls: str, into: Path) -> list[str]:
    """Return what stands before a command so that its calls are written down; its pid stays."""
    strace = require_strace()
    return [
        strace,
        "-D",
        "-f",
        "--seccomp-bpf",
        "-q",
        "-s",
        "300",
        "-e",
        f"trace={calls}",
        "-o",
        str(into),
    ]


def read_trace(path: Path) -> list[str]:
    """Return the lines of a trace once its tracer has written the last one."""
    wait_until(lambda: path.exists() and "+++ " in path.read_text(), "the trace is whole")
    return path.read_text(errors="replace").splitlines()


@dataclass
class TracedServer(ServerProcess):
    """A server whose calls are written down."""

    calls: str = "network"
    traces: list[Path] = field(default_factory=list)

    def command(self) -> list[str]:
        """How `hitherto` is called: each run has a trace of its own."""
        trace = self.home.with_name(f"{self.home.name}.trace{len(self.traces)}")
        self.traces.append(trace)
        return [*tracing(self.calls, trace), *super().command()]

    def lines(self) -> list[str]:
        """Return all lines of all traces."""
        return [line for trace in self.traces for line in read_trace(trace)]


def addresses(lines: list[str]) -> set[tuple[str, str]]:
    """Return the family and the address of every socket address in a trace."""
    found = set()
    for line in lines:
        for family in FAMILY.findall(line):
            named = [four or six for four, six in ADDRESS.findall(line)] or [""]
            found |= {(family, address) for address in named}
    return found
