"""A backup comes back whole: beside a running server, without one, and killed in its midst."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.wiring import faults_in, rows

from hitherto_migrations import list_steps
from hitherto_server.store.driver import open_raw
from hitherto_server.store.shelf import list_backups

if TYPE_CHECKING:
    from tests.server_process import ServerProcess

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from hitherto_server.core.home import Home
from hitherto_server.store.restoring import restore_store

left = int(sys.argv[3])
replace = Path.replace

def dying(self, target):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)

Path.replace = dying
restore_store(Home(Path(sys.argv[1])), Path(sys.argv[2]))
"""


def contents(server: ServerProcess) -> list[str]:
    return sorted(memory["content"] for memory in server.call("memories")["memories"])


def told(server: ServerProcess, content: str) -> None:
    server.call("remember", content=content, scope="user")


def test_a_backup_is_restored_beside_a_running_server_and_nothing_is_thrown_away(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    told(server, "The port is 8080.")
    target = tmp_path / "elsewhere" / "mine.db"
    target.parent.mkdir()
    made = server.run("backup", str(target))
    assert made.returncode == 0, made.stderr
    assert target.stat().st_mode & 0o777 == 0o600
    told(server, "The port is 9090 since May.")

    done = server.run("restore", str(target), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["memories"] == 1

    assert server.answers(), "the server runs again"
    assert contents(server) == ["The port is 8080."]
    kept = Path(answer["kept"])
    assert rows(kept, "SELECT count(*) FROM memory") == [(2,)]
    assert faults_in(server.database) == []
    back = server.run("restore", str(kept))
    assert back.returncode == 0, back.stderr
    assert len(contents(server)) == 2, "the way back is a restore, too"


def test_a_backup_is_restored_while_no_server_runs(server: ServerProcess) -> None:
    server.start()
    told(server, "The port is 8080.")
    assert server.run("backup").returncode == 0
    told(server, "The port is 9090 since May.")
    server.kill()
    [backup] = list_backups(server.home / "backups")
    done = server.run("restore", str(backup.path))
    assert done.returncode == 0, done.stderr
    assert not server.answers(), "it did not run before"
    server.start()
    assert contents(server) == ["The port is 8080."]


@pytest.mark.parametrize("renames", range(4))
def test_a_restore_that_is_killed_leaves_the_old_store_or_the_new_one(
    server: ServerProcess, tmp_path: Path, renames: int
) -> None:
    server.start()
    told(server, "The port is 8080.")
    assert server.run("backup").returncode == 0
    told(server, "The port is 9090 since May.")
    server.kill()  # with a WAL beside the database
    [backup] = list_backups(server.home / "backups")
    script = tmp_path / "killed.py"
    script.write_text(KILLED_AT)
    ended = subprocess.run(
        [sys.executable, str(script), str(server.home), str(backup.path), str(renames)],
        check=False,
        env={**os.environ, "HITHERTO_HOME": str(server.home)},
    )
    assert ended.returncode == -signal.SIGKILL

    server.start()
    now = contents(server)
    is_new = renames >= 2  # the copy has its name, and the plan is written down
    assert now == (
        ["The port is 8080."] if is_new else sorted([*now[:1], "The port is 9090 since May."])
    )
    assert len(now) == (1 if is_new else 2)
    assert faults_in(server.database) == []
    replaced = [one for one in list_backups(server.home / "backups") if one.why == "replaced"]
    if is_new:
        assert rows(replaced[0].path, "SELECT count(*) FROM memory") == [(2,)]
    left = {path.name for path in server.home.iterdir()}
    assert left.isdisjoint({"restore.json", "memory.db.restoring"})


def test_what_is_no_sound_store_of_this_version_is_not_restored(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    told(server, "The port is 8080.")
    assert server.run("backup", str(tmp_path / "good.db")).returncode == 0
    good = (tmp_path / "good.db").read_bytes()
    (tmp_path / "cut.db").write_bytes(good[: len(good) // 2])
    middle = len(good) // 2 // 4096 * 4096
    (tmp_path / "garbage.db").write_bytes(
        good[:middle] + os.urandom(16 * 4096) + good[middle + 16 * 4096 :]
    )
    (tmp_path / "text.db").write_text("no database at all\n" * 400)
    with closing(open_raw(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE mine (a)")
    (tmp_path / "newer.db").write_bytes(good)
    with closing(open_raw(tmp_path / "newer.db")) as newer:
        number = list_steps()[-1].number + 1
        newer.execute("INSERT INTO migration VALUES (?, 'later', '', 0)", (number,))

    for name, code in {
        "cut.db": "backup_unusable",
        "garbage.db": "backup_unusable",
        "text.db": "backup_unusable",
        "other.db": "backup_unusable",
        "newer.db": "store_newer",
        "missing.db": "invalid_input",
    }.items():
        done = server.run("restore", str(tmp_path / name))
        assert done.returncode == (2 if code == "invalid_input" else 1), name
        assert f"hitherto: {code}:" in done.stderr.decode(), (name, done.stderr)
        assert server.answers(), "the server runs as before"
        assert contents(server) == ["The port is 8080."]
    assert {one.why for one in list_backups(server.home / "backups")} <= {"auto"}
