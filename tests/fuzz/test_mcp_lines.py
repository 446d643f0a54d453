"""The MCP process and what may stand on its stdin: any line gets an answer, none ends it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fuzzing import assert_sound, broken, objects, profile, values, written
from tests.server_process import ServerProcess

from hitherto_mcp.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

HITHERTO_MCP = Path(sys.executable).with_name("hitherto-mcp")
SLOWEST_S = 20.0
FIELDS = ("jsonrpc", "id", "method", "params", "result", "error")
METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "server/discover",
    "notifications/initialized",
    "notifications/cancelled",
    "resources/list",
)


class Talk:
    """One MCP process; every line that it says is checked to be a message."""

    def __init__(self, server: ServerProcess, errors: Path) -> None:
        self.errors = errors
        self._asked = 0
        self._said: Queue[bytes] = Queue()
        environ = {**server.environment(), "CLAUDE_CODE_SESSION_ID": "fuzz"}
        with errors.open("ab") as stderr:
            self._process = subprocess.Popen(
                [str(HITHERTO_MCP)],
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(line)

    def write(self, *pieces: bytes) -> None:
        """Write some bytes, piece by piece."""
        assert self._process.stdin is not None
        for piece in pieces:
            self._process.stdin.write(piece)
            self._process.stdin.flush()

    def still_answers(self) -> None:
        """Ask for a ping and read up to its answer; all that is said before must be messages."""
        self._asked += 1
        mark = f"mark {self._asked}"
        message = {"jsonrpc": "2.0", "id": mark, "method": "ping"}
        self.write(b"\n" + written(message) + b"\n")
        while True:
            try:
                said = json.loads(self._said.get(timeout=SLOWEST_S))
            except Empty:
                pytest.fail(f"no answer; it ended with {self._process.poll()}")
            for one in said if isinstance(said, list) else [said]:
                assert one["jsonrpc"] == "2.0"
                assert ("result" in one) != ("error" in one)
            if isinstance(said, dict) and said.get("id") == mark:
                assert said["result"] == {}
                return

    def end(self) -> None:
        """Close its input and wait until it is gone, in good order."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        assert self._process.wait(SLOWEST_S) == 0
        self._reading.join(SLOWEST_S)
        self._process.stdout.close()
        assert self.errors.read_text() == ""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    running = ServerProcess(tmp_path_factory.mktemp("mcp") / "home").start()
    yield running
    running.end()


@pytest.fixture
def talk(server: ServerProcess, tmp_path: Path) -> Iterator[Talk]:
    talking = Talk(server, tmp_path / "mcp.errors")
    yield talking
    talking.end()
    assert_sound(server)


def messages() -> st.SearchStrategy[Any]:
    """JSON-RPC messages with any values, and calls of real tools with any arguments."""
    usual = {"jsonrpc": "2.0", "id": 1, "params": {}}
    requests = st.builds(
        lambda method, more: {**usual, "method": method, **more},
        st.sampled_from(METHODS),
        st.dictionaries(st.sampled_from(FIELDS), values(6), max_size=2),
    )
    return st.one_of(objects(FIELDS), requests, tool_calls(), st.lists(requests, max_size=4))


@st.composite
def tool_calls(draw: st.DrawFn) -> dict[str, Any]:
    """A call of one of the tools, its arguments by name but of any type."""
    name, tool = draw(st.sampled_from(list(TOOLS.items())))
    arguments = draw(objects(list(tool.input_schema["properties"])))
    call = {"name": name, "arguments": arguments}
    number = draw(st.integers(0, 9))
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}


def lines() -> st.SearchStrategy[bytes]:
    """Messages and what is left of broken ones, each with an end of line of its kind."""
    whole = messages().map(written)
    text = st.one_of(whole, whole, broken(whole), st.binary(max_size=100))
    return st.builds(lambda text, end: text + end, text, st.sampled_from([b"\n", b"\r\n", b"\n\n"]))


@pytest.mark.slow
def test_no_line_ends_the_process_or_keeps_it_from_answering(talk: Talk) -> None:
    @profile(200)
    @given(said=st.lists(lines(), min_size=1, max_size=4))
    def never_breaks(said: list[bytes]) -> None:
        talk.write(b"".join(said))
        talk.still_answers()

    never_breaks()


@pytest.mark.slow
def test_messages_are_found_wherever_the_pipe_cuts_them(talk: Talk) -> None:
    @profile(40)
    @given(said=st.lists(lines(), min_size=1, max_size=3), cuts=st.lists(st.integers(1, 400)))
    def never_breaks(said: list[bytes], cuts: list[int]) -> None:
        text, at = b"".join(said), 0
        for cut in cuts:
            talk.write(text[at : at + cut])
            at += cut
        talk.write(text[at:])
        talk.still_answers()

    never_breaks()


@pytest.mark.slow
def test_no_message_breaks_mcp_over_http(server: ServerProcess) -> None:
    headers = {**server.bearer(), "Accept": "application/json, text/event-stream"}

    @profile(80)
    @given(body=st.one_of(messages().map(written), broken(messages().map(written))))
    def never_breaks(body: bytes) -> None:
        reply = server.send_tcp("POST", "/mcp", body, headers)
        assert reply.status < 500, (reply.body, body[:500])

    never_breaks()
    assert_sound(server)
