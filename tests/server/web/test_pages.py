"""The first page, from a real server over loopback TCP."""

from __future__ import annotations

from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pytest
from tests.server_process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import Reply


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path_factory.mktemp("data") / "home").start()
    yield process
    process.end()


@pytest.fixture(scope="module")
def cookie(server: ServerProcess) -> str:
    url = urlsplit(server.post("/v1/login-code", {}).json["url"])
    connection = HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", f"{url.path}?{url.query}")
    reply = connection.getresponse()
    connection.close()
    assert reply.status == 303
    return str(reply.headers["set-cookie"]).partition(";")[0]


def page(server: ServerProcess, path: str, cookie: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", path, headers={"cookie": cookie})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text


def remember(server: ServerProcess, project: Path, content: str) -> Reply:
    return server.post("/v1/remember", {"content": content, "project_dir": str(project)})


def test_the_first_page_shows_the_state_and_what_is_newest(
    server: ServerProcess, cookie: str, tmp_path: Path
) -> None:
    remember(server, tmp_path, "The nightly export starts at two in the morning.")
    status, text = page(server, "/", cookie)
    assert status == 200
    assert "version" in text
    assert "The nightly export starts at two in the morning." in text


def test_a_search_finds_a_memory_of_the_chosen_project_with_its_standing(
    server: ServerProcess, cookie: str, tmp_path: Path
) -> None:
    remember(server, tmp_path, "The invoice numbers come from the billing service.")
    status, text = page(server, f"/?q={quote('invoice numbers')}", cookie)
    assert status == 200
    assert "invoice numbers come from" in text
    assert "unverified" in text


def test_a_memory_is_shown_as_text_and_never_as_markup(
    server: ServerProcess, cookie: str, tmp_path: Path
) -> None:
    remember(server, tmp_path, "Markup <script>alert(1)</script> stays text on a page.")
    for path in ("/", f"/?q={quote('markup stays text <script>')}"):
        _, text = page(server, path, cookie)
        assert "<script>" not in text
        assert "&lt;script&gt;" in text


@pytest.mark.parametrize("query", ["%00", "a%00b", '" OR 1=1 --', "NEAR(a b)", "x" * 5000])
def test_a_strange_search_is_a_search(server: ServerProcess, cookie: str, query: str) -> None:
    status, _ = page(server, f"/?q={query if '%' in query else quote(query)}", cookie)
    assert status == 200


def test_the_style_sheet_comes_from_the_server_itself(server: ServerProcess, cookie: str) -> None:
    status, text = page(server, "/static/style.css", cookie)
    assert status == 200
    assert "font" in text
    _, first = page(server, "/", cookie)
    assert "http://" not in first.replace("http://127.0.0.1", "")
    assert "https://" not in first
