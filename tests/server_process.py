"""A real `hitherto serve` in a data home of its own, and plain HTTP to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests import warm_process
from tests.warm_process import HITHERTO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PERSONAL_PREFIXES = ("HITHERTO_", "CLAUDE", "ANTHROPIC_", "OPENAI_", "XDG_")
START_DEADLINE_S = 20.0
REPLY_DEADLINE_S = 20.0
POLL_S = 0.01
JSON = {"Content-Type": "application/json", "X-Hitherto-Protocol": "1"}


def wait_until(holds: Callable[[], Any], what: str, deadline_s: float = START_DEADLINE_S) -> None:
    """Poll until something holds, or fail."""
    deadline = time.monotonic() + deadline_s
    while not holds():
        assert time.monotonic() < deadline, f"waited {deadline_s} s until {what}"
        time.sleep(POLL_S)


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class SocketConnection(HTTPConnection):
    """HTTP over a unix socket; unlike httpx, it leaves no socket open where nobody listens."""

    def __init__(self, path: Path, timeout_s: float = REPLY_DEADLINE_S) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(str(self._path))
        except OSError:
            self.sock.close()
            raise


@dataclass(frozen=True)
class Reply:
    """What came back for one request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> Any:
        """The code of docs/errors.md, if the reply is an error of ours."""
        return self.json["error"]["code"] if b'"error"' in self.body else None


@dataclass
class ServerProcess:
    """One server, started and killed by a test."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def database(self) -> Path:
        return self.home / "memory.db"

    @property
    def socket_path(self) -> Path:
        pointer = self.home / "run" / "socket"
        named = pointer.read_text().strip() if pointer.exists() else None
        return Path(named) if named else self.home / "run" / "server.sock"

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.home / "run" / "server.json").read_text())
        return found

    @property
    def port(self) -> int:
        return int(self.record["port"])

    @property
    def token(self) -> str:
        return (self.home / "run" / "token").read_text()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def output(self) -> Path:
        """What the process printed: all of its starts, stdout and stderr."""
        return self.home.with_name(f"{self.home.name}.output")

    @property
    def log(self) -> str:
        return (self.home / "logs" / "server.log").read_text(errors="replace")

    def environment(self) -> dict[str, str]:
        """What its processes see; nothing of the person's own, whenever a test asks."""
        kept = {n: v for n, v in os.environ.items() if not n.startswith(PERSONAL_PREFIXES)}
        home = self.home.with_name(f"{self.home.name}.person")
        home.mkdir(parents=True, exist_ok=True)
        given = {"HITHERTO_PORT": "0", **self.environ}
        return {**kept, **given, "HOME": str(home), "HITHERTO_HOME": str(self.home)}

    def command(self) -> list[str]:
        """How `hitherto` is called."""
        return [str(HITHERTO)]

    def run(self, *arguments: str | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
        """Run `hitherto` with these arguments against this data home."""
        options = {"timeout": 60, "env": self.environment(), "stdin": subprocess.DEVNULL, **options}
        if "input" in options:
            del options["stdin"]
        return warm_process.run([*self.command(), *arguments], **options)

    def start(self) -> ServerProcess:
        """Start it and wait until it answers."""
        self._process = self.begin()
        wait_until(self._has_begun, "the server answers")
        return self

    def begin(self) -> subprocess.Popen[bytes]:
        """Start a server process and leave it to the test."""
        with self.output.open("ab") as output:
            return warm_process.popen(
                [*self.command(), "serve"],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def _has_begun(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, f"it ended: {self.output.read_text()}"
        return self.answers() and bool(self.record["pid"] == self.pid)

    def answers(self) -> bool:
        """Tell whether a server answers, whoever started it."""
        try:
            return bool(self.get("/health").json["name"] == "hitherto" and self.record)
        except (OSError, HTTPException, ValueError):
            return False

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send a signal to it, wait until it is gone, and return its exit code."""
        assert self._process is not None
        self._process.send_signal(number)
        code = self._process.wait(START_DEADLINE_S)
        self._process = None
        return code

    def wait_for_its_end(self) -> int:
        """Wait until it has ended by itself, and return its exit code."""
        assert self._process is not None
        code = self._process.wait(START_DEADLINE_S)
        self._process = None
        return code

    def kill_whoever_serves(self) -> None:
        """Kill the process that the record names: an MCP process may have started it."""
        pid = self.record["pid"]
        os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            self._process.poll()
        wait_until(lambda: not is_alive(pid), "the server is gone")

    def start_unless_it_runs(self) -> None:
        """Start it beside whoever else does, and wait until one of them answers."""
        starting = self.begin()
        wait_until(lambda: self.answers() and is_alive(self.record["pid"]), "one of them answers")
        if self.record["pid"] == starting.pid:
            if self._process is not None:
                self._process.wait(START_DEADLINE_S)
            self._process = starting
        else:
            assert starting.wait(START_DEADLINE_S) in {0, 1}

    def end(self) -> None:
        """Leave no process behind, whoever started it."""
        if self._process is not None:
            self.kill()
        if self.answers():
            self.kill_whoever_serves()

    def use_models(self, folder: Path) -> None:
        """Put the embedding models into the data home."""
        models = self.home / "models"
        models.mkdir(mode=0o700, parents=True, exist_ok=True)
        for model in folder.iterdir():
            if not (models / model.name).exists():
                (models / model.name).symlink_to(model)

    def tracebacks(self) -> list[str]:
        """The lines of the log and of the output that begin a traceback."""
        said = (self.output.read_text(errors="replace") if self.output.exists() else "") + self.log
        return [line for line in said.splitlines() if "Traceback" in line]

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()

    def get(self, path: str, **headers: str) -> Reply:
        return self.send("GET", path, None, headers)

    def post(self, path: str, value: Any) -> Reply:
        """Post a value as JSON over the socket."""
        return self.send("POST", path, json.dumps(value).encode())

    def call(self, operation: str, **values: Any) -> Any:
        """Do an operation that must succeed and return its reply."""
        reply = self.post(f"/v1/{operation}", values)
        assert reply.status == 200, reply.body
        return reply.json

    def hook(self, event: str, value: Any, *, at_ns: int | None = None, **headers: str) -> Reply:
        """Post a hook's input, as it begins now."""
        time_ns = str(time.time_ns() if at_ns is None else at_ns)
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return self.send("POST", f"/hook/{event}", body, {"X-Hitherto-Time": time_ns, **headers})

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send one request over the unix socket."""
        return exchange(SocketConnection(self.socket_path), method, path, body, headers)

    def send_tcp(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send one request over loopback, without a token unless the headers bring one."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=REPLY_DEADLINE_S)
        return exchange(connection, method, path, body, headers)

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def exchange(
    connection: HTTPConnection,
    method: str,
    path: str,
    body: Any,
    headers: Mapping[str, str] | None,
) -> Reply:
    """Send one request and read its reply to the end; a header that is None is left out."""
    with closing(connection):
        connection.request(method, path, body, {**JSON, **(headers or {})})
        reply = connection.getresponse()
        return Reply(reply.status, dict(reply.getheaders()), reply.read())
