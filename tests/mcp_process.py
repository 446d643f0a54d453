"""A real `hitherto-mcp` process, spoken to line by line."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HITHERTO_MCP = Path(sys.executable).with_name("hitherto-mcp")


@dataclass(frozen=True)
class ToolReply:
    """What the model would read."""

    text: str
    is_error: bool

    @property
    def code(self) -> str | None:
        """The code of docs/errors.md that an error begins with."""
        return self.text.split(":", 1)[0] if self.is_error else None


class McpProcess:
    """One session's MCP server; every call waits for its answer."""

    def __init__(
        self, environment: Mapping[str, str], errors: Path, before: Sequence[str] = ()
    ) -> None:
        self._next_id = 0
        with errors.open("ab") as stderr:
            self._process = subprocess.Popen(
                [*before, str(HITHERTO_MCP)],
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )

    def call(self, tool: str, **arguments: Any) -> ToolReply:
        """Call a tool."""
        reply = self.ask("tools/call", name=tool, arguments=arguments)
        assert "result" in reply, reply
        return ToolReply(reply["result"]["content"][0]["text"], reply["result"]["isError"])

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        return self.say(json.dumps(message).encode())

    def say(self, line: bytes) -> dict[str, Any]:
        """Send one line and return the line that answers it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def end(self) -> None:
        """Close its input and wait until it is gone."""
        self._process.communicate(timeout=20)
