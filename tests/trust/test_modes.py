"""Every file of the data home is the owner's alone, whatever it was, and whatever made it."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.server_process import ServerProcess, wait_until

from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FULL_LOG = 5 * 1024 * 1024


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "home")
    before = os.umask(0)  # the laxest shell there is
    yield server
    os.umask(before)
    server.end()


def open_to_others(home: Path) -> dict[str, str]:
    """Return every file and folder that others may read, write or enter."""
    modes = {path: path.lstat().st_mode for path in (home, *home.rglob("*"))}
    return {
        str(path.relative_to(home)): oct(stat.S_IMODE(mode))
        for path, mode in modes.items()
        if mode & 0o077 and not stat.S_ISLNK(mode)
    }


def be_used(server: ServerProcess) -> None:
    """Have every file made that a day's use makes."""
    server.call("remember", content="The port is 8080.", scope="user")
    server.call("pause", path="/somewhere")
    server.hook("UserPromptSubmit", {"session_id": "s", "prompt": "which port?"})
    assert server.run("backup").returncode == 0
    assert server.run("status").returncode == 0


def test_what_was_open_to_others_is_closed_by_the_next_start(server: ServerProcess) -> None:
    server.start()
    be_used(server)
    server.kill()  # leaves the log of the database, too
    for path in (server.home, *server.home.rglob("*")):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            path.chmod(0o777 if path.is_dir() else 0o666)
    spooled = server.home / "spool" / "events"
    spooled.write_bytes(b"Stop\t1\t\ttorn\n")
    spooled.chmod(0o666)
    server.start()
    wait_until(lambda: not spooled.exists(), "the spool is taken in")
    be_used(server)
    assert open_to_others(server.home) == {}


def test_a_log_that_turned_over_is_the_owners_alone(server: ServerProcess) -> None:
    logs = server.home / "logs"
    logs.mkdir(parents=True)
    (logs / "server.log").write_bytes(b"x" * FULL_LOG)
    server.start()
    wait_until((logs / "server.log.1").exists, "the log has turned over")
    assert open_to_others(server.home) == {}


def test_a_database_that_was_put_back_with_a_lax_mode_is_closed(server: ServerProcess) -> None:
    server.start()
    server.call("remember", content="The port is 8080.", scope="user")
    made = server.call("backup")["path"]
    server.kill()
    os.chmod(made, 0o644)  # noqa: PTH101 - as a copy from elsewhere has it
    done = server.run("restore", made)
    assert done.returncode == 0, done.stderr
    server.start()
    with closing(open_raw(server.database, read_only=True)) as connection:
        assert connection.execute("SELECT count(*) FROM memory").fetchone()[0] == 1
    assert open_to_others(server.home) == {}


def test_what_the_command_line_exports_is_the_owners_alone(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    server.call("remember", content="The port is 8080.", scope="user")
    for made in (
        ["backup", str(tmp_path / "a.db")],
        ["export", "--out", str(tmp_path / "a.jsonl")],
    ):
        done = server.run(*made)
        assert done.returncode == 0, done.stderr
        assert stat.S_IMODE((tmp_path / made[-1]).stat().st_mode) == 0o600, made
    assert open_to_others(server.home) == {}
