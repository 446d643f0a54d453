"""Hooks that the client posts itself: what is registered, who may read it, and what follows."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import hitherto_hooks
from hitherto_server.core.errors import ScopeNotPossible
from hitherto_server.core.login import hook_token
from hitherto_server.core.private_file import write_private
from hitherto_server.core.token import read_token
from hitherto_server.install import claude_code
from hitherto_server.install.registering import repair
from hitherto_server.install.registration import (
    DEADLINES_S,
    JUDGED_DEADLINES_S,
    OTHER_DEADLINE_S,
)
from hitherto_server.sessions.prompt.patience import JUDGED_PROMPT_MS

FOREIGN = (
    b'{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:9/hook"}]}]}}\n'
)


def entries(client) -> dict[str, list[dict[str, object]]]:
    hooks = json.loads(client.settings.read_bytes())["hooks"]
    return {
        event: [entry for group in groups for entry in group["hooks"]]
        for event, groups in hooks.items()
    }


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def port_is(client, port: int) -> None:
    client.home.create()
    write_private(client.home.record, json.dumps({"port": port}))


def test_every_event_but_the_start_is_posted_within_its_deadline(client):
    port_is(client, 4321)
    client.install(transport="http")
    found = entries(client)
    (start,) = found.pop("SessionStart")
    assert start["type"] == "command"
    for event, requests in found.items():
        for request in requests:
            assert request["type"] == "http"
            assert request["url"] == f"http://127.0.0.1:4321/hook/{event}"
            assert request["timeout"] == DEADLINES_S.get(event, OTHER_DEADLINE_S)


def test_a_prompt_that_is_judged_has_the_time_for_it(client):
    port_is(client, 4321)
    client.home.judged.touch()
    client.install(transport="http")
    (prompt,) = entries(client)["UserPromptSubmit"]
    assert prompt["timeout"] == JUDGED_PROMPT_MS / 1000
    assert prompt["headers"]["X-Hitherto-Deadline-Ms"] == str(JUDGED_PROMPT_MS)


def test_the_deadlines_are_those_of_the_command(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(hitherto_hooks.__file__).parent))
    import pipe

    monkeypatch.delitem(sys.modules, "pipe")
    assert (DEADLINES_S, OTHER_DEADLINE_S) == (pipe.TOTAL_S, pipe.OTHER_TOTAL_S)
    assert {**DEADLINES_S, **pipe.JUDGED_TOTAL_S} == JUDGED_DEADLINES_S
    assert set(pipe.JUDGED_TOTAL_S.values()) == {JUDGED_PROMPT_MS / 1000}


@pytest.mark.parametrize("before", [0o644, 0o664, 0o600, 0o640])
def test_the_file_with_the_token_is_the_owners_alone_until_it_is_taken_out(client, before):
    client.write_settings(FOREIGN)
    client.settings.chmod(before)
    client.install(transport="http")
    assert mode(client.settings) == 0o600
    for copy in client.copies:
        assert mode(copy) == 0o600
    client.uninstall()
    assert client.settings.read_bytes() == FOREIGN
    assert mode(client.settings) == before


def test_going_back_to_commands_reopens_the_file(client):
    client.write_settings(FOREIGN)
    client.settings.chmod(0o644)
    client.install(transport="http")
    assert client.settings.read_text().count("Bearer") > 1
    assert client.install() == claude_code.Changes(), "what is registered stays"
    client.install(transport="command")
    assert "Bearer" not in client.settings.read_text()
    assert mode(client.settings) == 0o644
    assert client.install() == claude_code.Changes()


def test_a_linked_file_is_closed_where_it_is(client, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_bytes(FOREIGN)
    real.chmod(0o644)
    client.settings.parent.mkdir()
    client.settings.symlink_to(real)
    client.install(transport="http")
    assert client.settings.is_symlink()
    assert mode(real) == 0o600


def test_a_second_install_changes_not_a_byte(client):
    client.install(transport="http")
    before = client.settings.read_bytes()
    assert client.install(transport="http") == claude_code.Changes()
    assert client.settings.read_bytes() == before


def test_the_settings_hold_a_token_that_is_not_the_installations(client):
    client.install(transport="http")
    token = read_token(client.home)
    text = client.settings.read_text()
    assert token not in text
    assert hook_token(token) in text


@pytest.mark.parametrize("scope", ["project", "local"])
def test_a_file_that_a_project_shares_gets_no_token(client, scope):
    with pytest.raises(ScopeNotPossible):
        client.install(scope, transport="http")
    assert list(client.project.iterdir()) == []


def test_a_server_on_another_port_or_with_another_token_mends_the_requests(client):
    client.write_settings(FOREIGN)
    port_is(client, 4321)
    client.install(transport="http")
    client.home.token.write_text("n" * 40)
    repair(client.home, programs=client.programs, port=4322)
    text = client.settings.read_text()
    assert "127.0.0.1:4321" not in text
    assert text.count(hook_token("n" * 40)) == text.count("127.0.0.1:4322/hook/") > 1
    assert "http://127.0.0.1:9/hook" in text
    assert mode(client.settings) == 0o600
    again = repair(client.home, programs=client.programs, port=4322)
    assert again == claude_code.Changes()


def test_no_other_registration_is_touched_by_a_port(client):
    client.install()
    before = client.settings.read_bytes()
    assert repair(client.home, programs=client.programs, port=9) == claude_code.Changes()
    assert client.settings.read_bytes() == before
    assert os.fsencode("http") not in before


@pytest.mark.parametrize("transport", ["command", "http"])
def test_a_mode_that_the_person_chose_meanwhile_stays(client, transport):
    client.write_settings(FOREIGN)
    client.settings.chmod(0o644)
    client.install()
    client.settings.chmod(0o600)
    client.install(transport=transport)
    client.uninstall()
    assert client.settings.read_bytes() == FOREIGN
    assert mode(client.settings) == 0o600
