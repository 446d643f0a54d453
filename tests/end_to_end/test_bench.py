"""`hitherto bench` against a real server, and what it keeps."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.server_process import wait_until
from tests.system_one_stub import SystemOneStub
from tests.wiring import repository

from hitherto_server.benches.trials import TRIALS
from hitherto_server.store.config import put_section
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import ServerProcess


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub() as serving:
        yield serving


def judged_by(server: ServerProcess, stub: SystemOneStub) -> None:
    """Choose the backend of a server that has made its database, and start it again."""
    server.start()
    server.kill()
    backend = {"profile": "custom", "base_url": stub.url, "model": stub.model}
    with closing(open_raw(server.database)) as connection:
        put_section(connection, "judge", {"backend": backend}, 1)
        connection.commit()
    server.start()


def test_a_rule_is_measured_and_told_as_a_table(server: ServerProcess) -> None:
    done = server.run("bench", "historical-query")
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert "historical-query, labelled, by rules" in said
    assert "label \\ said" in said
    assert "basis: rules" in said


def test_what_ran_is_listed_with_its_basis(server: ServerProcess) -> None:
    server.start()
    report = json.loads(server.run("bench", "category-check", "--json").stdout)
    kept = server.get("/v1/benches?surface=category-check").json["runs"]
    assert [(one["basis"], one["is_running"]) for one in kept] == [(report["basis"], True)]
    assert kept[0]["report"]["parts"] == report["parts"]
    assert server.get("/v1/benches?surface=relations").json == {"runs": []}


def test_a_configured_backend_is_measured(server: ServerProcess, stub: SystemOneStub) -> None:
    judged_by(server, stub)
    done = server.run("bench", "historical-query", "--backend", "configured", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    cases = len(TRIALS["historical-query"].cases())
    assert report["model"] == stub.model
    assert report["usage"]["requests"] == len(stub.asked) == cases
    assert report["usage"]["p95_ms"] is not None
    assert report["parts"]["past"]["all"]["calibration"]["error"] >= 0


def test_own_memories_are_compared_within_a_project(
    server: ServerProcess, stub: SystemOneStub, tmp_path: Path
) -> None:
    judged_by(server, stub)
    folder = repository(tmp_path / "project")
    for text in ("The broker listens on 1883.", "Mara reads diffs on her phone."):
        server.call("remember", content=text, project_dir=str(folder))
    arguments = ("bench", "importance-kind", "--backend", "configured", "--own-store")
    done = server.run(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert "agreement" in said
    assert "precision" not in said
    assert "nobody labelled" in said


def test_without_a_backend_it_is_said_who_needs_none(server: ServerProcess) -> None:
    done = server.run("bench", "relations", "--backend", "configured")
    assert done.returncode == 1
    assert b"nobody_to_ask" in done.stderr
    assert b"--backend rules" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("horoscope",), ("relations", "--own-store"), ("relations", "--limit", "201")],
    ids=str,
)
def test_what_makes_no_sense_is_refused(server: ServerProcess, arguments: tuple[str, ...]) -> None:
    done = server.run("bench", *arguments)
    assert done.returncode == 2
    assert done.stderr


def test_a_server_that_is_told_to_stop_waits_for_no_bench(
    server: ServerProcess, stub: SystemOneStub
) -> None:
    judged_by(server, stub)
    stub.delay_s = 3.0  # its surface waits longer: no breaker ends the bench before the stop
    with ThreadPoolExecutor() as pool:
        running = pool.submit(server.run, "bench", "relations", "--backend", "configured")
        wait_until(lambda: stub.asked, "the bench asks")
        assert server.run("stop").returncode == 0
        done = running.result()
    assert done.returncode == 1
    assert b"server_away" in done.stderr
    assert "Traceback" not in server.log
