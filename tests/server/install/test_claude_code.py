"""The installer at work on real files."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.errors import (
    CommandMissing,
    EntryTaken,
    HithertoError,
    ScopeNotPossible,
    UnreadableConfig,
    UnwritableConfig,
)
from hitherto_server.core.home import Home
from hitherto_server.install import claude_code, config_file
from hitherto_server.install.registration import LISTENERS

if TYPE_CHECKING:
    from pathlib import Path

FOREIGN = b"""{
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)",  "Read"]},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}
        ],
        "PostToolUse": [
            {
                "matcher": "Edit|Write|MultiEdit|NotebookEdit|Bash|ExitPlanMode",
                "hooks": [
                    {"type": "command", "command": "fmt", "timeout": 10}
                ]
            }
        ],
        "Notification": []
    },
    "number": 1.50,
    "text": "caf\\u00e9"
}
"""


def commands(path: Path) -> list[tuple[str, str | None, str, object]]:
    hooks = json.loads(path.read_text("utf-8-sig"))["hooks"]
    return [
        (event, group.get("matcher"), entry["command"], entry.get("timeout"))
        for event, groups in hooks.items()
        for group in groups
        for entry in group["hooks"]
    ]


def test_hooks_and_server_are_registered_with_timeouts_and_without_a_machine_path(client):
    changes = client.install()
    shim = '"$HOME/.hitherto/bin/hook"'
    edits = "Edit|Write|MultiEdit|NotebookEdit|Bash|ExitPlanMode"
    assert commands(client.settings) == [
        ("SessionStart", None, f"{shim} SessionStart", 5),
        ("UserPromptSubmit", None, f"{shim} UserPromptSubmit", 3),
        ("PreToolUse", "Task|Agent", f"{shim} PreToolUse", 3),
        ("SubagentStart", None, f"{shim} SubagentStart", 3),
        ("PostToolUse", edits, f"{shim} PostToolUse", 3),
        ("PostToolUse", "mcp__.*", f"{shim} PostToolUse", 3),
        ("PostToolUse", "Task|Agent", f"{shim} PostToolUse", 3),
        ("PostToolUseFailure", "Bash", f"{shim} PostToolUseFailure", 3),
        ("Stop", None, f"{shim} Stop", 3),
        ("SubagentStop", None, f"{shim} SubagentStop", 3),
        ("PreCompact", None, f"{shim} PreCompact", 5),
        ("PostCompact", None, f"{shim} PostCompact", 5),
        ("SessionEnd", None, f"{shim} SessionEnd", 3),
    ]
    assert json.loads(client.state.read_text()) == {
        "mcpServers": {
            "hitherto": {
                "type": "stdio",
                "command": str(client.programs.mcp),
                "args": [],
                "env": {},
                "alwaysLoad": True,
            }
        }
    }
    assert {client.settings, client.state} <= set(changes.written)
    assert client.settings.stat().st_mode & 0o777 == 0o600


def test_a_second_install_changes_not_a_byte_and_makes_no_backup(client):
    client.write_settings(FOREIGN)
    client.install()
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in (client.settings, client.state)}
    copies = client.copies
    assert client.install() == claude_code.Changes()
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in before} == before
    assert client.copies == copies


def test_what_is_foreign_is_kept_byte_for_byte_and_backed_up_first(client):
    client.write_settings(FOREIGN)
    changes = client.install()
    text = client.settings.read_bytes()
    assert text.startswith(FOREIGN[:100])
    assert b'"number": 1.50,\n    "text": "caf\\u00e9"\n}\n' in text
    assert b'{"hooks": [{"type": "command", "command": "say done"}]}' in text
    [copy] = changes.backups
    assert copy.read_bytes() == FOREIGN
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent == client.home.root / "backups" / "clients"


@pytest.mark.parametrize(
    "original",
    [
        FOREIGN,
        FOREIGN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + FOREIGN,
        FOREIGN.rstrip(),
        b"{}",
        b"{ }\n\n",
        b'{"hooks":{}}',
        b'{"hooks": { "Stop" : [ ] } }',
        b'{\n\t"a": [],\n\t"hooks": {\n\t}\n}',
    ],
)
def test_uninstall_gives_back_the_very_bytes(client, original):
    client.write_settings(original)
    client.state.write_bytes(original)
    client.state.chmod(0o640)
    client.install()
    assert client.settings.read_bytes() != original
    client.uninstall()
    assert client.settings.read_bytes() == original
    assert client.state.read_bytes() == original
    assert client.state.stat().st_mode & 0o777 == 0o640


def test_uninstall_leaves_nothing_where_there_was_nothing(client):
    client.install()
    client.uninstall()
    assert not client.settings.exists()
    assert not client.settings.parent.exists()
    assert not client.state.exists()
    assert not (client.home.root / "bin" / "hook").exists()


def test_uninstall_keeps_what_others_changed_since(client):
    client.write_settings(FOREIGN)
    client.install()
    text = client.settings.read_text().replace('"opus"', '"haiku"').replace("say done", "sing")
    client.settings.write_text(text)
    client.uninstall()
    expected = FOREIGN.decode().replace('"opus"', '"haiku"').replace("say done", "sing")
    assert client.settings.read_text() == expected


def test_uninstall_keeps_a_file_of_ours_in_which_others_wrote(client):
    client.install()
    state = json.loads(client.state.read_text())
    client.state.write_text(json.dumps({"userID": "x", **state}))
    client.uninstall()
    assert json.loads(client.state.read_text()) == {"userID": "x"}


def test_uninstall_without_a_receipt_takes_only_ours(client):
    client.write_settings(FOREIGN)
    client.install()
    (client.home.backups / "clients" / "receipt.json").unlink()
    client.uninstall()
    assert client.settings.read_bytes() == FOREIGN


def test_uninstall_of_what_was_never_installed_changes_nothing(client):
    client.write_settings(FOREIGN)
    assert client.uninstall() == claude_code.Changes()
    assert client.settings.read_bytes() == FOREIGN
    assert not client.state.exists()


def test_a_foreign_hook_in_our_group_survives_install_and_uninstall(client):
    client.install()
    settings = json.loads(client.settings.read_text())
    foreign = {"type": "command", "command": "theirs"}
    settings["hooks"]["Stop"][0]["hooks"].insert(0, foreign)
    client.write_settings(json.dumps(settings).encode())
    assert client.install() == claude_code.Changes()
    client.uninstall()
    assert json.loads(client.settings.read_text()) == {"hooks": {"Stop": [{"hooks": [foreign]}]}}


@pytest.mark.parametrize(
    "command",
    [
        '"$HOME/.hitherto/bin/hook" Stop && say done',
        'wrapper "$HOME/.hitherto/bin/hook" Stop',
        "/other/bin/hook Stop",
        "python /else/run.py Stop",
        "python -c 'print(1)' /x/hitherto_hooks/run.py Stop",
        "echo 'unbalanced",
    ],
)
def test_a_command_that_only_resembles_ours_is_nobody_we_touch(client, command):
    original = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    before = client.write_settings(json.dumps(original).encode())
    client.install()
    assert command in [found for _, _, found, _ in commands(client.settings)]
    client.uninstall()
    assert client.settings.read_bytes() == before


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/old/python -I -S /old/hitherto_hooks/run.py Stop", "timeout": 3},
        {"command": "/old/python", "args": ["-I", "-S", "/old/hitherto_hooks/run.py", "Stop"]},
        {"command": "$HOME/.hitherto/bin/hook Stop", "timeout": 3},
        {"command": '"$HOME/.hitherto/bin/hook" Stop', "timeout": 60},
    ],
)
def test_an_older_entry_of_ours_is_replaced_not_doubled(client, entry):
    stale = {"hooks": [{"type": "command", **entry}, {"type": "command", "command": "theirs"}]}
    client.write_settings(json.dumps({"hooks": {"Stop": [stale, stale]}}).encode())
    client.install()
    stops = [(c, t) for event, _, c, t in commands(client.settings) if event == "Stop"]
    assert stops == [("theirs", None), ("theirs", None), ('"$HOME/.hitherto/bin/hook" Stop', 3)]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"  \n",
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b'{"a": 1,}',
        b"// comment\n{}",
        b'{"a": NaN}',
        b"\xff\xfe{\x00}\x00",
        b'{"hooks": []}',
        b'{"hooks": null}',
        b'{"hooks": {"Stop": {}}}',
        b'{"a":' * 5000,
    ],
)
def test_a_file_that_cannot_be_understood_is_refused_and_nothing_at_all_is_changed(client, content):
    client.write_settings(content)
    with pytest.raises(UnreadableConfig) as refused:
        client.install()
    assert str(client.settings) in refused.value.message
    assert refused.value.code == "unreadable_config"
    assert client.settings.read_bytes() == content
    assert not client.state.exists()
    assert client.copies == []
    assert not (client.home.root / "bin").exists()


def test_the_second_file_is_understood_before_the_first_is_changed(client):
    client.write_settings(FOREIGN)
    client.state.write_bytes(b"not json")
    with pytest.raises(UnreadableConfig):
        client.install()
    assert client.settings.read_bytes() == FOREIGN


def test_uninstall_refuses_what_it_cannot_understand(client):
    client.install()
    client.state.write_bytes(b"{")
    settings = client.settings.read_bytes()
    with pytest.raises(UnreadableConfig):
        client.uninstall()
    assert client.state.read_bytes() == b"{"
    assert client.settings.read_bytes() == settings


def make_folder(path: Path) -> None:
    path.mkdir(parents=True)


def make_loop(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(path)


def make_pipe(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)


def make_file_of_its_folder(path: Path) -> None:
    path.parent.write_text("a file")


@pytest.mark.parametrize("make", [make_folder, make_loop, make_pipe, make_file_of_its_folder])
def test_what_is_no_file_is_refused(client, make):
    make(client.settings)
    with pytest.raises(UnreadableConfig):
        client.install()
    assert not client.state.exists()


def test_a_linked_file_stays_linked(client, tmp_path):
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_bytes(FOREIGN)
    real.chmod(0o644)
    client.settings.parent.mkdir()
    client.settings.symlink_to(os.path.relpath(real, client.settings.parent))
    client.install()
    assert client.settings.is_symlink()
    assert real.read_bytes() != FOREIGN
    assert real.stat().st_mode & 0o777 == 0o644
    client.uninstall()
    assert client.settings.is_symlink()
    assert real.read_bytes() == FOREIGN


def test_a_foreign_server_of_our_name_is_refused(client):
    theirs = b'{"mcpServers": {"hitherto": {"command": "npx", "args": ["other"]}}}'
    client.state.write_bytes(theirs)
    with pytest.raises(EntryTaken):
        client.install()
    assert client.state.read_bytes() == theirs
    assert not client.settings.exists()
    client.uninstall()
    assert client.state.read_bytes() == theirs


def test_what_a_person_added_to_our_server_entry_is_kept(client):
    client.install()
    state = json.loads(client.state.read_text())
    state["mcpServers"]["hitherto"] |= {"env": {"LANG": "C"}, "command": "/old/hitherto-mcp"}
    client.state.write_text(json.dumps(state))
    client.install()
    entry = json.loads(client.state.read_text())["mcpServers"]["hitherto"]
    assert entry["env"] == {"LANG": "C"}
    assert entry["command"] == str(client.programs.mcp)


def test_project_scope_holds_no_path_of_this_machine(client):
    client.install("project")
    texts = [
        (client.project / ".claude" / "settings.json").read_text(),
        (client.project / ".mcp.json").read_text(),
    ]
    for text in texts:
        assert str(client.root) not in text
        assert "/.hitherto/bin/" in text
        assert sys.executable not in text
        assert str(client.programs.mcp) not in text
    assert not client.state.exists()
    client.uninstall("project")
    assert list(client.project.iterdir()) == []


def test_project_scope_needs_the_usual_data_home(client, tmp_path):
    with pytest.raises(ScopeNotPossible):
        client.install("project", home=Home(tmp_path / "elsewhere"))
    assert list(client.project.iterdir()) == []


@pytest.mark.parametrize("scope", ["project", "local"])
def test_these_scopes_need_a_project(client, scope):
    with pytest.raises(ScopeNotPossible):
        client.install(scope, project=None)


def test_local_scope_registers_for_one_project_in_the_persons_own_files(client):
    client.install("local")
    state = json.loads(client.state.read_text())
    assert list(state) == ["projects"]
    assert "hitherto" in state["projects"][str(client.project)]["mcpServers"]
    assert (client.project / ".claude" / "settings.local.json").exists()


def test_each_scope_is_taken_back_by_itself(client):
    client.state.write_bytes(b'{"a": 1}')
    client.install("user")
    client.install("local")
    client.uninstall("user")
    assert list(json.loads(client.state.read_text())) == ["a", "projects"]
    assert (client.home.root / "bin" / "hook").exists()
    client.uninstall("local")
    assert client.state.read_bytes() == b'{"a": 1}'
    assert not (client.home.root / "bin" / "hook").exists()


def test_another_configuration_folder_is_respected(client, tmp_path):
    config = tmp_path / "config"
    client.install(config_dir=config)
    assert (config / "settings.json").exists()
    assert "mcpServers" in json.loads((config / ".claude.json").read_text())
    assert not client.settings.exists()
    client.uninstall(config_dir=config)
    assert not config.exists()


def test_another_data_home_is_named_in_full_and_quoted(client, tmp_path):
    home = Home(tmp_path / "my \"data\" $HOME 'ü'")
    client.install(home=home)
    [command] = [c for event, _, c, _ in commands(client.settings) if event == "Stop"]
    assert shlex.split(command) == [str(home.root / "bin" / "hook"), "Stop"]
    entry = json.loads(client.state.read_text())["mcpServers"]["hitherto"]
    assert entry["env"] == {"HITHERTO_HOME": str(home.root)}
    assert client.install(home=home) == claude_code.Changes()
    client.uninstall(home=home)
    assert not client.settings.exists()


def test_a_move_of_the_data_home_replaces_the_registration(client, tmp_path):
    client.install()
    client.install(home=Home(tmp_path / "moved data"))
    assert len(commands(client.settings)) == len(LISTENERS)
    assert all("moved data" in command for _, _, command, _ in commands(client.settings))


def test_a_file_that_another_program_replaces_meanwhile_is_read_again(client, monkeypatch):
    client.write_settings(FOREIGN)
    write_beside = config_file.write_beside
    raced = []

    def with_a_race(target, content, like):
        if target == client.settings and not raced:
            raced.append(target)
            client.settings.write_bytes(FOREIGN.replace(b"opus", b"changed meanwhile"))
        return write_beside(target, content, like)

    monkeypatch.setattr(config_file, "write_beside", with_a_race)
    client.install()
    assert raced
    assert json.loads(client.settings.read_text())["model"] == "changed meanwhile"
    assert len(commands(client.settings)) == len(LISTENERS) + 2
    assert sorted(p.name for p in client.settings.parent.iterdir()) == ["settings.json"]


def test_a_file_that_never_rests_is_left_alone(client, monkeypatch):
    client.write_settings(FOREIGN)
    monkeypatch.setattr(config_file.State, "is_still_there", lambda self: False)
    with pytest.raises(UnwritableConfig):
        client.install()
    assert client.settings.read_bytes() == FOREIGN


def test_installers_at_the_same_time_register_once(client):
    client.write_settings(FOREIGN)
    threads = [threading.Thread(target=client.install) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(commands(client.settings)) == len(LISTENERS) + 2
    client.uninstall()
    assert client.settings.read_bytes() == FOREIGN


def test_a_data_home_that_cannot_be_made_is_said(client, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HithertoError):
        client.install(home=Home(tmp_path / "file" / "home"))
    assert not client.settings.exists()


def test_a_receipt_that_cannot_be_read_is_said(client):
    client.install()
    (client.home.backups / "clients" / "receipt.json").write_text("[]")
    with pytest.raises(UnreadableConfig):
        client.uninstall()


def test_a_missing_program_is_said_before_anything_is_changed(client, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandMissing):
        client.install(programs=None)
    assert not client.settings.exists()


def test_repair_changes_nothing_where_everything_is_there(client):
    client.write_settings(FOREIGN)
    client.install()
    before = client.settings.read_bytes()
    assert client.repair() == claude_code.Changes()
    assert client.settings.read_bytes() == before


def test_repair_mends_what_moved_and_only_ours(client, moved):
    foreign = '{"mcpServers": {"other": {"command": "/gone/hitherto-other"}}}'
    client.state.write_text(foreign)
    client.install()
    programs = moved(client.programs)
    changes = client.repair(programs)
    servers = json.loads(client.state.read_text())["mcpServers"]
    assert servers["hitherto"]["command"] == str(programs.mcp)
    assert servers["other"] == {"command": "/gone/hitherto-other"}
    assert client.state in changes.written
    assert str(programs.mcp) in (client.home.root / "bin" / "mcp").read_text()


def test_repair_brings_a_lost_shim_back(client):
    client.install()
    (client.home.root / "bin" / "hook").unlink()
    assert client.repair().written == (client.home.root / "bin" / "hook",)


def test_repair_replaces_an_entry_whose_script_is_gone(client):
    client.install()
    settings = json.loads(client.settings.read_text())
    gone = {"type": "command", "command": "/gone/python -I -S /gone/hitherto_hooks/run.py Stop"}
    settings["hooks"]["Stop"][0]["hooks"] = [gone]
    client.write_settings(json.dumps(settings, indent=2).encode())
    client.repair()
    assert [c for event, _, c, _ in commands(client.settings) if event == "Stop"] == [
        '"$HOME/.hitherto/bin/hook" Stop'
    ]


def test_repair_does_not_bring_back_what_a_person_removed(client, moved):
    client.install()
    client.state.write_text("{}")
    client.write_settings(b"{}")
    client.repair(moved(client.programs))
    assert client.state.read_text() == "{}"
    assert client.settings.read_bytes() == b"{}"


def test_repair_leaves_an_unreadable_file_and_says_so(client, moved):
    client.install()
    client.settings.write_text("{")
    changes = client.repair(moved(client.programs))
    [reason] = changes.skipped
    assert str(client.settings) in reason
    assert client.settings.read_text() == "{"


def test_repair_without_an_installation_makes_none(client):
    assert client.repair() == claude_code.Changes()
    assert not (client.home.root / "bin").exists()


BODY = b'{"session_id":"s1"}'


def run_hook(command: str, home: Path, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["/bin/sh", "-c", command],
        input=BODY,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **environ},
        check=False,
    )


@pytest.mark.parametrize("name", ["plain", "with space", "quo'te\"s", "dollar $x `y`", "ünïcødé ✓"])
def test_the_registered_command_runs_from_any_folder(tmp_path, programs, name):
    home = tmp_path / name
    interpreter = tmp_path / f"{name} env" / "python"
    interpreter.parent.mkdir()
    interpreter.symlink_to(sys.executable)
    odd = replace(programs, interpreter=interpreter)
    data = Home(home / ".hitherto")
    home.mkdir()
    claude_code.install(home, home=data, programs=odd)
    [command] = [c for e, _, c, _ in commands(home / ".claude" / "settings.json") if e == "Stop"]
    done = run_hook(command, home)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (data.spool / "events").read_bytes().startswith(b"Stop\t")


def test_the_shim_knows_its_data_home_unless_the_environment_names_another(client, tmp_path):
    home = Home(tmp_path / "data 'x' }")
    client.install(home=home)
    [command] = [c for e, _, c, _ in commands(client.settings) if e == "Stop"]
    run_hook(command, client.root)
    assert (home.spool / "events").exists()
    run_hook(command, client.root, HITHERTO_HOME=str(tmp_path / "named"))
    assert (tmp_path / "named" / "spool" / "events").exists()


@pytest.mark.parametrize("lost", ["interpreter", "hook_script"])
def test_the_shim_of_an_environment_that_is_gone_stays_silent(client, tmp_path, lost):
    # Without this, an interpreter that does not find its script would exit 2 and block the prompt.
    gone = replace(client.programs, **{lost: tmp_path / "gone"})
    client.install(programs=gone)
    done = run_hook('"$HOME/.hitherto/bin/hook" Stop', client.root)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_shims_are_the_owners_alone(client):
    client.install()
    for name in ("hook", "mcp"):
        assert (client.home.root / "bin" / name).stat().st_mode & 0o777 == 0o700


def test_the_start_command_is_one_argument_a_line(client):
    client.install()
    lines = client.home.serve_command.read_text().splitlines()
    assert lines == [sys.executable, "-P", "-m", "hitherto_server", "serve"]


@pytest.mark.parametrize("content", [None, b"", b"/gone/python\n-P\n-m\nhitherto_server\nserve\n"])
def test_a_command_that_starts_no_server_any_more_is_written_anew(client, content):
    client.install()
    if content is None:
        client.home.serve_command.unlink()
    else:
        client.home.serve_command.write_bytes(content)
    assert client.repair().written == (client.home.serve_command,)
    assert client.home.serve_command.read_text().startswith(f"{client.programs.interpreter}\n")
    assert client.repair() == claude_code.Changes()
