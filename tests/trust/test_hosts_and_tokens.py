"""DNS rebinding, foreign pages and guessed tokens: what only spells like ours is refused."""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.server_process import ServerProcess

from hitherto_server.api import access
from hitherto_server.core.errors import Unauthorized

if TYPE_CHECKING:
    from collections.abc import Iterator

PATHS = [
    ("GET", "/health"),
    ("GET", "/login?code=x"),
    ("GET", "/"),
    ("GET", "/why"),
    ("GET", "/static/style.css"),
    ("GET", "/v1/status"),
    ("POST", "/v1/remember"),
    ("POST", "/v1/stop"),
    ("POST", "/hook/Stop"),
    ("POST", "/mcp"),
    ("GET", "/nothing such"),
]
REBOUND = [
    "evil.example:{port}",
    "127.0.0.1.evil.example:{port}",
    "localhost.evil.example:{port}",
    "evil.example#127.0.0.1:{port}",
    "evil.example@127.0.0.1:{port}",
    "127.0.0.1@evil.example:{port}",
    "127.0.0.2:{port}",
    "0.0.0.0:{port}",
    "2130706433:{port}",
    "0x7f.1:{port}",
    "127.1:{port}",
    "[::]:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "[0:0:0:0:0:0:0:1%25lo]:{port}",
    "::1:{port}",
    "[::1]",
    "[::1:{port}",
    "localhost",
    "localhost:",
    "localhost:0{port}",
    "localhost:{port}:{port}",
    "localhost.:{port}",
    "local host:{port}",
    ":{port}",
    "",
]
FOREIGN = [
    "null",
    "NULL",
    "http://evil.example",
    "http://evil.example:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:80",
    "http://localhost:1",
    "http://localhost:{port}.evil.example",
    "http://localhost:{port}/",
    "http://localhost:{port}@evil.example",
    "http://user@localhost:{port}",
    "http://[::ffff:127.0.0.1]:{port}",
    "http://[::1]",
    "https://localhost:{port}",
    "ws://localhost:{port}",
    "chrome-extension://abcdef",
    "file://",
    "about:blank",
    " ",
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(
        tmp_path_factory.mktemp("trust") / "home", environ={"HITHERTO_LOG_LEVEL": "debug"}
    ).start()
    yield server
    server.end()


@pytest.mark.parametrize("host", REBOUND)
def test_a_name_that_was_bound_to_this_machine_is_refused_whatever_is_asked(
    running: ServerProcess, host: str
) -> None:
    headers = {**running.bearer(), "Host": host.format(port=running.port)}
    for method, path in PATHS:
        reply = running.send_tcp(method, path.replace(" ", "%20"), b"{}", headers)
        # a host that is none is refused before any of ours is asked
        assert reply.status == 403 or (reply.status == 400 and b"Invalid" in reply.body), host
        assert reply.status == 400 or reply.code == "foreign_origin"


@pytest.mark.parametrize("origin", FOREIGN)
def test_another_page_is_refused_whatever_it_asks(running: ServerProcess, origin: str) -> None:
    headers = {**running.bearer(), "Origin": origin.format(port=running.port)}
    if not origin.strip():
        headers["Origin"] = "x"
    for method, path in PATHS:
        reply = running.send_tcp(method, path.replace(" ", "%20"), b"{}", headers)
        assert reply.code == "foreign_origin", (origin, path)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_our_own_pages_are_known_by_each_name_of_this_machine(
    running: ServerProcess, name: str
) -> None:
    place = f"{name}:{running.port}"
    headers = {**running.bearer(), "Host": place, "Origin": f"http://{place}"}
    assert running.send_tcp("POST", "/v1/memories", b"{}", headers).status == 200


def test_nothing_of_another_site_may_be_read_by_a_page(running: ServerProcess) -> None:
    ask = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    reply = running.send_tcp("OPTIONS", "/v1/remember", None, {**running.bearer(), **ask})
    assert reply.status in {403, 405}
    for method, path in PATHS:
        reply = running.send_tcp(method, path.replace(" ", "%20"), b"{}", running.bearer())
        if path == "/v1/stop":
            running.wait_for_its_end()
            running.start()
        assert not [name for name in reply.headers if name.lower().startswith("access-control")]


def test_a_token_in_the_address_opens_nothing_and_no_token_stands_in_a_log(
    running: ServerProcess,
) -> None:
    token = running.token
    wrong = "wrong-" + token[:20]
    for name in ("token", "access_token", "authorization", "Authorization", "hitherto_pass"):
        for path in ("/v1/status", "/", "/mcp", "/static/style.css"):
            reply = running.send_tcp("GET", f"{path}?{name}={token}")
            assert reply.code == "unauthorized", (name, path)
    for headers in (
        {"Authorization": f"Bearer {wrong}"},
        {"Authorization": f"Basic {token}"},
        {"Authorization": f"bearer {token} {token}"},
        {"Cookie": f"hitherto_pass={token}"},
        {"Cookie": f"token={token}"},
        {"X-Token": token},
        {"Proxy-Authorization": f"Bearer {token}"},
    ):
        assert running.send_tcp("GET", "/v1/status", None, headers).code == "unauthorized"
    assert running.send_tcp("GET", "/v1/status", None, running.bearer()).status == 200
    code = running.post("/v1/login-code", {}).json["url"].partition("code=")[2]
    assert running.send_tcp("GET", f"/login?code={code}").status == 303
    said = running.log + running.output.read_text()
    assert [secret for secret in (token, wrong, code) if secret in said] == []


def test_no_process_shows_the_token_in_its_command_line_or_environment(
    running: ServerProcess,
) -> None:
    shown = [Path(f"/proc/{running.pid}/{name}").read_bytes() for name in ("cmdline", "environ")]
    assert all(running.token.encode() not in one for one in shown)


def test_a_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    compare = hmac.compare_digest

    def noting(given: bytes, known: bytes) -> bool:
        compared.append((given, known))
        return compare(given, known)

    monkeypatch.setattr(hmac, "compare_digest", noting)
    headers = {"authorization": b"Bearer guess"}
    with pytest.raises(Unauthorized):
        access._check_token(headers, "/v1/status", "t" * 40)
    assert compared == [(b"guess", b"t" * 40)]
    compared.clear()
    with pytest.raises(Unauthorized):
        access._check_token(headers, "/hook/Stop", "t" * 40)
    assert len(compared) == 2, "the hooks' own token is compared likewise"


def test_without_a_token_of_the_installation_nobody_is_let_in() -> None:
    for given in (b"", b"Bearer", b"Bearer "):
        with pytest.raises(Unauthorized):
            access._check_token({"authorization": given}, "/v1/status", "")
