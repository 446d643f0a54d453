"""The client of the HTTP API keeps its deadlines and says what went wrong, whatever answers."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hitherto_mcp import client as client_module
from hitherto_mcp.client import CALL_S, FIRST_START_S, Client, ServerSaid
from hitherto_mcp.spawn import data_home, serve_command

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Serve = "Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]"


def answer(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    head += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*head, "", ""]).encode() + body


class BadServer:
    """A server on the real socket that answers every request with the same bytes."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.requests: list[bytes] = []
        self.says = b""
        self.then_hangs = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            self.requests.append(head + await reader.readexactly(length))
            writer.write(self.says)
            await writer.drain()
            if self.then_hangs:
                await reader.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def bad_server(home: Path) -> AsyncIterator[BadServer]:
    (home / "run").mkdir(parents=True)
    (home / "run" / "serve.cmd").write_text("/bin/false\n")
    bad = BadServer(home)
    server = await asyncio.start_unix_server(bad.serve, home / "run" / "server.sock")
    yield bad
    server.close()


async def refusal(home: Path, operation: str = "recall") -> ServerSaid:
    with pytest.raises(ServerSaid) as caught:
        await Client(home).call(operation, {})
    return caught.value


@pytest.mark.parametrize(
    "says",
    [
        b"garbage",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}",
        b"\x00" * 1000,
        b"",
    ],
)
async def test_a_broken_answer_is_asked_for_twice_and_then_reported(
    bad_server: BadServer, says: bytes
) -> None:
    bad_server.says = says
    said = await refusal(bad_server.home)
    assert said.code == "server_away"
    assert len(bad_server.requests) == 2


async def test_a_lost_answer_to_a_change_is_not_asked_for_again(bad_server: BadServer) -> None:
    said = await refusal(bad_server.home, "reflect")
    assert "may or may not be done" in said.message
    assert "memories" in said.mend
    assert len(bad_server.requests) == 1


async def test_a_statement_is_sent_again_under_the_same_key(bad_server: BadServer) -> None:
    await refusal(bad_server.home, "remember")
    first, second = (json.loads(r.partition(b"\r\n\r\n")[2]) for r in bad_server.requests)
    assert first["idempotency_key"] == second["idempotency_key"]


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
async def test_a_hanging_server_costs_the_deadline_and_no_more(
    bad_server: BadServer, says: bytes
) -> None:
    bad_server.says, bad_server.then_hangs = says, True
    began = time.monotonic()
    said = await refusal(bad_server.home)
    assert CALL_S <= time.monotonic() - began < CALL_S + 1
    assert (said.code, said.message) == ("server_away", "the server did not answer within 2.0 s")


@pytest.mark.parametrize(
    ("says", "code"),
    [
        (answer(b"[]"), "internal"),
        (answer(b"no json"), "internal"),
        (answer(b"{}", "500 Oops"), "internal"),
        (answer(b'{"error": "x"}', "400 Bad"), "internal"),
        (answer(b"{}", X_Hitherto_Protocol="99"), "protocol_mismatch"),
        (
            answer(b'{"error": {"code": "store_full", "message": "m", "mend": "n"}}', "507 Full"),
            "store_full",
        ),
    ],
)
async def test_what_the_server_says_becomes_an_error_with_a_code(
    bad_server: BadServer, says: bytes, code: str
) -> None:
    bad_server.says = says
    assert (await refusal(bad_server.home)).code == code


async def test_an_endless_answer_is_cut_off(
    bad_server: BadServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "MAX_REPLY_BYTES", 1000)
    bad_server.says = b"x" * 5000
    assert "too large" in (await refusal(bad_server.home)).message


async def test_a_server_that_cannot_start_costs_no_more_than_one_that_hangs(
    home: Path,
) -> None:
    (home / "run").mkdir(parents=True)
    (home / "run" / "serve.cmd").write_text("/bin/sh\n-c\nexit 3\n")
    began = time.monotonic()
    said = await refusal(home)
    assert CALL_S <= time.monotonic() - began < CALL_S + 1
    assert said.code == "server_away"
    assert "code 3" in said.message


async def test_a_server_that_takes_long_to_start_is_waited_for(home: Path) -> None:
    (home / "run").mkdir(parents=True)
    (home / "run" / "serve.cmd").write_text("/bin/sleep\n7\n")
    began = time.monotonic()
    said = await refusal(home)
    assert FIRST_START_S <= time.monotonic() - began < FIRST_START_S + 1
    assert said.message == "the server could not be reached within 5.0 s"


async def test_a_command_that_is_not_there_is_named(home: Path) -> None:
    (home / "run").mkdir(parents=True)
    (home / "run" / "serve.cmd").write_text("/nowhere/python\n")
    assert "No such file" in (await refusal(home)).message


async def test_the_server_is_started_once_detached_and_without_the_sessions_secrets(
    home: Path, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_MESSAGING_TOKEN", "secret")
    monkeypatch.setenv("KEPT", "yes")
    program = (
        "import os, json; print(json.dumps([dict(os.environ), os.getsid(0) == os.getpid(),"
        " os.getcwd()]), flush=True);"
        " import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0],"
        " run_name='__main__')"
    )
    stand_in = str(Path(__file__).with_name("stand_in.py"))
    backend.use([sys.executable, "-c", program, stand_in, str(os.getpid())])
    client = Client(home)
    await client.wake()
    replies = await asyncio.gather(*(client.call("memories", {}) for _ in range(5)))
    assert all(reply["total"] == 0 for reply in replies)
    log = home / "logs" / "server.log"
    (line,) = [x for x in log.read_text().splitlines() if x.startswith("[")]
    environ, leads_its_session, cwd = json.loads(line)
    assert not any(name.startswith("CLAUDE") for name in environ)
    assert (environ["KEPT"], environ["HITHERTO_HOME"]) == ("yes", str(home))
    assert leads_its_session
    assert Path(cwd) == home
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


async def test_the_socket_may_lie_where_the_pointer_says(home: Path, backend: Any) -> None:
    with tempfile.TemporaryDirectory() as elsewhere:
        pointed = Path(elsewhere) / "s.sock"
        (home / "run" / "socket").write_text(f"{pointed}")
        client = Client(home)
        assert (await client.call("memories", {}))["total"] == 0
        assert pointed.is_socket()
        backend.kill()


def test_without_a_written_command_this_interpreter_is_used(home: Path) -> None:
    assert serve_command(home) == [sys.executable, "-P", "-m", "hitherto_server", "serve"]


def test_the_data_home_is_the_environments_else_the_persons(
    home: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data_home() == home
    monkeypatch.delenv("HITHERTO_HOME")
    assert data_home() == isolated / ".hitherto"
    monkeypatch.setenv("HITHERTO_HOME", "~/elsewhere")
    assert data_home() == Path(os.environ["HOME"]) / "elsewhere"
