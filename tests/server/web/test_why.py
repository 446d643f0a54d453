"""The page of the last injection, from a real server: what it shows, and its button's request."""

from __future__ import annotations

import json
import re
from html import unescape
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LESSON = "parse_config reads its <file> twice, first for the encoding."
QUESTION = "Why does parse_config read its file twice for the encoding?"
BUTTON = re.compile(r"data-post=\"([^\"]+)\" data-body='([^']+)'")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path_factory.mktemp("data") / "home").start()
    yield process
    process.end()


@pytest.fixture(scope="module")
def cookie(server: ServerProcess) -> str:
    url = urlsplit(server.post("/v1/login-code", {}).json["url"])
    status, headers, _ = asked(server, "GET", f"{url.path}?{url.query}", {})
    assert status == 303
    return str(headers["set-cookie"]).partition(";")[0]


def asked(
    server: ServerProcess, method: str, path: str, headers: dict[str, str], body: str | None = None
) -> tuple[int, Any, str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, reply.headers, text


def test_before_anything_happened_the_page_says_so(server: ServerProcess, cookie: str) -> None:
    status, _, text = asked(server, "GET", "/why", {"cookie": cookie})
    assert status == 200
    assert "Nothing was considered yet" in text


@pytest.mark.parametrize("session", ["%00", "never", "%3Cscript%3E", "x" * 5000])
def test_a_session_that_is_not_there_has_an_empty_page(
    server: ServerProcess, cookie: str, session: str
) -> None:
    status, _, text = asked(server, "GET", f"/why?session={session}", {"cookie": cookie})
    assert status == 200
    assert "<script>" not in text


def test_a_memory_is_marked_as_wrong_and_unmarked_by_the_page_s_buttons(
    server: ServerProcess, cookie: str, tmp_path: Path
) -> None:
    server.call("remember", content=LESSON, project_dir=str(tmp_path))
    body = {"session_id": "s", "cwd": str(tmp_path), "prompt": QUESTION}
    assert server.hook("UserPromptSubmit", body).status == 200
    for label in ("This was wrong", "Take it back", "This was wrong"):
        _, _, text = asked(server, "GET", "/why", {"cookie": cookie})
        assert "injected" in text
        assert "reads its &lt;file&gt; twice" in text
        assert label in text
        ((path, data),) = BUTTON.findall(text)
        origin = {"origin": f"http://127.0.0.1:{server.port}", "content-type": "application/json"}
        sent = json.dumps(json.loads(unescape(data)))
        status, _, said = asked(server, "POST", path, {"cookie": cookie, **origin}, sent)
        assert status == 200, said


def test_the_page_s_script_comes_from_the_server_itself(server: ServerProcess, cookie: str) -> None:
    _, headers, text = asked(server, "GET", "/why", {"cookie": cookie})
    assert "default-src 'self'" in headers["content-security-policy"]
    (script,) = re.findall(r'<script src="([^"]+)"', text)
    assert asked(server, "GET", script, {"cookie": cookie})[0] == 200
