"""Clean-up through the real server, its socket and the command line, with a judge that speaks."""

from __future__ import annotations

import json
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import SocketConnection, wait_until
from tests.system_one_stub import SystemOneStub
from tests.wiring import repository, rows

from hitherto_server.judge.register import surfaces
from hitherto_server.store.config import put_section
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import ServerProcess

LIVE = "SELECT count(*) FROM memory WHERE trashed_at_ms IS NULL"
OLD_MS = 91 * 86_400_000
CLEAN = "/v1/cleaning"


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub() as stub:
        yield stub


def judged_by(server: ServerProcess, stub: SystemOneStub) -> None:
    """Set, in a server that is not up, who is asked: of the triage's questions alone."""
    others = {name: {"on": False} for name in surfaces() if name != "trash-triage"}
    backend = {"profile": "custom", "base_url": stub.url, "model": stub.model}
    with closing(open_raw(server.database)) as connection:
        put_section(connection, "judge", {"backend": backend, "surfaces": others}, 1)
        connection.commit()


def notes(server: ServerProcess, folder: Path, count: int) -> list[str]:
    """Store unimportant notes, and let them be old; the server is down afterwards."""
    server.start()
    values = {"project_dir": str(folder), "importance": 2}
    ids = [
        server.call("remember", content=f"Leftover {n} of a task.", **values)["id"]
        for n in range(count)
    ]
    server.kill()
    with closing(open_raw(server.database)) as connection:
        connection.execute(
            "UPDATE memory SET learned_at_ms = learned_at_ms - ?1,"
            " changed_at_ms = changed_at_ms - ?1",
            (OLD_MS,),
        )
        connection.commit()
    return ids


def clean(server: ServerProcess, folder: Path, *arguments: str) -> Any:
    done = server.run("clean", *arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Stream:
    """A client that reads the snapshots of a run as they come."""

    def __init__(self, server: ServerProcess) -> None:
        self.connection = SocketConnection(server.socket_path, 60)
        self.connection.request("GET", f"{CLEAN}/expendable?stream=1")
        self.reply = self.connection.getresponse()

    def line(self) -> Any:
        text = self.reply.readline()
        return json.loads(text) if text else None

    def rest(self) -> list[Any]:
        return [json.loads(line) for line in self.reply if line.strip()]


def test_a_run_is_streamed_as_lines_and_ends_with_the_ranking(
    server: ServerProcess, stub: SystemOneStub, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "project")
    ids = notes(server, folder, 65)
    judged_by(server, stub)
    server.start()
    stream = Stream(server)
    with closing(stream.connection):
        assert stream.reply.headers["Content-Type"].startswith("application/x-ndjson")
        lines = stream.rest()
    told = [(one["triage"]["scored"], one["triage"]["done"]) for one in lines]
    assert told == [(0, False), (60, False), (65, False), (65, True)]
    assert [len(one["entries"]) for one in lines] == [50, 50, 50, 65]
    last = [one["memories"][0]["id"] for one in lines[-1]["entries"]]
    assert sorted(last) == sorted(ids)
    scored = [one["score"]["score"] for one in lines[-1]["entries"]]
    assert scored == sorted(scored, reverse=True)
    page = server.get(f"{CLEAN}/expendable?limit=40").json
    assert [one["memories"][0]["id"] for one in page["entries"]] == last[:40]
    rest = server.get(f"{CLEAN}/expendable?limit=40&cursor={page['cursor']}").json
    assert [one["memories"][0]["id"] for one in rest["entries"]] == last[40:]
    assert rest["cursor"] is None
    assert server.tracebacks() == []


def test_a_run_whose_listener_is_gone_asks_no_more(
    server: ServerProcess, stub: SystemOneStub, tmp_path: Path
) -> None:
    notes(server, repository(tmp_path / "project"), 130)
    judged_by(server, stub)
    stub.delay_s = 1.0
    server.start()
    stream = Stream(server)
    assert stream.line()["triage"]["scored"] == 0
    wait_until(lambda: len(stub.asked) == 6, "the first wave is asked")
    stream.reply.close()
    stream.connection.close()
    wait_until(lambda: not server.post(f"{CLEAN}/expendable/cancel", {}).json["cancelled"], "end")
    asked = len(stub.asked)
    time.sleep(1.5)  # what would be asked next would be asked by now
    assert len(stub.asked) == asked <= 12
    again = Stream(server)
    with closing(again.connection):
        assert again.rest()[-1]["triage"]["done"], "another run may begin"
    assert server.tracebacks() == []


def test_a_run_is_cancelled_and_a_second_one_beside_it_refused(
    server: ServerProcess, stub: SystemOneStub, tmp_path: Path
) -> None:
    notes(server, repository(tmp_path / "project"), 130)
    judged_by(server, stub)
    stub.delay_s = 1.0
    server.start()
    stream = Stream(server)
    with closing(stream.connection):
        stream.line()
        refused = server.get(f"{CLEAN}/expendable?stream=1")
        assert (refused.status, refused.code) == (409, "triage_busy")
        assert stream.line()["triage"]["scored"] == 60
        assert server.post(f"{CLEAN}/expendable/cancel", {}).json == {"cancelled": True}
        last = stream.rest()[-1]["triage"]
    assert (last["cancelled"], last["done"], last["scored"]) == (True, True, 60)
    assert server.post(f"{CLEAN}/expendable/cancel", {}).json == {"cancelled": False}
    assert server.tracebacks() == []


def test_a_server_that_is_stopped_does_not_wait_for_a_run(
    server: ServerProcess, stub: SystemOneStub, tmp_path: Path
) -> None:
    notes(server, repository(tmp_path / "project"), 130)
    judged_by(server, stub)
    stub.delay_s = 5.0
    server.start()
    stream = Stream(server)
    with closing(stream.connection):
        stream.line()
        wait_until(lambda: stub.asked, "it is asked")
        began = time.monotonic()
        assert server.post("/v1/stop", {}).status == 200
        server.wait_for_its_end()
        assert time.monotonic() - began < 4.5
    assert server.tracebacks() == []


def test_writers_do_not_wait_while_a_judge_thinks(
    server: ServerProcess, stub: SystemOneStub, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "project")
    notes(server, folder, 10)
    judged_by(server, stub)
    stub.delay_s = 2.0
    server.start()
    lines: list[Any] = []

    def listen() -> None:
        stream = Stream(server)
        with closing(stream.connection):
            lines.extend(stream.rest())

    listener = threading.Thread(target=listen)
    listener.start()
    wait_until(lambda: stub.asked, "the judge is asked")
    began = time.monotonic()
    server.call("remember", content="Written meanwhile.", project_dir=str(folder))
    assert time.monotonic() - began < 1.5
    assert not any(one["triage"]["done"] for one in lines)
    listener.join(30)
    assert lines[-1]["triage"]["judged"] == 10


def test_the_command_line_lists_does_dismisses_and_takes_back(
    server: ServerProcess, stub: SystemOneStub, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "project")
    notes(server, folder, 12)
    judged_by(server, stub)
    server.start()
    told = server.run("clean", "expendable", cwd=folder)
    assert told.returncode == 0, told.stderr
    assert b"12 may be expendable: 12 judged now, 0 before." in told.stdout
    assert b" of 4 (jev-1.13.0)" in told.stdout
    found = clean(server, folder, "expendable", "--limit", "5")
    assert (len(found["entries"]), found["triage"]["reused"], len(stub.asked)) == (5, 12, 2)
    worst = [one["id"] for one in found["entries"]]
    picked = [part for one in worst[:3] for part in ("--apply", one)]
    done = clean(server, folder, "expendable", *picked)
    assert (done["entries"], len(done["revisions"])) == (3, 3)
    assert rows(server.database, LIVE) == [(9,)]
    kept = clean(server, folder, "expendable", "--dismiss", worst[3])
    left = clean(server, folder, "expendable", "--no-judge", "--limit", "2000")
    assert len(left["entries"]) == 8
    listed = clean(server, folder, "actions")["actions"]
    assert [(one["deed"], one["memories"]) for one in listed] == [("dismiss", 1), ("apply", 3)]
    for action in (done["action"], kept["action"]):
        clean(server, folder, "expendable", "--undo", str(action))
    assert rows(server.database, LIVE) == [(12,)]
    twice = server.run("clean", "expendable", "--undo", str(done["action"]), cwd=folder)
    assert (twice.returncode, b"nothing_to_undo" in twice.stderr) == (1, True)
    moved = server.run("clean", "expendable", "--apply", worst[0], cwd=folder)
    assert (moved.returncode, b"revision_moved" in moved.stderr) == (1, True)


def test_the_command_line_settles_a_conflict(server: ServerProcess, tmp_path: Path) -> None:
    folder = repository(tmp_path / "project")
    server.start()
    values = {"project_dir": str(folder)}
    old = server.call("remember", content="Timeout is 30 s", **values)["id"]
    new = server.call("remember", content="Timeout is 90 s", **values)["id"]
    told = server.run("clean", "conflicts", cwd=folder).stdout.decode()
    assert "value changed 30 s -> 90 s" in told
    assert f"newer  {new}" in told
    assert f"older  {old}" in told
    assert "--apply: newer (or --choice older)" in told
    [entry] = clean(server, folder, "conflicts")["entries"]
    done = clean(server, folder, "conflicts", "--apply", entry["id"])
    [gone] = server.call("memories", view="get", ids=[old], **values)["memories"]
    assert gone["superseded_by"] == new
    clean(server, folder, "conflicts", "--undo", str(done["action"]))
    [back] = server.call("memories", view="get", ids=[old], **values)["memories"]
    assert back["standing"] == "conflicting"


def test_wrong_requests_are_refused_with_a_reason(server: ServerProcess) -> None:
    server.start()
    for path, payload, status, code in (
        (f"{CLEAN}/nothing/apply", {"ids": ["r1@1.1"]}, 400, "invalid_input"),
        (f"{CLEAN}/stale/apply", {"ids": []}, 400, "invalid_input"),
        (f"{CLEAN}/stale/apply", {"ids": ["x"]}, 400, "invalid_input"),
        (f"{CLEAN}/duplicates/dismiss", {"ids": ["r7@1.1"]}, 404, "not_found"),
        (f"{CLEAN}/duplicates/apply", {"ids": ["r7@1.1"] * 501}, 413, "too_large"),
        (f"{CLEAN}/undo", {"action": 9}, 404, "not_found"),
    ):
        reply = server.post(path, payload)
        assert (reply.status, reply.code) == (status, code), (path, reply.body)
    for query in ("cursor=x", "limit=0", "limit=2001", "unknown=1", "cursor=1.2.3.4.x"):
        reply = server.get(f"{CLEAN}/expendable?{query}")
        assert (reply.status, reply.code) == (400, "invalid_input"), query
    assert server.tracebacks() == []
