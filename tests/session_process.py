"""A session of a client: its hooks as real processes, as `install` registers them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hitherto_hooks

if TYPE_CHECKING:
    from tests.server_process import ServerProcess

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
HANGS_S = 60.0


@dataclass(frozen=True)
class Outcome:
    """What the client sees of a hook."""

    code: int
    out: bytes
    err: bytes
    seconds: float

    @property
    def is_silent(self) -> bool:
        """Whether the client goes on as if there were no hook."""
        return (self.code, self.out, self.err) == (0, b"", b"")

    @property
    def given(self) -> str:
        """What the model reads; nothing where the hook printed nothing for it."""
        assert (self.code, self.err) == (0, b""), self
        reply = json.loads(self.out) if self.out else {}
        return str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))


@dataclass(frozen=True)
class Session:
    """One session in one folder."""

    server: ServerProcess
    folder: Path
    id: str = "s"
    command: tuple[str, ...] = (sys.executable, "-I", "-S", str(RUN))
    environ: dict[str, str] = field(default_factory=dict)

    def hook(self, event: str, **body: Any) -> Outcome:
        """Run the hook of an event to its end."""
        value = {"session_id": self.id, "cwd": str(self.folder), "hook_event_name": event, **body}
        began = time.monotonic()
        done = subprocess.run(
            [*self.command, event],
            input=json.dumps(value).encode(),
            env={**self.environment(), "CLAUDE_PROJECT_DIR": str(self.folder)},
            cwd=self.folder,
            capture_output=True,
            timeout=HANGS_S,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def environment(self) -> dict[str, str]:
        """What the session's processes see."""
        return {**self.server.environment(), **self.environ}

    def prompt(self, text: str) -> Outcome:
        """Send a prompt."""
        return self.hook("UserPromptSubmit", prompt=text)

    def tool(self, name: str, number: int = 0, **tool_input: Any) -> Outcome:
        """Report a tool call that succeeded."""
        use = {"tool_name": name, "tool_use_id": f"{self.id}-{number}", "tool_input": tool_input}
        return self.hook("PostToolUse", **use)

    def says(self, *arguments: str) -> str:
        """Run `hitherto` in the folder and return what it printed; it must succeed."""
        done = self.server.run(*arguments, cwd=self.folder)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def remember(self, content: str, **more: Any) -> str:
        """Store a statement of the folder's project and return its id."""
        return str(self.call("remember", content=content, **more)["id"])

    def recall(self, query: str, **more: Any) -> list[str]:
        """Ask, and return what the hits say."""
        return [hit["excerpt"] for hit in self.call("recall", query=query, **more)["hits"]]

    def listed(self) -> list[dict[str, Any]]:
        """Return what the folder's project knows."""
        found = self.call("memories", view="recent", scope="project", limit=200)["memories"]
        return list(found)

    def call(self, operation: str, **values: Any) -> Any:
        """Do an operation from within the folder, as the command line does; it must succeed."""
        return self.server.call(operation, project_dir=str(self.folder), **values)


def memories(server: ServerProcess) -> list[str]:
    """What the store holds, of every project."""
    listed = server.call("memories", view="recent", limit=200)["memories"]
    return [memory["content"] for memory in listed]
