"""Hitherto as a plugin folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from hitherto_server.core.errors import ScopeNotPossible, UnreadableConfig, UnwritableConfig
from hitherto_server.core.home import Home
from hitherto_server.install.claude_code import Changes
from hitherto_server.install.plugin import write_plugin


@pytest.fixture
def plugin(client, tmp_path):
    write_plugin(
        tmp_path / "plugin", home=client.home, client_home=client.root, programs=client.programs
    )
    return tmp_path / "plugin"


def again(client, plugin) -> Changes:
    return write_plugin(plugin, home=client.home, client_home=client.root, programs=client.programs)


def test_the_folder_says_what_the_settings_say_in_exec_form(plugin, client):
    client.install()
    settings = json.loads(client.settings.read_text())["hooks"]
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    assert list(hooks) == list(settings)
    for event, groups in hooks.items():
        for group, registered in zip(groups, settings[event], strict=True):
            assert group.get("matcher") == registered.get("matcher")
            [entry], [other] = group["hooks"], registered["hooks"]
            assert entry["command"] == "${CLAUDE_PLUGIN_ROOT}/scripts/hook"
            assert entry["args"] == [event]
            assert entry["timeout"] == other["timeout"]
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["hitherto"]
    assert server["command"] == "${CLAUDE_PLUGIN_ROOT}/scripts/mcp"
    assert server["alwaysLoad"] is True


def test_the_folder_holds_no_path_of_this_machine(plugin, client):
    for path in plugin.rglob("*"):
        if path.is_file():
            assert str(client.root) not in path.read_text()
            assert sys.executable not in path.read_text()


def test_the_folder_of_an_unusual_data_home_names_it(client, tmp_path):
    home = Home(tmp_path / "da'ta")
    write_plugin(tmp_path / "plugin", home=home, client_home=client.root, programs=client.programs)
    subprocess.run(
        [tmp_path / "plugin" / "scripts" / "hook", "Stop"],
        input=b"{}",
        env={"PATH": os.environ["PATH"], "HOME": str(client.root)},
        check=True,
    )
    assert (home.spool / "events").exists()


def test_a_plugin_without_an_installation_is_silent(plugin, client, tmp_path):
    done = subprocess.run(
        [plugin / "scripts" / "hook", "Stop"],
        input=b"{}",
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "nobody")},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_writing_it_again_changes_nothing(plugin, client):
    assert again(client, plugin) == Changes()


def test_a_folder_of_somebody_else_is_refused(client, tmp_path):
    target = tmp_path / "theirs"
    (target / ".claude-plugin").mkdir(parents=True)
    (target / ".claude-plugin" / "plugin.json").write_text('{"name": "other"}')
    with pytest.raises(ScopeNotPossible):
        again(client, target)
    (target / ".claude-plugin" / "plugin.json").write_text("{")
    with pytest.raises(UnreadableConfig):
        again(client, target)
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableConfig):
        again(client, tmp_path / "file")


def test_the_shims_stay_while_a_plugin_folder_needs_them(plugin, client):
    client.install()
    client.uninstall()
    assert (client.home.root / "bin" / "hook").exists()
    (client.home.root / "bin" / "hook").unlink()
    client.repair()
    assert (client.home.root / "bin" / "hook").exists()
    shutil.rmtree(plugin)
    client.install()
    client.uninstall()
    assert not (client.home.root / "bin" / "hook").exists()
