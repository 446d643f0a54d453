"""What the token of the http hooks opens, over loopback: events, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.login import hook_token

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server_process import ServerProcess

PROMPT = {"session_id": "s1", "prompt": "Which port does the deploy use?"}


@pytest.fixture
def bearer(server: ServerProcess) -> dict[str, str]:
    server.start()
    return {"Authorization": f"Bearer {hook_token(server.token)}"}


def test_a_hook_may_report_and_hears_what_it_would_hear_over_the_socket(
    server: ServerProcess, bearer: dict[str, str], tmp_path: Path
) -> None:
    server.call("remember", content="The deploy uses port 8443.", project_dir=str(tmp_path))
    body = json.dumps({**PROMPT, "cwd": str(tmp_path)})
    heard = server.send_tcp("POST", "/hook/UserPromptSubmit", body, bearer)
    assert "8443" in heard.json["hookSpecificOutput"]["additionalContext"]
    again = server.send_tcp("POST", "/hook/UserPromptSubmit", body, bearer)
    assert again.status == 204, "the same call is answered once"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/status"),
        ("POST", "/v1/recall"),
        ("POST", "/v1/remember"),
        ("POST", "/v1/stop"),
        ("GET", "/"),
        ("POST", "/mcp"),
        ("GET", "/hook"),
        ("POST", "/hooks/Stop"),
        ("POST", "/hook/../v1/status"),
    ],
)
def test_the_hooks_token_opens_nothing_else(
    server: ServerProcess, bearer: dict[str, str], method: str, path: str
) -> None:
    assert server.send_tcp(method, path, "{}", bearer).status in {401, 404}


def test_a_hook_without_a_token_or_with_a_wrong_one_is_refused(
    server: ServerProcess, bearer: dict[str, str]
) -> None:
    wrong = {"Authorization": bearer["Authorization"][:-1] + "x"}
    for headers in ({}, wrong, {"Authorization": "Bearer "}):
        assert server.send_tcp("POST", "/hook/Stop", json.dumps(PROMPT), headers).status == 401


def test_a_page_of_another_site_can_post_no_event(
    server: ServerProcess, bearer: dict[str, str]
) -> None:
    headers = {**bearer, "Origin": "http://example.com"}
    assert server.send_tcp("POST", "/hook/Stop", json.dumps(PROMPT), headers).status == 403
