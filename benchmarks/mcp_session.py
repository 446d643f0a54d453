"""An MCP client over stdio that waits no longer than it says."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PROTOCOL = "2025-06-18"
CHUNK = 1 << 16


class McpGone(Exception):
    """The process ended, or what it said is no answer."""


class McpLate(Exception):
    """The process did not answer in time."""


@dataclass
class McpSession:
    """One `hitherto-mcp` process, asked one thing at a time."""

    process: subprocess.Popen[bytes]
    deadline_s: float
    _asked: int = 0
    _left: bytearray = field(default_factory=bytearray)

    @classmethod
    def start(
        cls, command: Sequence[str], environ: Mapping[str, str], errors: Path, deadline_s: float
    ) -> McpSession:
        """Start the process; nothing is said to it yet."""
        with errors.open("ab") as stderr:
            process = subprocess.Popen(
                command,
                env=dict(environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )
        return cls(process, deadline_s)

    def initialize(self) -> None:
        """Say hello, as a client does first."""
        who = {"name": "endurance", "version": "1"}
        self.ask("initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=who)

    def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """Return what a tool says, and whether that is an error."""
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        if "result" not in answer:
            raise McpGone(str(answer)[:500])
        result = answer["result"]
        return str(result["content"][0]["text"]), bool(result["isError"])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its answer; answers to earlier, late ones are passed over."""
        self._asked += 1
        message = {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        stdin = self.process.stdin
        assert stdin is not None
        try:
            stdin.write(json.dumps(message).encode() + b"\n")
            stdin.flush()
        except OSError as error:
            raise McpGone(str(error)) from error
        ends = time.monotonic() + self.deadline_s
        while True:
            answer: dict[str, Any] = json.loads(self._line(ends))
            if answer.get("id") == self._asked:
                return answer

    def _line(self, ends: float) -> bytes:
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._left:
                if not ready.select(max(ends - time.monotonic(), 0)):
                    raise McpLate
                chunk = os.read(self.process.stdout.fileno(), CHUNK)
                if not chunk:
                    message = f"it ended with code {self.process.poll()}"
                    raise McpGone(message)
                self._left += chunk
        line, _, rest = bytes(self._left).partition(b"\n")
        self._left = bytearray(rest)
        return line

    def end(self, wait_s: float) -> bool:
        """Close its input and tell whether it ended in time; it is killed if not."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False
        finally:
            self.process.stdout.close()
        return True
