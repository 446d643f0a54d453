"""What several complaints' tests need: old stores, registered commands, and looks from outside."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import threading
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitherto_migrations import list_steps
from hitherto_server.core.clock import now_ms
from hitherto_server.store.driver import open_raw
from hitherto_server.store.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server_process import ServerProcess
    from tests.session_process import Session

LESSON = "`parse_config` reads its file twice, first for the encoding."
QUESTION = "Why does parse_config read its file twice for the encoding?"


def model_is_ready(server: ServerProcess) -> bool:
    """Tell whether recall goes by meaning, too."""
    server.call("recall", query="is it there?", scope="user")  # which wakes it
    return bool(server.get("/v1/status").json["model"]["state"] == "ready")


def database_of(home: Path, *, version: int) -> None:
    """Make a data home as an earlier version left it."""
    (home / "backups").mkdir(mode=0o700, parents=True)
    home.chmod(0o700)
    with closing(open_raw(home / "memory.db")) as connection:
        migrate(connection, backups=home / "backups", clock=now_ms, steps=list_steps()[:version])
    (home / "memory.db").chmod(0o600)


@contextmanager
def prlimited(process: int, what: int, most: int) -> Iterator[None]:
    """Limit a process that runs, and take the limit back."""
    before = resource.prlimit(process, what)
    resource.prlimit(process, what, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(process, what, before)


def claude_settings(server: ServerProcess) -> list[tuple[str, dict[str, Any]]]:
    """Return each hook that is registered with Claude Code, with its event."""
    path = Path(server.environment()["HOME"]) / ".claude" / "settings.json"
    hooks = json.loads(path.read_text())["hooks"]
    return [
        (event, entry)
        for event, groups in hooks.items()
        for group in groups
        for entry in group["hooks"]
    ]


def registered_command(server: ServerProcess, event: str) -> str:
    """Return the command that the client runs at an event."""
    return str(next(entry["command"] for name, entry in claude_settings(server) if name == event))


def events_of(session: Session) -> list[dict[str, Any]]:
    """Return what the server noted of a session."""
    server = session.server
    if not server.answers():
        return []
    found = server.call("memories", view="events", session_id=session.id, limit=200)["events"]
    return list(found)


@contextmanager
def stopped(server: ServerProcess) -> Iterator[None]:
    """Let the server hang while the block runs."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


def homes_processes(home: Path) -> list[int]:
    """Return the processes that were told of a data home."""
    named = f"HITHERTO_HOME={home}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if named in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return [process for process in found if process != os.getpid()]


def peak_mb(process: int) -> float:
    """Return the most memory that a process ever had."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM"))


@contextmanager
def listener() -> Iterator[tuple[int, list[Any]]]:
    """Listen on a port and note who comes."""
    came: list[Any] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def accept() -> None:
            while True:
                try:
                    connection, address = listening.accept()
                except OSError:
                    return
                came.append(address)
                connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield int(listening.getsockname()[1]), came
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
