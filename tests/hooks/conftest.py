"""A hook as the client runs it, and a server that answers as a test says."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import hitherto_hooks

RUN = Path(hitherto_hooks.__file__).parent / "run.py"
BODY = b'{"session_id":"s1","hook_event_name":"PostToolUse"}'
Behaviour = Callable[[socket.socket, bytes], None]


@dataclass(frozen=True)
class Outcome:
    """What a client sees of a hook."""

    code: int
    out: bytes
    err: bytes
    seconds: float

    def is_silent(self) -> bool:
        return (self.code, self.out, self.err) == (0, b"", b"")


@dataclass(frozen=True)
class Record:
    """One line of the spool."""

    event: str
    time_ns: int
    project: str
    body: bytes


def parse(line: bytes) -> Record:
    """The line as docs/hooks.md describes it."""
    event, time_ns, project, body = line.split(b"\t", 3)
    return Record(event.decode(), int(time_ns), project.decode(), body)


@dataclass(frozen=True)
class Hook:
    """Runs hooks against one data home."""

    home: Path

    def __call__(
        self,
        event: str | None = "PostToolUse",
        body: bytes = BODY,
        *,
        command: list[str] | None = None,
        **environ: str,
    ) -> Outcome:
        argv = command or [sys.executable, "-I", "-S", str(RUN)]
        started = time.monotonic()
        done = subprocess.run(
            [*argv, *([event] if event is not None else [])],
            input=body,
            capture_output=True,
            env={**os.environ, **environ},
            timeout=30,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - started)

    @property
    def events(self) -> Path:
        return self.home / "spool" / "events"

    def spooled(self) -> list[Record]:
        if not self.events.exists():
            return []
        return [parse(line) for line in self.events.read_bytes().split(b"\n")[:-1]]

    def dropped(self) -> int:
        dropped = self.home / "spool" / "dropped"
        return dropped.stat().st_size if dropped.exists() else 0


@pytest.fixture
def hook() -> Hook:
    return Hook(Path(os.environ["HITHERTO_HOME"]))


@dataclass
class FakeServer:
    """Listens in the data home; each connection is read whole, then handled by `behave`."""

    home: Path
    behave: Behaviour
    requests: list[bytes] = field(default_factory=list)

    def start(self) -> None:
        (self.home / "run").mkdir(parents=True, exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.home / "run" / "server.sock"))
        self.listener.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                try:
                    request = read_request(connection)
                    self.requests.append(request)
                    self.behave(connection, request)
                except OSError:
                    continue

    def stop(self) -> None:
        if self.listener.fileno() >= 0:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()


def read_request(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1 << 16)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(1 << 20)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def server(hook: Hook) -> Iterator[Callable[[Behaviour | bytes], FakeServer]]:
    """Start a server that sends the bytes, or does what the function does."""
    started: list[FakeServer] = []

    def start(behaviour: Behaviour | bytes) -> FakeServer:
        behave = behaviour if callable(behaviour) else lambda conn, _: conn.sendall(behaviour)
        fake = FakeServer(hook.home, behave)
        fake.start()
        started.append(fake)
        return fake

    yield start
    for fake in started:
        fake.stop()


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Poll until the condition holds."""

    def wait(condition: Callable[[], object], seconds: float = 10) -> None:
        ends = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < ends, "it did not come to pass"
            time.sleep(0.01)

    return wait
