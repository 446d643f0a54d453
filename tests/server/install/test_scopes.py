"""Scopes beside each other: each is put in and taken out without a byte of the others."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from hitherto_server.install.plugin import write_plugin

if TYPE_CHECKING:
    from pathlib import Path

SCOPES = ("user", "project", "local")
SETTINGS = b'{\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n'
SERVERS = b'{"mcpServers": {"other": {"command": "x"}},\n "number": 1.50}'


def files_of(client) -> dict[str, tuple[Path, Path]]:
    folder = client.project / ".claude"
    return {
        "user": (client.settings, client.state),
        "project": (folder / "settings.json", client.project / ".mcp.json"),
        "local": (folder / "settings.local.json", client.state),
    }


def contents(client) -> dict[Path, bytes | None]:
    paths = {path for pair in files_of(client).values() for path in pair}
    return {path: path.read_bytes() if path.exists() else None for path in paths}


@pytest.fixture(params=[True, False], ids=["with files", "without"])
def before(request, client) -> dict[Path, bytes | None]:
    """What is there before us: something in every file, or nothing at all."""
    if request.param:
        for settings, servers in files_of(client).values():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_bytes(SETTINGS)
            servers.write_bytes(SERVERS)
    return contents(client)


@pytest.mark.parametrize("scope", SCOPES)
def test_each_scope_alone_is_taken_back_byte_for_byte(client, before, scope):
    client.install(scope)
    assert contents(client) != before
    client.uninstall(scope)
    assert contents(client) == before


@pytest.mark.parametrize("order", list(permutations(SCOPES)), ids="-".join)
def test_all_together_are_taken_back_in_any_order(client, before, order):
    for scope in SCOPES:
        client.install(scope)
    for scope in order:
        client.uninstall(scope)
    assert contents(client) == before
    assert not (client.home.root / "bin" / "hook").exists()


def test_one_scope_is_taken_out_of_a_file_that_two_share(client):
    client.install("user")
    alone = client.state.read_bytes()
    client.install("local")
    servers = json.loads(client.state.read_bytes())
    assert "hitherto" in servers["projects"][str(client.project)]["mcpServers"]
    client.uninstall("local")
    assert json.loads(client.state.read_bytes()) == json.loads(alone)
    assert (client.home.root / "bin" / "hook").exists()


@pytest.mark.parametrize("scope", SCOPES)
def test_installing_again_beside_the_others_changes_nothing(client, before, scope):
    for one in SCOPES:
        client.install(one)
    after = contents(client)
    assert client.install(scope).written == ()
    assert contents(client) == after


def test_a_plugin_keeps_the_shims_that_a_scope_no_longer_needs(client, tmp_path):
    target = tmp_path / "plugin"
    write_plugin(target, home=client.home, client_home=client.root, programs=client.programs)
    client.install()
    client.uninstall()
    assert (client.home.root / "bin" / "hook").exists()
