"""Disks that are full, read-only or lost, damaged and locked databases, clocks that go back.

Each: a clear error with its mend, nothing acknowledged is lost, hooks print nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import ServerProcess, wait_until
from tests.wiring import faults_in, rows

from hitherto_migrations import list_steps
from hitherto_server.store.driver import choose_driver, open_raw
from hitherto_server.store.shelf import list_backups

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = 4096
CONTENT = "Step {} of the build is keyed by E{} and lies in cache/step_{}.bin, says the log."


def told(server: ServerProcess, number: int) -> str:
    content = CONTENT.format(number, number, number)
    return str(server.call("remember", content=content, scope="user")["id"])


def contents(server: ServerProcess) -> set[str]:
    query = "SELECT id FROM memory WHERE trashed_at_ms IS NULL"
    return {memory for (memory,) in rows(server.database, query)}


def said_by(server: ServerProcess, *command: str) -> tuple[int, str]:
    done = server.run(*command)
    return done.returncode, (done.stdout + done.stderr).decode()


def silent_hook(
    server: ServerProcess, tmp_path: Path, environment: dict[str, str] | None = None
) -> bool:
    """Run the hook as the client does and tell whether it prints nothing and succeeds."""
    import hitherto_hooks

    body = json.dumps({"session_id": "s1", "cwd": str(tmp_path), "prompt": "how are uploads done?"})
    done = subprocess.run(
        [sys.executable, "-I", "-S", f"{hitherto_hooks.__path__[0]}/run.py", "UserPromptSubmit"],
        input=body.encode(),
        env=environment or server.environment(),
        capture_output=True,
        timeout=30,
        check=False,
    )
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small disk of its own; needs root, as CI has it."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no disk can be mounted: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, ServerProcess]]:
    with mounted(tmp_path / "disk", "24m") as folder:
        server = ServerProcess(folder / "home")
        yield folder, server
        server.end()


def test_a_full_disk_refuses_writes_and_loses_none_that_it_acknowledged(
    disk: tuple[Path, ServerProcess], tmp_path: Path
) -> None:
    folder, server = disk
    server.start()
    kept = {told(server, number) for number in range(20)}
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 65536)
        except OSError:
            pass
    refused = 0
    for number in range(20, 400):
        content = CONTENT.format(number, number, number)
        reply = server.post("/v1/remember", {"content": content, "scope": "user"})
        if reply.status == 200:
            kept.add(reply.json["id"])
            continue
        assert (reply.status, reply.code) == (507, "store_full")
        assert "Free some space" in reply.json["error"]["mend"]
        refused += 1
        if refused == 3:
            break
    assert refused == 3, "the disk never got full"
    code, said = said_by(server, "backup")
    assert (code, "store_full" in said) == (1, True)
    code, said = said_by(server, "status")
    assert code == 0, said
    assert "the last backup failed" in said
    lost = server.get("/v1/status").json["lost_writes"]
    assert lost - refused in {0, 1}  # the queue's first write may come when the disk is full
    assert silent_hook(server, tmp_path)
    server.kill()

    ballast.unlink()
    server.start()
    assert contents(server) == kept, "what was acknowledged is there, and nothing else"
    assert faults_in(server.database) == []
    told(server, 999)
    assert server.run("backup").returncode == 0
    assert "the last backup failed" not in said_by(server, "status")[1]
    assert server.tracebacks() == []


def test_on_a_full_disk_the_server_does_not_start_and_says_why(
    disk: tuple[Path, ServerProcess],
) -> None:
    folder, server = disk
    with (folder / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 65536)
        except OSError:
            pass
    starting = server.begin()
    assert starting.wait(30) == 1
    said = server.output.read_text() if server.output.exists() else ""
    # the output's own disk is full as well
    code, status = said_by(server, "status")
    assert code == 1
    assert "Traceback" not in said + status
    (folder / "ballast").unlink()
    server.start()
    told(server, 1)


def test_on_a_read_only_disk_the_server_does_not_start_says_why_and_nothing_is_lost(
    disk: tuple[Path, ServerProcess], tmp_path: Path
) -> None:
    folder, server = disk
    server.start()
    kept = {told(server, number) for number in range(5)}
    server.kill()
    remount(folder, "ro")
    process = subprocess.run(
        [*server.command(), "serve"],
        env=elsewhere(server, tmp_path),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert process.returncode == 1
    said = process.stderr.decode()
    assert "home_unusable" in said or "store_full" in said, said
    assert "Read-only" in said
    code, doctor = said_by_elsewhere(server, tmp_path, "doctor")
    assert code == 1
    assert "can't be written" in doctor or "Read-only" in doctor
    assert "Traceback" not in doctor + said
    assert silent_hook(server, tmp_path, elsewhere(server, tmp_path))
    remount(folder, "rw")
    server.start()
    assert contents(server) == kept


def elsewhere(server: ServerProcess, tmp_path: Path) -> dict[str, str]:
    """Return its environment with the person's own home on a disk that can be written."""
    person = ServerProcess(tmp_path / "person").environment()
    return {**person, "HITHERTO_HOME": str(server.home)}


def said_by_elsewhere(server: ServerProcess, tmp_path: Path, *command: str) -> tuple[int, str]:
    done = server.run(*command, env=elsewhere(server, tmp_path))
    return done.returncode, (done.stdout + done.stderr).decode()


def damage(database: Path, first: int, pages: int) -> None:
    """Write garbage over some pages of a database that nobody has open."""
    with database.open("r+b") as file:
        file.seek(first * PAGE)
        file.write(os.urandom(pages * PAGE))


def checkpoint(database: Path) -> None:
    with closing(open_raw(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def filled_and_backed_up(server: ServerProcess) -> Path:
    """Start a server, tell it some, back it up and stop it; return the backup."""
    server.start()
    for number in range(40):
        told(server, number)
    assert server.run("backup").returncode == 0
    server.kill()
    checkpoint(server.database)
    return list_backups(server.home / "backups")[0].path


@pytest.mark.parametrize("how", ["cut", "overwritten"])
def test_a_damaged_store_is_named_at_the_start_with_the_backup_and_the_command(
    server: ServerProcess, tmp_path: Path, how: str
) -> None:
    backup = filled_and_backed_up(server)
    if how == "cut":
        with server.database.open("r+b") as file:
            file.truncate(PAGE // 2)
    else:
        damage(server.database, 0, 4)
    starting = server.begin()
    assert starting.wait(30) == 1
    code, said = said_by(server, "status")
    assert code == 1
    assert "store_unreadable" in said
    assert f"`hitherto restore '{backup}'`" in said
    assert "--salvage" in said
    code, said = said_by(server, "doctor")
    assert (code, str(backup) in said) == (1, True)
    code, said = said_by(server, "recall", "the build")
    assert (code, "store_unreadable" in said) == (1, True)
    assert silent_hook(server, tmp_path)

    code, said = said_by(server, "restore", str(backup))
    assert code == 0, said
    server.start()
    assert len(contents(server)) == 40
    assert said_by(server, "status")[0] == 0
    assert server.tracebacks() == []


def pages_of(database: Path, *tables: str) -> list[int]:
    """Return the leaf pages of some tables, as far as they can be told without an extension."""
    with closing(open_raw(database, read_only=True)) as connection:
        roots = [
            connection.execute(
                "SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)
            ).fetchone()[0]
            for table in tables
        ]
    content = database.read_bytes()
    leaves: list[int] = []
    for root in roots:
        page = content[(root - 1) * PAGE : root * PAGE]
        assert page[0] == 5, "the table has grown beyond its root page"
        count = int.from_bytes(page[3:5], "big")
        cells = [int.from_bytes(page[12 + 2 * n : 14 + 2 * n], "big") for n in range(count)]
        leaves += [int.from_bytes(page[cell : cell + 4], "big") for cell in cells]
    return leaves


def test_garbage_in_the_midst_is_noticed_stops_writing_and_is_salvaged(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    kept = {told(server, number) for number in range(120)}
    server.kill()
    checkpoint(server.database)
    leaves = pages_of(server.database, "memory")
    assert len(leaves) > 4
    damage(server.database, leaves[2] - 1, 1)

    server.start()
    wait_until(lambda: server.get("/v1/memories") and reads_all(server), "the damage is met")
    reply = server.post("/v1/remember", {"content": "One more of it.", "scope": "user"})
    assert (reply.status, reply.code) == (500, "store_unreadable")
    assert "nothing more is written" in reply.json["error"]["message"]
    assert said_by(server, "backup")[0] == 1, "no copy of it counts as a backup"
    assert list(server.home.glob("backups/*.db")) == []
    code, said = said_by(server, "doctor")
    assert (code, "There is no good backup" in said) == (1, True)
    server.kill()

    out = tmp_path / "salvaged.db"
    code, said = said_by(server, "doctor", "--salvage", str(out))
    assert code == 0, said
    assert "some rows of the table memory could not be read" in said
    code, said = said_by(server, "restore", str(out))
    assert code == 0, said
    server.start()
    saved = contents(server)
    assert saved < kept
    assert len(saved) > 80
    assert faults_in(server.database) == []
    told(server, 999)
    texts = out.with_suffix(".texts").read_text()
    lost = len(kept) - len(saved)
    assert texts.count("Step ") == lost, "of the others the history kept the text"


def reads_all(server: ServerProcess) -> bool:
    """Read every memory; tell whether that met the damage."""
    replies = [
        server.post("/v1/memories", {"limit": 200}),
        server.post("/v1/memories", {"view": "stats"}),
    ]
    return any(reply.status == 500 and reply.code == "store_unreadable" for reply in replies)


def test_a_lost_log_is_seen_and_said_though_the_database_looks_sound(
    server: ServerProcess,
) -> None:
    server.start()
    told(server, 1)
    server.kill()
    checkpoint(server.database)
    server.start()
    told(server, 2)
    told(server, 3)
    server.kill()
    for suffix in ("-wal", "-shm"):
        server.database.with_name(f"memory.db{suffix}").unlink()
    server.start()
    notices = server.get("/v1/status").json["notices"]
    assert any("acknowledged are not in the database" in one for one in notices)
    assert len(contents(server)) == 1
    server.restart()
    told(server, 4)
    assert server.tracebacks() == []


def test_a_killed_server_with_its_log_misses_nothing(server: ServerProcess) -> None:
    for number in range(3):
        server.start()
        told(server, number)
        server.kill()
    server.start()
    notices = server.get("/v1/status").json["notices"]
    assert not any("acknowledged" in one for one in notices)


def test_a_database_that_another_process_holds_is_named_and_nothing_is_half_written(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    kept = {told(server, number) for number in range(3)}
    with closing(choose_driver().module.connect(str(server.database))) as foreign:
        foreign.isolation_level = None
        foreign.execute("BEGIN IMMEDIATE")
        answers: list[Any] = []
        content = {"content": "While it was held.", "scope": "user"}
        asking = threading.Thread(
            target=lambda: answers.append(server.post("/v1/remember", content))
        )
        asking.start()
        found = server.post("/v1/recall", {"query": "the build", "scope": "user"})
        assert found.status == 200, "readers wait for nobody"
        assert silent_hook(server, tmp_path)
        asking.join(30)
        foreign.execute("ROLLBACK")
    [reply] = answers
    assert (reply.status, reply.code) == (503, "store_busy")
    assert "Stop the other process" in reply.json["error"]["mend"]
    assert contents(server) == kept
    told(server, 9)
    code, said = said_by(server, "status")
    assert (code, "writes were refused" in said) == (0, True)
    assert server.get("/v1/status").json["lost_writes"] >= 1


def test_a_newer_store_is_left_alone_and_everybody_says_so(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    told(server, 1)
    server.kill()
    with closing(open_raw(server.database)) as newer:
        number = list_steps()[-1].number + 1
        newer.execute("INSERT INTO migration VALUES (?, 'later', '', 0)", (number,))
        newer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = server.database.read_bytes()
    starting = server.begin()
    assert starting.wait(30) == 1
    for command in ("status", "doctor"):
        code, said = said_by(server, command)
        assert (code, "schema" in said, "Upgrade Hitherto" in said) == (1, True, True), said
    assert silent_hook(server, tmp_path)
    assert server.database.read_bytes() == before


def test_a_home_that_was_moved_is_the_same_store(server: ServerProcess, tmp_path: Path) -> None:
    server.start()
    kept = {told(server, number) for number in range(3)}
    assert server.run("backup").returncode == 0
    server.kill()
    moved = ServerProcess(tmp_path / "another place" / "home")
    moved.home.parent.mkdir()
    server.home.rename(moved.home)
    try:
        moved.start()
        assert contents(moved) == kept
        assert moved.get("/v1/status").json["home"] == str(moved.home)
        [backup] = list_backups(moved.home / "backups")
        assert moved.run("restore", str(backup.path)).returncode == 0
        assert contents(moved) == kept
    finally:
        moved.end()
