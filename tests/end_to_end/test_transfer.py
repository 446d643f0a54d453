"""`hitherto export` and `import` with real processes: moved, merged, and killed in the midst."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import ServerProcess, wait_until
from tests.wiring import faults_in, repository, rows

from hitherto_server.core.clock import uuid7
from hitherto_server.transfer.markdown import write_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANY = 3000


@pytest.fixture
def other(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "other home")
    yield server
    server.end()


def test_a_store_moves_to_another_home_and_the_file_is_private(
    server: ServerProcess, other: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    project = repository(tmp_path / "app", "git@example.com:owner/app.git")
    server.call("remember", content="The port is 8080.", project_dir=str(project))
    gone = server.call("remember", content="A mistake.", scope="user")["id"]
    server.call("forget", id=gone)
    file = tmp_path / "all of it.jsonl"
    done = server.run("export", "--out", str(file))
    assert done.returncode == 0, done.stderr
    assert "1 memories in the trash were left out" in done.stderr.decode()
    assert file.stat().st_mode & 0o777 == 0o600
    piped = server.run("export", "--trashed")
    assert json.loads(piped.stdout.splitlines()[0])["format"] == 1
    assert gone.encode() in piped.stdout

    other.start()
    taken = other.run("import", str(file), "--json")
    assert taken.returncode == 0, taken.stderr
    assert json.loads(taken.stdout)["counts"]["memories"] == 1
    [memory] = other.call("memories")["memories"]
    assert (memory["content"], memory["project"]) == ("The port is 8080.", "app")
    for one in (server, other):
        assert [path.name for path in (one.home / "backups").glob(".*")] == []


def test_an_import_says_what_it_refuses_and_what_to_do(
    server: ServerProcess, other: ServerProcess, tmp_path: Path
) -> None:
    other.start()
    memory = other.call("remember", content="The port is 8080.", scope="user")["id"]
    file = tmp_path / "export.jsonl"
    assert other.run("export", "--out", str(file)).returncode == 0
    server.start()
    assert server.run("import", str(file)).returncode == 0
    other.call("reflect", action="edit", id=memory, content="The port is 9090.")
    file.unlink()
    assert other.run("export", "--out", str(file)).returncode == 0
    refused = server.run("import", str(file))
    assert refused.returncode == 1
    assert b"import_conflict" in refused.stderr
    assert b"--merge" in refused.stderr
    merged = server.run("import", str(file), "--merge")
    assert merged.returncode == 0, merged.stderr
    assert b"what was here before:" in merged.stdout
    [view] = server.call("memories")["memories"]
    assert view["content"] == "The port is 9090."
    missing = server.run("import", str(tmp_path / "nothing"))
    assert missing.returncode == 2
    assert b"invalid_input" in missing.stderr


def test_another_home_is_merged_as_its_database_while_its_server_runs(
    server: ServerProcess, other: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    other.start()
    project = repository(tmp_path / "app", "git@example.com:owner/app.git")
    folder = tmp_path / "old place"
    folder.mkdir()
    server.call("remember", content="The port is 8080.", project_dir=str(project))
    other.call("remember", content="Uploads give up after 3 tries.", project_dir=str(folder))
    before = other.database.read_bytes()
    wrong = server.run("import", str(other.database), "--merge", "--map", "old place")
    assert (wrong.returncode, b"OLD=NEW" in wrong.stderr) == (2, True)
    done = server.run("import", str(other.database), "--merge", "--map", f"{folder}=app")
    assert done.returncode == 0, done.stderr
    memories = server.call("memories")["memories"]
    assert {memory["project"] for memory in memories} == {"app"}
    assert len(memories) == 2
    assert other.database.read_bytes() == before
    assert len(other.call("memories")["memories"]) == 1


def many(file: Path, count: int) -> Path:
    """Write an export of many memories after one that was really exported."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    memory = next(line for line in lines if line["type"] == "memory")
    copies: list[dict[str, Any]] = []
    for number in range(count):
        content = f"Step {number} of the build is keyed by E{number} and lies in cache/{number}.bin"
        revision = {**memory["revisions"][0], "content": content}
        copies.append(
            {**memory, "id": uuid7(1_700_000_000_000 + number), "content": content,
             "revisions": [revision]}
        )  # fmt: skip
    rest = [line for line in lines if line["type"] not in {"memory", "end"}]
    counts = {**lines[-1]["counts"], "memory": count}
    whole = [*rest, *copies, {"type": "end", "counts": counts}]
    large = file.with_name("large.jsonl")
    large.write_text("".join(json.dumps(line) + "\n" for line in whole))
    return large


def test_an_import_that_is_killed_took_everything_or_nothing(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    server.call("remember", content="The port is 8080.", scope="user")
    file = tmp_path / "export.jsonl"
    assert server.run("export", "--out", str(file)).returncode == 0
    large = many(file, MANY)
    backups, wal = server.home / "backups", server.home / "memory.db-wal"
    begun = wal.stat().st_size
    moments = [
        lambda: list(backups.glob(".*.clean.part")),
        lambda: list(backups.glob("before-import*")),
        lambda: wal.stat().st_size > begun + 1_000_000,
    ]
    for moment in moments:
        name = ".import-0123456789abcdef.jsonl.part"
        (backups / name).write_bytes(large.read_bytes())
        importing = threading.Thread(target=ask_to_import, args=(server, name))
        importing.start()
        wait_until(moment, "the import is under way", deadline_s=60)
        server.kill()
        importing.join()
        server.start()
        [(count,)] = rows(server.database, "SELECT count(*) FROM memory")
        assert count in {1, MANY + 1}
        assert faults_in(server.database) == []
        wait_until(lambda: not list(backups.glob(".*")), "nothing half done lies about")
    done = server.run("import", str(large), timeout=120)
    assert done.returncode == 0, done.stderr
    [(count,)] = rows(server.database, "SELECT count(*) FROM memory")
    assert count == MANY + 1
    assert server.tracebacks() == []


def ask_to_import(server: ServerProcess, name: str) -> None:
    with suppress(OSError, HTTPException):
        server.post("/v1/import", {"name": name})


def test_an_import_names_no_path_of_its_own(server: ServerProcess, tmp_path: Path) -> None:
    server.start()
    (tmp_path / "export.jsonl").write_text("x")
    for name in ("../../export.jsonl", str(tmp_path / "export.jsonl"), ".import-x.jsonl.part"):
        assert server.post("/v1/import", {"name": name}).status == 400
    reply = server.post("/v1/import", {"name": ".import-0123456789abcdef.jsonl.part"})
    assert (reply.status, reply.code) == (404, "not_found")


def test_markdown_is_one_file_a_project_and_the_same_bytes_again(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    project = repository(tmp_path / "App Ä", "git@example.com:owner/app.git")
    first = server.call(
        "remember", content="Uploads:\n# no heading\n\ngive up after 3 tries",
        project_dir=str(project), category="pitfalls", tags=["net"],
    )["id"]  # fmt: skip
    second = server.call("remember", content="The port is 8080.", project_dir=str(project))["id"]
    server.call("remember", content="Answer in short sentences.", scope="user")
    out = tmp_path / "review"
    out.mkdir()
    (out / "mine.md").write_text("my own notes")
    assert server.run("export", "--format", "markdown", "--out", str(out)).returncode == 0
    assert sorted(path.name for path in out.iterdir()) == ["app.md", "everywhere.md", "mine.md"]
    page = (out / "app.md").read_text()
    assert page.startswith("# app\n")
    assert f"<!-- {first} -->\n\n> Uploads:\n> # no heading\n>\n> give up" in page
    assert page.index("## pitfalls") < page.index("## without a category")
    assert "- tags: net\n" in page
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()}
    assert server.run("export", "--format", "markdown", "--out", str(out)).returncode == 0
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()} == before

    server.call("reflect", action="edit", id=second, content="The port is 9090.")
    assert server.run("export", "--format", "markdown", "--out", str(out)).returncode == 0
    old, new = (set(text.splitlines()) for text in (page, (out / "app.md").read_text()))
    assert old ^ new == {"> The port is 8080.", "> The port is 9090."}


def test_a_page_whose_project_is_gone_goes_and_no_other(tmp_path: Path) -> None:
    memory: dict[str, Any] = {
        "type": "memory", "id": "m1", "project": None, "category": None, "kind": "note",
        "content": "One.", "tags": [], "tier": "admitted", "suspect": False, "anchors": [],
        "state_key": None, "learned_at_ms": 0, "trashed_at_ms": None,
    }  # fmt: skip
    projects = [{"type": "project", "identity": f"path:/{n}", "name": "app"} for n in range(2)]
    ours = [{**memory, "project": one["identity"]} for one in projects]
    written = write_markdown([*projects, *ours, memory], tmp_path)
    assert sorted(path.name for path in written) == ["app-2.md", "app.md", "everywhere.md"]
    (tmp_path / "README.md").write_text("mine")
    write_markdown([memory], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "everywhere.md"]


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_made(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    (tmp_path / "there").write_text("mine")
    for command, said in {
        ("backup", str(tmp_path / "no" / "where.db")): "is not there",
        ("backup", str(tmp_path)): "is a folder",
        ("backup", str(tmp_path / "there")): "is there already",
        ("export", "--out", str(tmp_path / "no" / "where.jsonl")): "is not there",
        ("export", "--format", "markdown"): "--out",
        ("export", "--out", str(tmp_path / "x"), "--project", "nobody"): "no project 'nobody'",
    }.items():
        done = server.run(*command)
        assert (done.returncode, said in done.stderr.decode()) == (2, True), (command, done.stderr)
    assert (tmp_path / "there").read_text() == "mine"
    assert list((server.home / "backups").glob(".*")) == []
