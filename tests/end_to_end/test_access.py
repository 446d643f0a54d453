"""Who may ask what: the token, the host, the origin, the files; and one server a data home."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.routing import Mount, Route
from tests.server_process import ServerProcess, wait_until

from hitherto_server.core.clock import now_ms
from hitherto_server.core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN = {"/health", "/login"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("access") / "home").start()
    yield server
    server.end()


async def every_route(tmp_path: Path) -> set[tuple[str, str]]:
    """Method and path of everything that the application answers."""
    from hitherto_server.app import create_app, open_services
    from hitherto_server.core.home import Home

    home = Home(tmp_path / "routes")
    home.create()
    async with open_services(home, Settings(), token="t", port=0, clock=now_ms) as services:
        app = create_app(services)
        later = await app.state.load()
        routes = [*app.routes, *later.routes, *(await later.state.seldom.load()).routes]
    found = set()
    for route in flat(routes):
        match route:
            case Route():
                path = route.path.replace("{event}", "Stop")
                found |= {(method, path) for method in route.methods or ()}
            case Mount():
                found |= {(method, f"{route.path}/x") for method in ("GET", "POST")}
            case _:
                pytest.fail(f"a route of a kind that this test does not know: {route}")
    return found


def flat(routes: list[object]) -> Iterator[object]:
    """FastAPI keeps an included router as one route that holds the others."""
    for route in routes:
        held = getattr(route, "original_router", None)
        if held is not None:
            prefix = getattr(getattr(route, "include_context", None), "prefix", "")
            assert not prefix, "this test must then put the prefix before the paths"
            yield from flat(held.routes)
        else:
            yield route


async def test_every_route_over_tcp_needs_the_token(running: ServerProcess, tmp_path: Path) -> None:
    routes = await every_route(tmp_path)
    assert {
        "/v1/remember",
        "/v1/judge/key",
        "/hook/Stop",
        "/",
        "/mcp/x",
        "/static/x",
        "/v1/status",
    } <= {path for _, path in routes}
    for method, path in routes:
        reply = running.send_tcp(method, path, b"{}")
        if path in OPEN:
            assert reply.status in {200, 401, 405}, path
        else:
            assert reply.status == 401, (method, path)
            assert method == "HEAD" or reply.code == "unauthorized", (method, path)


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Bearer nonsense", "Basic {token}", "Bearer {token}x", "Bearer \xff"],
)
def test_a_token_that_is_not_the_token_is_refused(
    running: ServerProcess, authorization: str
) -> None:
    headers = {"Authorization": authorization.format(token=running.token)}
    assert running.send_tcp("GET", "/v1/status", None, headers).code == "unauthorized"


def test_the_token_lets_in(running: ServerProcess) -> None:
    assert running.send_tcp("GET", "/v1/status", None, running.bearer()).status == 200


def test_the_socket_needs_no_token(running: ServerProcess) -> None:
    assert running.get("/v1/status").status == 200


def login_path(server: ServerProcess) -> str:
    url = server.post("/v1/login-code", {}).json["url"]
    return str(url).removeprefix(f"http://127.0.0.1:{server.port}")


def test_a_login_code_becomes_a_cookie_once(running: ServerProcess) -> None:
    path = login_path(running)
    first = running.send_tcp("GET", path)
    assert first.status == 303
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert running.token not in cookie
    page = running.send_tcp("GET", "/", None, {"Cookie": cookie.split(";")[0]})
    assert page.status == 200
    assert running.send_tcp("GET", path).code == "unauthorized"


def test_a_login_code_that_was_guessed_is_refused(running: ServerProcess) -> None:
    assert running.send_tcp("GET", "/login?code=guess").code == "unauthorized"
    assert running.send_tcp("GET", "/login").code == "unauthorized"


def test_a_cookie_is_found_beside_those_of_other_servers_on_this_host(
    running: ServerProcess,
) -> None:
    login = running.send_tcp("GET", login_path(running))
    ours = login.headers["set-cookie"].split(";")[0]
    cookie = f"a/b=1; theme=dark; expires=never; {ours}; x[0]=y; =; ;"
    assert running.send_tcp("GET", "/v1/status", None, {"Cookie": cookie}).status == 200


@pytest.mark.parametrize(
    "cookie", ["hitherto_pass=", "hitherto_pass=x", "hitherto_pass=1.x.y", "a/b=1", "\xff=\xfe"]
)
def test_a_cookie_that_is_no_pass_is_refused(running: ServerProcess, cookie: str) -> None:
    assert running.send_tcp("GET", "/v1/status", None, {"Cookie": cookie}).code == "unauthorized"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", "localhost.x:{port}"],
)
def test_another_host_name_is_refused_even_with_the_token(
    running: ServerProcess, host: str
) -> None:
    headers = {**running.bearer(), "Host": host.format(port=running.port)}
    assert running.send_tcp("GET", "/health", None, headers).code == "foreign_origin"
    assert running.send_tcp("POST", "/v1/stop", b"{}", headers).code == "foreign_origin"


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "LOCALHOST:{port}"])
def test_the_loopback_names_are_known(running: ServerProcess, host: str) -> None:
    headers = {**running.bearer(), "Host": host.format(port=running.port)}
    assert running.send_tcp("GET", "/v1/status", None, headers).status == 200


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://"],
)
def test_another_site_is_refused_even_with_the_token(running: ServerProcess, origin: str) -> None:
    headers = {
        "Authorization": f"Bearer {running.token}",
        "Origin": origin.format(port=running.port),
    }
    assert running.send_tcp("POST", "/v1/stop", b"{}", headers).code == "foreign_origin"
    assert running.get("/health").status == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_write_that_a_foreign_form_could_send_is_refused(
    running: ServerProcess, kind: str
) -> None:
    headers = {**running.bearer(), "Content-Type": kind}
    for path in ("/v1/stop", "/v1/remember", "/hook/Stop"):
        assert running.send_tcp("POST", path, b"{}", headers).code == "invalid_input"


def test_pages_may_load_nothing_from_elsewhere(running: ServerProcess) -> None:
    page = running.send_tcp("GET", "/", None, running.bearer())
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert re.findall(rb"(?:src|href|action)=\"(?:https?:)?//", page.body) == []


@pytest.mark.parametrize("protocol", ["0", "2", "one", "1.0", ""])
def test_another_protocol_is_told_what_mends_it(running: ServerProcess, protocol: str) -> None:
    reply = running.get("/health", **{"X-Hitherto-Protocol": protocol})
    assert (reply.status, reply.code) == (426, "protocol_mismatch")
    assert reply.headers["x-hitherto-protocol"] == "1"
    assert "hitherto install" in reply.json["error"]["mend"]


def modes(home: Path) -> dict[str, str]:
    paths = [home, *home.rglob("*")]
    return {str(p.relative_to(home)): oct(stat.S_IMODE(p.lstat().st_mode)) for p in paths}


def test_files_and_folders_are_the_owners_alone(server: ServerProcess) -> None:
    before = os.umask(0)  # whatever the person's shell leaves
    try:
        server.start()
    finally:
        os.umask(before)
    server.call("remember", content="The port is 8080.", scope="user")
    spool = server.home / "spool"
    (spool / "events").write_bytes(b"torn\n")
    wait_until((spool / "events.unreadable").exists, "the line is kept")
    wait_until(lambda: not (spool / "events.draining").exists(), "the batch is done")
    found = modes(server.home)
    # in a folder whose name is too long for a socket, a file says where that is
    listens = "run/socket" if (server.home / "run" / "socket").exists() else "run/server.sock"
    assert {"memory.db-wal", "memory.db-shm", listens, "run/token", "run/server.json",
            "run/serve.cmd", "run/server.lock", "logs/server.log"} <= found.keys()  # fmt: skip
    folders = {".", "run", "spool", "backups", "logs", "models"}
    wrong = {
        path: mode
        for path, mode in found.items()
        if mode != ("0o700" if path in folders else "0o600")
    }
    assert wrong == {}


def test_a_second_server_is_refused_and_says_so(server: ServerProcess) -> None:
    server.start()
    token, record = server.token, server.record
    second = server.run("serve")
    assert second.returncode in {0, 1}
    assert b"running already" in second.stdout or b"already_running" in second.stderr
    assert server.get("/health").status == 200
    assert (server.token, server.record) == (token, record)


def test_a_stale_socket_and_a_dead_record_are_replaced(server: ServerProcess) -> None:
    server.start()
    server.kill()
    assert server.socket_path.exists()
    assert server.record["pid"]
    assert server.run("stop").stdout == b"No server was running.\n"
    server.start()
    assert server.record["pid"] == server.pid


def test_a_file_in_the_sockets_place_is_replaced(server: ServerProcess) -> None:
    (server.home / "run").mkdir(parents=True)
    server.socket_path.write_text("no socket")
    server.start()
    assert stat.S_ISSOCK(server.socket_path.stat().st_mode)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_good_order(server: ServerProcess, number: int) -> None:
    server.start()
    server.call("remember", content="The port is 8080.", scope="user")
    assert server.kill(number) == 0
    assert not server.socket_path.exists()
    assert not (server.home / "run" / "server.json").exists()
    assert not (server.home / "memory.db-wal").exists()
    assert server.tracebacks() == []


def test_an_empty_token_file_lets_nobody_in(server: ServerProcess) -> None:
    (server.home / "run").mkdir(parents=True)
    (server.home / "run" / "token").write_text("")
    server.start()
    assert len(server.token) > 30
    assert server.send_tcp("GET", "/v1/status").code == "unauthorized"
    assert server.send_tcp("GET", "/v1/status", None, {"Authorization": "Bearer "}).status == 401


def test_the_token_outlives_a_restart(server: ServerProcess) -> None:
    server.start()
    token = server.token
    server.restart()
    assert server.token == token


def test_a_path_that_is_too_long_for_a_socket_has_a_pointer(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / ("a long folder " * 5) / ("größer " * 10))
    server.home.parent.mkdir()
    server.start()
    try:
        short = server.socket_path
        assert len(os.fsencode(short)) < 100
        assert short.parent != server.home / "run"
        assert stat.S_IMODE(short.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(short.stat().st_mode) == 0o600
        assert json.loads(server.run("status", "--json").stdout)["pid"] == server.pid
        server.restart()
        assert server.socket_path == short, "one start, one folder: they would pile up"
        short.parent.chmod(0o777)  # somebody else could put a socket there now
        server.restart()
        assert server.socket_path != short
        server.socket_path.parent.rename(tmp_path / "gone")
        server.restart()
        assert server.get("/health").status == 200
    finally:
        server.end()


def test_a_taken_port_is_left_alone(server: ServerProcess) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        server.environ["HITHERTO_PORT"] = str(port)
        server.start()
        assert server.port != port
        assert server.send_tcp("GET", "/health").json["name"] == "hitherto"
        assert f":{server.port}/" in server.get("/v1/status").json["url"]


def test_loopback_is_all_that_listens(server: ServerProcess) -> None:
    server.start()
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    addresses = {row[1] for row in listening if row[3] == "0A"}
    assert f"0100007F:{server.port:04X}" in addresses
    assert f"00000000:{server.port:04X}" not in addresses


@pytest.mark.parametrize("what", ["a file", "a folder in a file"])
def test_a_data_home_that_cannot_be_is_said_in_one_line(tmp_path: Path, what: str) -> None:
    (tmp_path / "file").write_text("here already")
    home = tmp_path / "file" / "in" if what == "a folder in a file" else tmp_path / "file"
    elsewhere = ServerProcess(tmp_path / "x")
    environment = {**elsewhere.environment(), "HITHERTO_HOME": str(home)}
    for arguments in (["serve"], ["remember", "A thing.", "--user-wide"]):
        done = elsewhere.run(*arguments, env=environment)
        assert done.returncode == 1
        assert done.stderr.startswith(b"hitherto: home_unusable: "), done.stderr
        assert done.stderr.count(b"\n") == 2


def test_a_setting_of_the_wrong_type_is_said_in_one_line(server: ServerProcess) -> None:
    server.environ["HITHERTO_PORT"] = "many"
    done = server.run("serve")
    assert done.returncode == 2
    assert done.stderr.startswith(b"hitherto: invalid_input: HITHERTO_PORT"), done.stderr
