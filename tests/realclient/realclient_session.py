"""One session of the real Claude Code CLI, led by a test and answered by a scripted model."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from realclient_model import Json, ModelRequest, Script, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SAY_DEADLINE_S = 60.0
END_DEADLINE_S = 30.0
# a client that reports nothing, updates nothing, retries nothing and knows no real key
QUIET = {
    "ANTHROPIC_API_KEY": "scripted",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "NO_PROXY": "127.0.0.1,localhost",
}
STREAMS = ("--input-format", "stream-json", "--output-format", "stream-json")


class SessionFailed(Exception):
    """The client ended early, stayed silent, or asked the script for something it can't give."""


@dataclass(frozen=True)
class Place:
    """A home and a project that belong to one test."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    def create(self) -> Place:
        """Make the folders and return the place."""
        for folder in (self.home, self.project, self.root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        return self

    @property
    def environ(self) -> dict[str, str]:
        """An environment from scratch: of the caller's own only PATH is left."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.root / "tmp"),
        }

    def write_settings(self, settings: Json) -> None:
        """Write the user's settings.json."""
        path = self.home / ".claude" / "settings.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(settings), encoding="utf-8")

    def write_mcp_servers(self, servers: Json) -> None:
        """Register MCP servers for the user."""
        path = self.home / ".claude.json"
        path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


@dataclass(frozen=True)
class Options:
    """How a session is started; `attended` says yes to every question, as a person might."""

    allow: tuple[str, ...] = ("Bash", "Edit", "Read", "Write")
    attended: bool = False
    permission_mode: str | None = None
    plugin: Path | None = None
    resume: bool = False

    def arguments(self) -> Iterator[str]:
        """Yield the client's command-line arguments."""
        yield from ("-p", "--verbose", "--include-hook-events", *STREAMS)
        yield from ("--allowedTools", ",".join(self.allow))
        if self.attended:
            yield from ("--permission-prompt-tool", "stdio")
        if self.permission_mode is not None:
            yield from ("--permission-mode", self.permission_mode)
        if self.plugin is not None:
            yield from ("--plugin-dir", str(self.plugin))
        if self.resume:
            yield "--continue"


PLAIN = Options()


@dataclass(frozen=True)
class HookRun:
    """A hook process as the client saw it; `took_ms` includes the client's own share."""

    event: str
    stdout: str
    stderr: str
    exit_code: int | None
    outcome: str
    took_ms: float


class Session:
    """A running client: prompts are said one by one, and what came of them can be read."""

    def __init__(self, process: subprocess.Popen[str], model: ScriptedModel, place: Place) -> None:
        self.events: list[Json] = []
        self.end_took_ms: float | None = None
        self._process = process
        self._model = model
        self._place = place
        self._lines: queue.Queue[tuple[float, str] | None] = queue.Queue()
        self._pump = threading.Thread(target=self._read_lines, daemon=True)
        self._pump.start()

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """Every request that reached the model, in order."""
        return tuple(self._model.requests)

    @property
    def id(self) -> str:
        """The session's id, known once a prompt was answered."""
        # not of any event: a continued session's first ones still carry another id
        inits = (event for event in self.events if event.get("subtype") == "init")
        return str(next(inits)["session_id"])

    @property
    def hook_runs(self) -> tuple[HookRun, ...]:
        """The hooks that have ended; the client tells of all but PreCompact and SessionEnd."""
        starts = {
            e["hook_id"]: e["at_s"] for e in self.events if e.get("subtype") == "hook_started"
        }
        ended = (e for e in self.events if e.get("subtype") == "hook_response")
        return tuple(_hook_run(event, starts[event["hook_id"]]) for event in ended)

    @property
    def transcripts(self) -> tuple[Path, ...]:
        """The files in which the client keeps its sessions."""
        return tuple(sorted((self._place.home / ".claude" / "projects").rglob("*.jsonl")))

    def lane(self, name: str) -> tuple[ModelRequest, ...]:
        """The requests of one conversation."""
        return tuple(request for request in self.requests if request.lane == name)

    def seen(self, text: str, lane: str = "main") -> list[int]:
        """Positions, in their lane, of the requests that carry the text."""
        return [request.index for request in self.lane(lane) if request.count(text)]

    def say(self, prompt: str) -> str:
        """Send a prompt (or a command such as /compact) and return the result's text."""
        self._write({"type": "user", "message": {"role": "user", "content": prompt}})
        result = self._read_until_result()
        if self._model.failures:
            raise SessionFailed("; ".join(self._model.failures))
        return str(result.get("result"))

    def end(self) -> None:
        """Close the session as a person would and wait until the client is gone."""
        started = time.monotonic()
        stdin = _pipe(self._process.stdin)
        if not stdin.closed:
            stdin.close()
        try:
            self._process.wait(END_DEADLINE_S)
        except subprocess.TimeoutExpired as error:
            message = f"the client did not end within {END_DEADLINE_S:.0f} s"
            raise SessionFailed(message) from error
        finally:
            self._kill()
        self.end_took_ms = (time.monotonic() - started) * 1000

    def _kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._pump.join()
        _pipe(self._process.stdout).close()

    def _read_lines(self) -> None:
        for line in _pipe(self._process.stdout):
            self._lines.put((time.monotonic(), line))
        self._lines.put(None)

    def _write(self, message: Json) -> None:
        stdin = _pipe(self._process.stdin)
        try:
            stdin.write(json.dumps(message) + "\n")
            stdin.flush()
        except BrokenPipeError as error:
            message_to_person = "the client has ended"
            raise SessionFailed(message_to_person) from error

    def _read_until_result(self) -> Json:
        deadline = time.monotonic() + SAY_DEADLINE_S
        while event := self._next_event(deadline):
            if event.get("type") == "control_request":
                self._write(_consent(event))
            if event.get("type") == "result":
                return event
        message = f"the client ended without a result; its last events: {self.events[-3:]}"
        raise SessionFailed(message)

    def _next_event(self, deadline: float) -> Json | None:
        try:
            item = self._lines.get(timeout=max(0.1, deadline - time.monotonic()))
        except queue.Empty as error:
            message = f"no result within {SAY_DEADLINE_S:.0f} s"
            raise SessionFailed(message) from error
        if item is None:
            return None
        event: Json = {**json.loads(item[1]), "at_s": item[0]}
        self.events.append(event)
        return event


@contextmanager
def open_session(
    claude: Path,
    place: Place,
    script: Script,
    options: Options = PLAIN,
    environ: Mapping[str, str] | None = None,
) -> Iterator[Session]:
    """Start the client in its project and end it with the block."""
    command = [str(claude), *options.arguments()]
    with (
        ScriptedModel(script) as model,
        (place.root / "client.stderr").open("a", encoding="utf-8") as stderr,
    ):
        process = subprocess.Popen(
            command,
            cwd=place.project,
            env={**place.environ, **QUIET, "ANTHROPIC_BASE_URL": model.url, **(environ or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # so that what hangs can be killed with its children
        )
        session = Session(process, model, place)
        try:
            yield session
        finally:
            session.end()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "the client is started with pipes"
    return stream


def _consent(question: Json) -> Json:
    asked = question["request"]
    is_tool = asked.get("subtype") == "can_use_tool"
    yes = {"behavior": "allow", "updatedInput": asked["input"]} if is_tool else {}
    reply = {"subtype": "success", "request_id": question["request_id"], "response": yes}
    return {"type": "control_response", "response": reply}


def _hook_run(event: Json, started_s: float) -> HookRun:
    return HookRun(
        event=event["hook_event"],
        stdout=event["stdout"],
        stderr=event["stderr"],
        exit_code=event.get("exit_code"),
        outcome=event["outcome"],
        took_ms=(event["at_s"] - started_s) * 1000,
    )
