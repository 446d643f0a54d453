"""The installer at work on Codex's real files."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.errors import EntryTaken, ScopeNotPossible, UnreadableConfig
from hitherto_server.core.home import Home
from hitherto_server.install import claude_code, codex
from hitherto_server.install.registering import repair
from hitherto_server.install.work import Changes

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.install.shims import Programs

CONFIG = b"""# what I use
model = "gpt-5.5"   # the good one

[mcp_servers.other]
command = "npx"
args = [
    "-y", # yes
    "thing",
]

# everything about the screen
[tui]
theme = 'd\xc3\xa9j\xc3\xa0'
since = 2026-01-02T03:04:05Z
"""
HOOKS = b'{"description": "mine", "hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}'


@dataclass(frozen=True)
class CodexFiles:
    """Codex's files in a person's home, and the installer at work on them."""

    root: Path
    home: Home
    project: Path
    programs: Programs

    def install(self, scope: claude_code.Scope = "user", **given: object) -> Changes:
        options = {"home": self.home, "project": self.project, "programs": self.programs, **given}
        return codex.install(self.root, scope, **options)

    def uninstall(self, scope: claude_code.Scope = "user", **given: object) -> Changes:
        return codex.uninstall(
            self.root, scope, **{"home": self.home, "project": self.project, **given}
        )

    @property
    def config(self) -> Path:
        return self.root / ".codex" / "config.toml"

    @property
    def hooks(self) -> Path:
        return self.root / ".codex" / "hooks.json"

    def write(self, config: bytes | None, hooks: bytes | None = None) -> None:
        for path, content in ((self.config, config), (self.hooks, hooks)):
            if content is not None:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)


@pytest.fixture
def files(client) -> CodexFiles:
    return CodexFiles(client.root, client.home, client.project, client.programs)


def commands(path: Path) -> list[tuple[str, str]]:
    hooks = json.loads(path.read_bytes())["hooks"]
    return [
        (event, entry["command"])
        for event, groups in hooks.items()
        for group in groups
        for entry in group["hooks"]
    ]


def test_hooks_and_server_are_registered_without_a_path_that_can_move(files):
    files.install()
    shim = '"$HOME/.hitherto/bin/hook"'
    events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"]
    events += ["PostToolUse", "PostToolUse", "Stop", "PreCompact", "SessionEnd"]
    assert commands(files.hooks) == [(event, f"{shim} {event} codex") for event in events]
    assert tomllib.loads(files.config.read_text()) == {
        "mcp_servers": {"hitherto": {"command": str(files.home.root / "bin" / "mcp")}}
    }
    for path in (files.config, files.hooks):
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "config",
    [
        CONFIG,
        CONFIG.replace(b"\n", b"\r\n"),
        CONFIG.rstrip(),
        b"",
        b"\n\n# nothing yet\n\n\n",
        b"[mcp_servers]\n",
        b"[mcp_servers] # mine\n[mcp_servers.x]\ncommand = 'y'\n\n",
        b'text = """\n[mcp_servers.hitherto]\ncommand = "no"\n"""\n',
    ],
)
def test_what_is_foreign_stays_and_uninstall_gives_back_the_very_bytes(files, config):
    files.write(config, HOOKS)
    files.config.chmod(0o640)
    files.install()
    assert files.config.read_bytes().startswith(config.rstrip())
    assert b"hitherto" in files.config.read_bytes().removeprefix(config.rstrip())
    files.uninstall()
    assert files.config.read_bytes() == config
    assert files.config.stat().st_mode & 0o777 == 0o640
    assert files.hooks.read_bytes() == HOOKS


def test_uninstall_leaves_nothing_where_there_was_nothing(files):
    files.install()
    files.uninstall()
    assert not files.config.parent.exists()
    assert not (files.home.root / "bin" / "hook").exists()


def test_a_second_install_changes_not_a_byte(files):
    files.write(CONFIG, HOOKS)
    files.install()
    before = files.config.read_bytes(), files.hooks.read_bytes()
    assert files.install() == Changes()
    assert (files.config.read_bytes(), files.hooks.read_bytes()) == before


def test_what_others_wrote_since_is_kept_with_its_remarks(files):
    files.write(CONFIG)
    files.install()
    later = b"\n# what I trust\n[projects.'/p']\ntrust_level = 'trusted'\n"
    files.config.write_bytes(files.config.read_bytes() + later)
    files.uninstall()
    assert files.config.read_bytes() == CONFIG + later


def test_what_a_person_added_to_our_table_is_kept(files):
    files.install()
    text = files.config.read_text().replace("\n", "\nstartup_timeout_sec = 30\n", 1)
    files.config.write_text(text.replace("/bin/mcp", "/moved/hitherto-mcp"))
    files.install()
    table = tomllib.loads(files.config.read_text())["mcp_servers"]["hitherto"]
    assert table == {"startup_timeout_sec": 30, "command": str(files.home.root / "bin" / "mcp")}
    files.uninstall()
    assert not files.config.exists()


@pytest.mark.parametrize(
    "config",
    [b"[", b"a = ", b"\xff", b"mcp_servers = 3\n", b"mcp_servers = { x = { command = 'y' } }\n"],
)
def test_a_file_that_cannot_be_understood_or_added_to_is_refused(files, config):
    files.write(config, HOOKS)
    with pytest.raises(UnreadableConfig) as refused:
        files.install()
    assert str(files.config) in refused.value.message
    assert files.config.read_bytes() == config
    assert files.hooks.read_bytes() == HOOKS


def test_a_foreign_server_of_our_name_is_refused(files):
    theirs = b'[mcp_servers.hitherto]\ncommand = "npx"\n'
    files.write(theirs)
    with pytest.raises(EntryTaken):
        files.install()
    files.uninstall()
    assert files.config.read_bytes() == theirs


def test_a_shared_project_holds_no_path_of_this_machine(files):
    files.install("project")
    folder = files.project / ".codex"
    texts = [(folder / name).read_text() for name in ("config.toml", "hooks.json")]
    assert all(str(files.root) not in text for text in texts)
    server = tomllib.loads(texts[0])["mcp_servers"]["hitherto"]
    assert server["command"] == "sh"
    files.install("project")
    assert (folder / "config.toml").read_text() == texts[0]
    files.uninstall("project")
    assert list(files.project.iterdir()) == []


def test_there_is_no_local_scope(files):
    with pytest.raises(ScopeNotPossible):
        files.install("local")


def test_another_home_of_codex_and_of_ours_is_named(files, tmp_path):
    home, folder = Home(tmp_path / "my data's home"), tmp_path / "codex home"
    files.install(home=home, config_dir=folder)
    (command, *_) = [command for _, command in commands(folder / "hooks.json")]
    told = subprocess.run(
        ["sh", "-c", f"{command}; echo $?"],
        input="{",
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert told.stdout == "0\n"
    assert told.stderr == ""
    servers = tomllib.loads((folder / "config.toml").read_text())["mcp_servers"]
    assert servers["hitherto"]["command"] == str(home.root / "bin" / "mcp")


def test_both_clients_are_connected_apart(files, client):
    client.install()
    files.install()
    files.uninstall()
    assert client.settings.exists()
    assert (client.home.root / "bin" / "hook").exists()
    assert claude_code.repair(client.home, programs=client.programs) == Changes()
    client.uninstall()
    assert not (client.home.root / "bin" / "hook").exists()


def test_programs_that_moved_are_mended_and_codex_need_not_trust_anew(files, moved):
    files.install()
    before = files.config.read_bytes(), files.hooks.read_bytes()
    changes = repair(files.home, programs=moved(files.programs))
    assert files.home.root / "bin" / "mcp" in changes.written
    assert (files.config.read_bytes(), files.hooks.read_bytes()) == before
