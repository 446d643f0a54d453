"""Hitherto as a person has it: installed into a home, its server running, or failing on purpose."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from realclient_garbage import serve_garbage
from tests import warm_process
from tests.server_process import SocketConnection
from tests.warm_process import HITHERTO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from realclient_garbage import Garbage
    from realclient_model import Json
    from realclient_session import Place

START_DEADLINE_S = 20.0
SETTLE_DEADLINE_S = 20.0
REPLY_DEADLINE_S = 5.0
POLL_S = 0.02
HEADERS = {"Content-Type": "application/json", "X-Hitherto-Protocol": "1"}
MODEL_NAME = "all-MiniLM-L6-v2"

Value = TypeVar("Value")


def eventually(read: Callable[[], Value], wanted: Value, deadline_s: float) -> Value:
    """Read until the value is the wanted one, at most until the deadline; return the last."""
    deadline = time.monotonic() + deadline_s
    while (value := read()) != wanted and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return value


class Product:
    """One installation of Hitherto in a place of its own."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.home = place.home / ".hitherto"
        self._started: list[subprocess.Popen[bytes]] = []

    def use_model(self, folder: Path) -> None:
        """Put the embedding model into the data home."""
        models = self.home / "models"
        models.mkdir(mode=0o700, parents=True)
        self.home.chmod(0o700)
        (models / MODEL_NAME).symlink_to(folder)

    def run(self, *arguments: str) -> str:
        """Run `hitherto` with these arguments and return what it printed."""
        ended = warm_process.run(
            [str(HITHERTO), *arguments],
            cwd=self.place.project,
            env=self.place.environ,
            text=True,
            timeout=60,
        )
        said = f"hitherto {' '.join(arguments)}: {ended.stdout}{ended.stderr}"
        assert ended.returncode == 0, said
        return ended.stdout

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with (self.place.root / "serve.log").open("ab") as log:
            process = warm_process.popen(
                [str(HITHERTO), "serve"],
                cwd=self.place.project,
                env=self.place.environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._started.append(process)
        answers = eventually(self._answers, wanted=True, deadline_s=START_DEADLINE_S)
        assert answers, f"the server did not start: {(self.place.root / 'serve.log').read_text()}"

    def post(self, path: str, body: Json) -> Json:
        """Call the HTTP API over the socket, for this project, and return its reply."""
        return self._ask("POST", path, {"project_dir": str(self.place.project), **body})

    def status(self) -> Json:
        """Return what the server says about itself."""
        return self._ask("GET", "/v1/status")

    def settle(self) -> None:
        """Wait until the model is loaded and every memory is in every index."""
        self.post("/v1/recall", {"query": "load the model"})
        settled = eventually(self._is_settled, wanted=True, deadline_s=SETTLE_DEADLINE_S)
        assert settled, f"still not ready: {self.status()}"

    def events(self, session_id: str) -> list[Json]:
        """Return the events of a session that the store holds."""
        body = {"view": "events", "session_id": session_id, "limit": 200}
        events: list[Json] = self.post("/v1/memories", body)["events"]
        return events

    def spooled_bytes(self) -> int:
        """Return how much waits in the spool."""
        files = (self.home / "spool" / name for name in ("events", "events.draining"))
        return sum(file.stat().st_size for file in files if file.exists())

    @contextmanager
    def killed(self) -> Iterator[None]:
        """Kill the server; start it again afterwards."""
        self.kill()
        yield
        self.start()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Stop the server from running, as a busy machine may; let it go on afterwards."""
        pid = self._server_pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    @contextmanager
    def garbling(self, garbage: Garbage) -> Iterator[None]:
        """Put something else into the server's place; put the server back afterwards."""
        self.kill()
        path = self._socket_path()
        path.unlink(missing_ok=True)
        with serve_garbage(path, garbage):
            yield
        path.unlink(missing_ok=True)
        self.start()

    def kill(self) -> None:
        """Kill the server where it stands and wait until it is gone."""
        pid = self._server_pid()
        os.kill(pid, signal.SIGKILL)
        assert not eventually(lambda: self._is_alive(pid), wanted=False, deadline_s=5.0)

    def end(self) -> None:
        """Leave no process behind, whoever started it."""
        for process in self._started:
            process.kill()
            process.wait()
        # a server that a hook has started; an old record alone may name somebody else's process
        if self._answers():
            self.kill()

    def _is_alive(self, pid: int) -> bool:
        for process in self._started:
            process.poll()  # a child that ended stays visible until it is asked for
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _server_pid(self) -> int:
        return int(json.loads((self.home / "run" / "server.json").read_text())["pid"])

    def _socket_path(self) -> Path:
        pointer = self.home / "run" / "socket"
        named = pointer.read_text().strip() if pointer.exists() else None
        return Path(named) if named else self.home / "run" / "server.sock"

    def _ask(self, method: str, path: str, body: Json | None = None) -> Json:
        with closing(SocketConnection(self._socket_path(), REPLY_DEADLINE_S)) as connection:
            content = None if body is None else json.dumps(body).encode()
            connection.request(method, path, content, HEADERS)
            reply = connection.getresponse()
            text = reply.read().decode()
        assert reply.status == HTTPStatus.OK, f"{method} {path}: {text}"
        answer: Json = json.loads(text)
        return answer

    def _answers(self) -> bool:
        try:
            return bool(self._ask("GET", "/health").get("name") == "hitherto")
        except (OSError, HTTPException, ValueError):
            return False

    def _is_settled(self) -> bool:
        status = self.status()
        return status["model"].get("state") == "ready" and not any(status["pending"].values())
