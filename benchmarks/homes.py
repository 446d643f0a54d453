"""A real server in a data home of its own, and the plainest way to ask it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import clean_environ

from hitherto_server.core.home import Home
from hitherto_server.install.shims import find_programs, write_shims
from hitherto_server.models.sources import fetch_model

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_S = 60.0
POLL_S = 0.002
SERVE = [sys.executable, "-P", "-m", "hitherto_server", "serve"]


@dataclass(frozen=True)
class Person:
    """A home folder with an installed Hitherto in it; nobody lives there."""

    folder: Path

    @property
    def home(self) -> Home:
        return Home(self.folder / ".hitherto")

    @property
    def environ(self) -> dict[str, str]:
        # the daily backup of a store that has none yet would fall into what is timed
        return clean_environ(self.folder, HITHERTO_PORT="0", HITHERTO_BACKUP_HOURS="0")


@contextmanager
def person(models: Path) -> Iterator[Person]:
    """Lend a home folder with shims and the model; what it started is ended with it."""
    with tempfile.TemporaryDirectory(prefix="hb-") as folder:
        made = install(Path(folder), models)
        try:
            yield made
        finally:
            end_server(made.home)


def install(folder: Path, models: Path) -> Person:
    """Put shims and model into a home folder, as the installer would."""
    made = Person(folder)
    made.home.create()
    write_shims(made.home, find_programs())
    model = fetch_model(models)
    (made.home.models / model.name).symlink_to(model.folder, target_is_directory=True)
    return made


@contextmanager
def serving(who: Person) -> Iterator[Server]:
    """Run the person's server until the block ends."""
    server = Server.start(who)
    try:
        yield server
    finally:
        server.stop()


@dataclass
class Server:
    """A server's process and the answers it gives over the socket."""

    home: Home
    process: subprocess.Popen[bytes]
    started_s: float
    """Wall time from its start to its first answer."""

    @classmethod
    def start(cls, who: Person) -> Server:
        """Start the server and wait for its first answer."""
        began = time.perf_counter()
        process = subprocess.Popen(
            SERVE,
            env=who.environ,
            cwd=who.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        while not is_up(who.home):
            if process.poll() is not None or time.perf_counter() - began > WAIT_S:
                process.kill()
                message = "the server did not answer"
                raise RuntimeError(message)
            time.sleep(POLL_S)
        return cls(who.home, process, time.perf_counter() - began)

    def ask(self, path: str, payload: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the server's answer."""
        return ask(self.home, path, payload)

    def load_model(self, project: Path) -> None:
        """Have the model loaded and everything embedded; returns when that is done."""
        question = {"query": "what is known here", "project_dir": str(project)}
        ends = time.monotonic() + WAIT_S
        while True:
            self.ask("/v1/recall", question)
            status = self.ask("/v1/status")
            if status["model"]["state"] == "ready" and not status["pending"].get("embeddings", 1):
                return
            if time.monotonic() > ends:
                message = f"the model is {status['model']}"
                raise RuntimeError(message)
            time.sleep(0.05)

    def stop(self) -> None:
        """End the server as a service manager would."""
        self.process.terminate()
        self.process.wait(WAIT_S)


class UnixConnection(http.client.HTTPConnection):
    """HTTP over the data home's socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("hitherto", timeout=WAIT_S)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(WAIT_S)
        self.sock.connect(str(self.path))


def ask(home: Home, path: str, payload: dict[str, Any] | None = None) -> dict[str, Any]:
    """Ask over a connection of its own, as hooks and MCP do; a refusal is an error."""
    connection = UnixConnection(home.socket)
    try:
        body = None if payload is None else json.dumps(payload)
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request("GET" if body is None else "POST", path, body, headers)
        reply = connection.getresponse()
        answer: dict[str, Any] = json.loads(reply.read())
    finally:
        connection.close()
    if "error" in answer:
        raise RuntimeError(str(answer["error"]))
    return answer


def is_up(home: Home) -> bool:
    """Tell whether a server answers with 200."""
    try:
        return str(ask(home, "/health")["name"]) == "hitherto"
    except (OSError, ValueError, http.client.HTTPException):
        return False


def end_server(home: Home) -> None:
    """End the server that a hook or an MCP client started, if it still runs."""
    try:
        process = int(json.loads(home.record.read_text(encoding="utf-8"))["pid"])
        os.kill(process, signal.SIGTERM)
    except (OSError, ValueError):
        return
    ends = time.monotonic() + WAIT_S
    while home.record.exists() and time.monotonic() < ends:
        time.sleep(0.01)
