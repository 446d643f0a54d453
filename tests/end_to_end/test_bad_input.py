"""Bad input gets a clear error with a code, on every way in, and changes nothing."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.bad_requests import MUCH, ODD_HOOKS, ONLY_HTTP, REFUSED, SYNTAX, Bad
from tests.documented_errors import documented_codes
from tests.mcp_process import McpProcess, ToolReply
from tests.server_process import Reply, ServerProcess

from hitherto_server.store.check import disagreements
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST_ANSWER = 2000
NO_JSON = -32_700  # the SDK refuses a lone surrogate as JSON that cannot be read


@dataclass
class Ways:
    """One running server, and every way to it."""

    server: ServerProcess
    mcp: McpProcess
    project: Path

    def mcp_over_http(self, tool: str, arguments: Any) -> ToolReply | Reply:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        headers = {
            **self.server.bearer(),
            "Accept": "application/json, text/event-stream",
            "X-Hitherto-Project": str(self.project),
        }
        body = json.dumps(message).encode()
        reply = self.server.send_tcp("POST", "/mcp", body, headers)
        if reply.code is not None:
            return reply
        result = reply.json["result"]
        return ToolReply(result["content"][0]["text"], result["isError"])

    def stored(self) -> list[tuple[Any, ...]]:
        """All that could have been changed by a request."""
        tables = ("memory", "revision", "anchor", "relation", "event", "session", "project")
        with closing(open_raw(self.server.database, read_only=True)) as connection:
            return [
                (table, *row)
                for table in tables
                for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
            ]


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    root = tmp_path_factory.mktemp("bad input")
    project = root / "project"
    project.mkdir()
    (project / "link-out").symlink_to("/etc/passwd")
    (project / ".env").write_text("KEY=value-nobody-may-read\n")
    server = ServerProcess(root / "home").start()
    errors = root / "mcp.errors"
    place = {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_CODE_SESSION_ID": "session"}
    mcp = McpProcess({**server.environment(), **place}, errors)
    try:
        server.call("remember", content="The port is 8080.", project_dir=str(project))
        yield Ways(server, mcp, project)
        assert server.tracebacks() == []
        with closing(open_raw(server.database)) as connection:
            assert disagreements(connection) == []
    finally:
        mcp.end()
        server.end()
    assert errors.read_text() == ""


@pytest.fixture
def unchanged(ways: Ways) -> Iterator[None]:
    """Hold a test to changing nothing."""
    before = ways.stored()
    yield
    assert ways.stored() == before


def assert_refused(reply: Reply, code: str) -> None:
    assert 400 <= reply.status < 500, reply.body[:500]
    error = reply.json["error"]
    assert error["code"] == code, error
    assert error["message"]
    assert error["mend"]
    assert error["code"] in documented_codes()
    assert len(reply.body) < LONGEST_ANSWER


def assert_refused_by_tool(reply: ToolReply | Reply, code: str) -> None:
    if isinstance(reply, Reply):  # refused before the tool saw it
        if reply.code == NO_JSON:
            assert code == "invalid_input"
        else:
            assert_refused(reply, code)
        return
    assert reply.code == code, reply
    assert code in documented_codes()
    assert len(reply.text) < LONGEST_ANSWER


def assert_refused_by_command(
    done: subprocess.CompletedProcess[bytes], code: str = "invalid_input"
) -> None:
    said = done.stderr.decode()
    assert done.returncode in {1, 2}, said
    assert said.startswith(f"hitherto: {code}: "), said
    assert said.count("\n") == 2, "one line says what, one what mends it"
    assert code in documented_codes()
    assert done.stdout == b""
    assert len(said) < LONGEST_ANSWER


@pytest.mark.parametrize("bad", [*REFUSED, *ONLY_HTTP], ids=str)
def test_http_refuses(ways: Ways, unchanged: None, bad: Bad) -> None:
    values = bad.values
    if isinstance(values, dict) and "project_dir" not in values and "files" in values:
        values = {**values, "project_dir": str(ways.project)}
    assert_refused(ways.server.post(f"/v1/{bad.operation}", values), bad.code)


@pytest.mark.parametrize("bad", REFUSED, ids=str)
def test_mcp_over_stdio_refuses(ways: Ways, unchanged: None, bad: Bad) -> None:
    assert_refused_by_tool(ways.mcp.call(bad.operation, **bad.values), bad.code)


@pytest.mark.parametrize("bad", REFUSED, ids=str)
def test_mcp_over_http_refuses(ways: Ways, unchanged: None, bad: Bad) -> None:
    assert_refused_by_tool(ways.mcp_over_http(bad.operation, bad.values), bad.code)


@pytest.mark.parametrize(
    ("arguments", "given", "code"),
    [
        (["remember", "-", "--user-wide"], b"x" * MUCH, "too_large"),
        (["remember", "-", "--user-wide"], b"x" * 20_001, "too_large"),
        (["remember", "-", "--user-wide"], b"a\x00b", "invalid_input"),
        (["remember", "-", "--user-wide"], b"\xff\xfe", "invalid_input"),
        (["remember", "-", "--user-wide"], b"\xed\xa0\x80", "invalid_input"),
        (["remember", "-", "--user-wide"], b"", "invalid_input"),
        (["remember", b"\xed\xa0\x80"], b"", "invalid_input"),
        (["remember", " "], b"", "invalid_input"),
        (["remember", "A thing.", "--kind", "rumour"], b"", "invalid_input"),
        (["remember", "A thing.", "--importance", "99"], b"", "invalid_input"),
        (["remember", "A thing.", "--importance", "much"], b"", "invalid_input"),
        (["remember", "A thing.", "--importance", "9" * 400], b"", "invalid_input"),
        (["remember", "A thing.", "--colour", "red"], b"", "invalid_input"),
        (["remember", "A thing.", "--file", "../../etc/passwd"], b"", "invalid_input"),
        (["remember", "A thing.", "--file", "/etc/passwd"], b"", "invalid_input"),
        (["remember", "A thing.", "--file", "link-out"], b"", "invalid_input"),
        (["remember", "A thing.", "--file", "x" * 5000], b"", "too_large"),
        (["remember", "A thing.", "--file", b"\xff"], b"", "invalid_input"),
        (["remember"], b"", "invalid_input"),
        (["recall", ""], b"", "invalid_input"),
        (["recall", "x" * 10_001], b"", "too_large"),
        (["recall", "a thing", "--limit", "0"], b"", "invalid_input"),
        (["recall", b"\xff"], b"", "invalid_input"),
        (["why", "--session", "x" * 201], b"", "too_large"),
        (["nothing-such"], b"", "invalid_input"),
    ],
)
def test_the_command_line_refuses(
    ways: Ways, unchanged: None, arguments: list[str | bytes], given: bytes, code: str
) -> None:
    done = ways.server.run(*arguments, input=given, cwd=ways.project)  # type: ignore[arg-type]
    assert_refused_by_command(done, code)


def test_the_command_line_refuses_a_folder_that_is_gone(ways: Ways, unchanged: None) -> None:
    gone = ways.project.parent / "gone"
    gone.mkdir()
    script = 'cd "$0" && rmdir "$0" && exec "$1" recall "a thing"'
    done = subprocess.run(
        ["sh", "-c", script, str(gone), *ways.server.command()],
        env=ways.server.environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert_refused_by_command(done)


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("nothing", b""),
        ("no JSON", b"content=A+thing."),
        ("half a JSON", b'{"content": "A th'),
        ("bytes that are no UTF-8", b'{"content": "\xff\xfe", "scope": "user"}'),
        ("a lone surrogate in bytes", b'{"content": "\xed\xa0\x80", "scope": "user"}'),
        ("a lone surrogate escaped", b'{"content": "\\ud800", "scope": "user"}'),
        ("a NUL escaped", b'{"content": "\\u0000", "scope": "user"}'),
        ("a deep nest", b'{"content":' * 50_000),
        ("a deep list", b"[" * 200_000 + b"]" * 200_000),
        ("a number of a million digits", b'{"content": ' + b"9" * 900_000 + b"}"),
        ("not a number", b'{"content": NaN}'),
        ("a field that is a lone surrogate", b'{"\\ud800": 1, "content": "A.", "scope": "user"}'),
        ("a very long field", b'{"' + b"x" * 500_000 + b'": 1}'),
    ],
)
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
def test_http_refuses_a_body_of(
    ways: Ways, unchanged: None, what: str, body: bytes, chunked: bool
) -> None:
    sent = (body[i : i + 4096] for i in range(0, len(body), 4096)) if chunked else body
    assert_refused(ways.server.send("POST", "/v1/remember", sent), "invalid_input")


def test_http_refuses_10_mb_in_chunks(ways: Ways, unchanged: None) -> None:
    chunks = (b"x" * 65_536 for _ in range(160))
    assert_refused(ways.server.send("POST", "/v1/remember", chunks), "too_large")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json"])
def test_http_refuses_a_write_that_is_not_sent_as_json(
    ways: Ways, unchanged: None, kind: str
) -> None:
    body = json.dumps({"content": "A thing.", "scope": "user"}).encode()
    reply = ways.server.send("POST", "/v1/remember", body, {"Content-Type": kind})
    assert_refused(reply, "invalid_input")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
def test_http_refuses_another_method(ways: Ways, unchanged: None, method: str) -> None:
    reply = ways.server.send(method, "/v1/remember", b"{}")
    assert reply.status == 405
    if method != "HEAD":
        assert_refused(reply, "invalid_input")


def test_http_refuses_what_is_no_method_before_it_reads_more(ways: Ways, unchanged: None) -> None:
    assert ways.server.send("BREW", "/v1/remember").status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/v1/nothing",
        "/v1/../../etc/passwd",
        "/static/../access.py",
        "/static/..%2f..%2fapi/access.py",
        "/static//etc/passwd",
        "/static/%00",
        "/v1/remember%00",
        "/" + "x" * 30_000,
        "/hook",
    ],
)
def test_http_refuses_a_path(ways: Ways, unchanged: None, path: str) -> None:
    reply = ways.server.send("GET", path)
    assert reply.status in {404, 405}
    assert_refused(reply, "not_found" if reply.status == 404 else "invalid_input")


@pytest.mark.parametrize(
    "query",
    ["q=%00", "q=%00%20%00", "q=%ED%A0%80", "q=%FF", "q=" + "x" * 20_000, "q=a&q=b", "q='%22<b>"],
)
def test_the_first_page_takes_any_search(ways: Ways, query: str) -> None:
    reply = ways.server.send_tcp("GET", f"/?{query}", None, ways.server.bearer())
    assert reply.status == 200
    assert b"<b>" not in reply.body


HOOK = {"session_id": "bad-input", "prompt": "Which port does the server use?"}


@pytest.mark.parametrize(
    ("value", "headers"),
    [
        (b"", {}),
        (b"no json", {}),
        (b"[]", {}),
        (b"{}", {}),
        (b'{"session_id": 5}', {}),
        (b'{"session_id": ""}', {}),
        (b'{"session_id": "\\u0000"}', {}),
        (b"[" * 100_000, {}),
        (b'{"session_id": "a", "b": "\xff"}', {}),
        (HOOK, {"X-Hitherto-Time": "yesterday"}),
        (HOOK, {"X-Hitherto-Time": "-5"}),
        (HOOK, {"X-Hitherto-Time": "9" * 30}),
        (HOOK, {"X-Hitherto-Time": "9" * 5000}),
        (HOOK, {"X-Hitherto-Deadline-Ms": "soon"}),
        (HOOK, {"X-Hitherto-Protocol": "one"}),
    ],
)
def test_a_hook_call_is_refused(
    ways: Ways, unchanged: None, value: Any, headers: dict[str, str]
) -> None:
    reply = ways.server.hook("UserPromptSubmit", value, **headers)
    assert 400 <= reply.status < 500
    assert reply.code in documented_codes()


@pytest.mark.parametrize(
    "value",
    ODD_HOOKS,
    ids=range(len(ODD_HOOKS)),
)
@pytest.mark.parametrize("event", ["UserPromptSubmit", "PostToolUse", "SessionStart", "x" * 500])
def test_a_hook_call_with_odd_fields_is_noted(ways: Ways, event: str, value: Any) -> None:
    assert ways.server.hook(event, value).status in {200, 204}


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"no json",
        b"[]",
        b"[" * 200_000,
        b'"text"',
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": 5}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "recall\xff"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "nothing\\ud800"}',
    ],
)
def test_a_line_that_is_no_request_gets_a_json_rpc_error(
    ways: Ways, unchanged: None, line: bytes
) -> None:
    error = ways.mcp.say(line)["error"]
    assert -32_700 <= error["code"] <= -32_600
    assert len(json.dumps(error)) < LONGEST_ANSWER


@pytest.mark.parametrize("query", SYNTAX)
def test_syntax_in_a_query_is_text(ways: Ways, unchanged: None, query: str) -> None:
    http = ways.server.post("/v1/recall", {"query": query, "explain": True})
    assert http.status == 200, http.body
    assert not ways.mcp.call("recall", query=query).is_error
    assert not ways.mcp_over_http("recall", {"query": query}).is_error  # type: ignore[union-attr]
    done = ways.server.run("recall", "--json", "--", query, cwd=ways.project)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("content", SYNTAX)
def test_syntax_in_a_memory_is_text(ways: Ways, content: str) -> None:
    told = ways.server.call("remember", content=content, scope="user", tags=[content])
    view = ways.server.call("memories", view="get", ids=[told["id"]])["memories"][0]
    assert view["content"] == content
    ways.server.call("forget", id=told["id"])


def test_a_private_file_is_named_but_never_read(ways: Ways) -> None:
    content = "`value-nobody-may-read` is the KEY in `.env`."
    told = ways.server.call(
        "remember", content=content, files=[".env"], project_dir=str(ways.project)
    )
    assert told["notes"] == [".env was not read: it is gone, private or too large"]
    with closing(open_raw(ways.server.database, read_only=True)) as connection:
        query = "SELECT file_hash FROM anchor WHERE path = '.env'"
        assert [row[0] for row in connection.execute(query)] == [None]
        assert connection.execute("SELECT count(*) FROM part").fetchone()[0] == 0


@pytest.mark.parametrize("project", ["relative", "/" + "x" * 4000, "loop", "/dev/null"])
def test_an_odd_project_folder_never_breaks_a_request(ways: Ways, project: str) -> None:
    if project == "loop":
        loop = ways.project / "loop"
        if not loop.is_symlink():
            loop.symlink_to(loop)
        project = str(loop)
    reply = ways.server.post("/v1/recall", {"query": "a port", "project_dir": project})
    if reply.status != 200:
        assert_refused(reply, "invalid_input")


def test_a_request_that_ends_in_its_midst_changes_nothing(ways: Ways, unchanged: None) -> None:
    body = b'{"content": "Half a request is none.", "scope": "user"}'
    head = (
        b"POST /v1/remember HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\n\r\n"
    )
    with closing(socket.socket(socket.AF_UNIX)) as connection:
        connection.connect(os.fsencode(ways.server.socket_path))
        connection.sendall(head + body)
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(10)
        while connection.recv(4096):
            pass
