"""What was acknowledged is on the disk: the server is killed while everybody writes."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.mcp_process import McpProcess
from tests.server_process import wait_until

from hitherto_server.store.check import disagreements
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import ServerProcess

ROUNDS = 10
WRITES_BEFORE_KILL = 40
WORDS = "The build cache of step {} lies in `cache/step_{}.bin` and is keyed by E{}."
ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b")


@dataclass(frozen=True)
class State:
    """What a memory was acknowledged to be."""

    revision: int
    content: str
    trashed: bool = False


@dataclass
class Acknowledged:
    """What one client was told; a change without an answer leaves two states possible."""

    states: dict[str, State] = field(default_factory=dict)
    unanswered: dict[str, State] = field(default_factory=dict)

    def allowed(self, memory_id: str) -> set[State]:
        return {self.states[memory_id], self.unanswered.get(memory_id, self.states[memory_id])}


class SocketClient:
    """Writes over the unix socket, as the command line does."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server

    def write(self, operation: str, **values: Any) -> str | None:
        """Return the id that was acknowledged, or None if no answer came."""
        try:
            reply = self._server.post(f"/v1/{operation}", values)
        except (OSError, HTTPException):
            return None
        assert reply.status == 200, reply.body
        return str(reply.json["id"])


class McpClient:
    """Writes over MCP, as an agent does; it starts the server again by itself."""

    def __init__(self, process: McpProcess) -> None:
        self._process = process

    def write(self, operation: str, **values: Any) -> str | None:
        """Return the id that was acknowledged, or None if no answer came."""
        reply = self._process.call(operation, **values)
        if reply.is_error:
            assert reply.code == "server_away", reply.text
            return None
        return ID.findall(reply.text)[0]


class WriterThread:
    """One client that remembers, edits and forgets until it is told to stop."""

    def __init__(self, client: SocketClient | McpClient, name: str) -> None:
        self.client = client
        self.name = name
        self.told = Acknowledged()
        self._number = count()

    def run(self, stop: threading.Event) -> None:
        while not stop.is_set():
            number = next(self._number)
            content = f"{self.name}: " + WORDS.format(number, number, number)
            memory_id = self.client.write("remember", content=content, scope="user")
            if memory_id is None:
                return
            self.told.states[memory_id] = State(1, content)
            if number % 3 == 1 and not self._edit(memory_id, f"{content} Since moved."):
                return
            if number % 5 == 2 and not self._forget(memory_id):
                return

    def _edit(self, memory_id: str, content: str) -> bool:
        after = State(self.told.states[memory_id].revision + 1, content)
        self.told.unanswered[memory_id] = after
        return self._answered(
            memory_id, self.client.write("reflect", action="edit", id=memory_id, content=content)
        )

    def _forget(self, memory_id: str) -> bool:
        before = self.told.states[memory_id]
        self.told.unanswered[memory_id] = State(before.revision + 1, before.content, trashed=True)
        return self._answered(memory_id, self.client.write("forget", id=memory_id))

    def _answered(self, memory_id: str, answer: str | None) -> bool:
        if answer is not None:
            self.told.states[memory_id] = self.told.unanswered.pop(memory_id)
        return answer is not None


@pytest.fixture
def mcp_clients(server: ServerProcess, tmp_path: Path) -> Iterator[list[McpClient]]:
    server.start()
    processes = [McpProcess(server.environment(), tmp_path / "mcp.errors") for _ in range(2)]
    yield [McpClient(process) for process in processes]
    for process in processes:
        process.end()
    assert (tmp_path / "mcp.errors").read_text() == ""


def held(server: ServerProcess, ids: list[str]) -> dict[str, State]:
    """What the server says of these memories now."""
    found: dict[str, State] = {}
    for start in range(0, len(ids), 50):
        for view in server.call("memories", view="get", ids=ids[start : start + 50])["memories"]:
            trashed = view["trashed_at_ms"] is not None
            found[view["id"]] = State(view["revision"], view["content"], trashed)
    return found


def faults_of(server: ServerProcess) -> list[str]:
    with closing(open_raw(server.database)) as connection:
        return disagreements(connection)


def write_until_killed(server: ServerProcess, writers: list[WriterThread]) -> None:
    stop = threading.Event()
    before = [len(writer.told.states) for writer in writers]

    def all_have_written() -> bool:
        now = [len(writer.told.states) for writer in writers]
        return sum(now) - sum(before) >= WRITES_BEFORE_KILL and all(
            after > earlier for after, earlier in zip(now, before, strict=True)
        )

    with ThreadPoolExecutor(len(writers)) as pool:
        running = [pool.submit(writer.run, stop) for writer in writers]
        try:
            wait_until(all_have_written, "all clients have written")
            server.kill_whoever_serves()
        finally:
            stop.set()
        for one in running:
            one.result()


@pytest.mark.slow
def test_what_was_acknowledged_outlives_ten_kills_under_four_writing_clients(
    server: ServerProcess, mcp_clients: list[McpClient], models_dir: Path
) -> None:
    server.use_models(models_dir)
    clients = [SocketClient(server), SocketClient(server), *mcp_clients]
    writers = [WriterThread(client, f"client {n}") for n, client in enumerate(clients)]
    for _ in range(ROUNDS):
        write_until_killed(server, writers)
        server.start_unless_it_runs()
        for writer in writers:
            now = held(server, list(writer.told.states))
            wrong = {
                i: now.get(i) for i in writer.told.states if now[i] not in writer.told.allowed(i)
            }
            assert wrong == {}
            # what the kill left open is known by now
            writer.told.states.update(now)
            writer.told.unanswered.clear()
        assert faults_of(server) == []
    assert server.tracebacks() == []


def test_an_answered_event_outlives_a_kill(server: ServerProcess) -> None:
    server.start()
    answered: list[str] = []
    stop = threading.Event()

    def report(name: str) -> None:
        for number in count():
            if stop.is_set():
                return
            tool_id = f"{name}-{number}"
            value = {"session_id": name, "tool_name": "Bash", "tool_use_id": tool_id}
            try:
                reply = server.hook("PostToolUse", value)
            except (OSError, HTTPException):
                return
            assert reply.status == 204, reply.body
            answered.append(tool_id)

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(report, f"session-{n}") for n in range(3)]
        wait_until(lambda: len(answered) > 60, "events were taken")
        server.kill()
        stop.set()
        for one in running:
            one.result()
    server.start()
    noted = [event["detail"]["tool_use_id"] for event in all_events(server, 3)]
    assert len(noted) == len(set(noted))
    assert set(answered) <= set(noted)


def all_events(server: ServerProcess, sessions: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number in range(sessions):
        for offset in count(0, 200):
            page = server.call(
                "memories",
                view="events",
                session_id=f"session-{number}",
                limit=200,
                offset=offset,
            )["events"]
            found += page
            if len(page) < 200:
                break
    return found


def spooled(event: str, value: Any, *, project: Path, at_ns: int | None = None) -> bytes:
    """One line as the hook writes it."""
    time_ns = time.time_ns() if at_ns is None else at_ns
    return f"{event}\t{time_ns}\t{quote(str(project))}\t{json.dumps(value)}\n".encode()


def count_events(server: ServerProcess) -> int:
    with closing(open_raw(server.database, read_only=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM event").fetchone()[0])


def test_the_spool_is_taken_in_once_though_the_server_is_killed_in_its_midst(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    server.kill()
    plan = {
        "session_id": "session-0",
        "tool_name": "ExitPlanMode",
        "tool_use_id": "plan",
        "tool_response": {"plan": "# Plan\nMove the cache to `cache/v2`.", "filePath": "/p/a.md"},
    }
    lines = [
        spooled("PostToolUse", {"session_id": "session-0", "tool_use_id": str(n)}, project=tmp_path)
        for n in range(1500)
    ]
    spool = server.home / "spool" / "events"
    spool.write_bytes(b"".join([*lines, spooled("PostToolUse", plan, project=tmp_path)]))
    for share in (0.2, 0.5, 0.8):
        server.start()
        wait_until(
            lambda share=share: count_events(server) >= share * len(lines), "a part of it is in"
        )
        server.kill()
        assert (server.home / "spool" / "events.draining").exists(), "it was too late to kill"
    server.start()
    wait_until(lambda: not list((server.home / "spool").iterdir()), "the spool is empty")
    noted = [event["detail"]["tool_use_id"] for event in all_events(server, 1)]
    assert sorted(noted) == sorted([*(str(n) for n in range(1500)), "plan"])
    stored = server.call("memories", kind="plan")["memories"]
    assert [memory["content"] for memory in stored] == [plan["tool_response"]["plan"]]


def test_an_event_that_comes_twice_directly_and_once_by_the_spool_is_noted_once(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    value = {"session_id": "session-0", "tool_name": "Edit", "tool_use_id": "t1"}
    now = time.time_ns()
    with ThreadPoolExecutor(2) as pool:
        times = (now, now + 5_000_000)
        replies = list(pool.map(lambda at: server.hook("PostToolUse", value, at_ns=at), times))
    assert [reply.status for reply in replies] == [204, 204]
    server.restart()  # what it held in memory is gone
    (server.home / "spool" / "events").write_bytes(
        spooled("PostToolUse", value, project=tmp_path, at_ns=now + 9_000_000)
        + spooled("PostToolUse", value, project=tmp_path, at_ns=now + 60_000_000_000)
    )
    wait_until(lambda: not list((server.home / "spool").iterdir()), "the spool is empty")
    # the last one is a minute later: the same thing happened again
    assert len(all_events(server, 1)) == 2


def test_a_server_that_is_told_to_stop_keeps_what_it_acknowledged(server: ServerProcess) -> None:
    server.start()
    writers = [WriterThread(SocketClient(server), f"client {number}") for number in range(4)]
    stop = threading.Event()
    with ThreadPoolExecutor(len(writers)) as pool:
        running = [pool.submit(writer.run, stop) for writer in writers]
        wait_until(lambda: sum(len(writer.told.states) for writer in writers) > 60, "they write")
        assert server.kill(signal.SIGTERM) == 0
        for one in running:
            one.result()
    server.start()
    for writer in writers:
        now = held(server, list(writer.told.states))
        assert {i for i, state in now.items() if state not in writer.told.allowed(i)} == set()
    assert faults_of(server) == []
    assert server.tracebacks() == []


def test_a_server_that_is_killed_while_it_starts_for_the_first_time_starts_the_next(
    server: ServerProcess,
) -> None:
    for number in range(12):
        process = server.begin()
        reached = [
            server.home / "run" / "server.lock",
            server.database,
            server.home / "memory.db-wal",
            server.home / "run" / "server.json",
        ][number % 4]
        wait_until(lambda reached=reached: reached.exists(), f"it made {reached.name}")
        process.kill()
        process.wait()
        if number % 4 == 3:
            (server.home / "memory.db").unlink()
            for left in server.home.glob("memory.db-*"):
                left.unlink()
    server.start()
    server.call("remember", content="The port is 8080.", scope="user")
    assert faults_of(server) == []


def test_of_five_servers_that_start_at_once_one_serves(server: ServerProcess) -> None:
    processes = [server.begin() for _ in range(5)]
    wait_until(server.answers, "one of them answers")
    pid = server.record["pid"]
    for process in processes:
        if process.pid != pid:
            assert process.wait(20) in {0, 1}
    assert server.get("/health").status == 200
    assert server.record["pid"] == pid
    assert server.tracebacks() == []
    next(process for process in processes if process.pid == pid).kill()
    for process in processes:
        process.wait()
