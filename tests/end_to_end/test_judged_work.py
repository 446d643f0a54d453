"""Judged work of a real server and a real model: killed in the middle, nothing is lost or twice."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import wait_until
from tests.system_one_stub import BUSY, SystemOneStub
from tests.wiring import faults_in, rows

from hitherto_server.judge.configuration import Backend, JudgeConfig, as_document
from hitherto_server.judge.profiles import PROFILES
from hitherto_server.store.config import put_section
from hitherto_server.store.database import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import ServerProcess

LONG_S = 120.0
EIGHT = [0.0] * 7 + [1.0, 0.0, 0.0]
LAMPS = [
    f"The {colour} lamp in hall {hall} is switched by relay {hall * 7} since the {season} rebuild."
    for hall, (colour, season) in enumerate(
        [(colour, season) for colour in ("red", "green", "blue") for season in ("spring", "autumn")]
        * 4
    )
]


def answer(_: Any, key: str, __: Any) -> Any:
    named = {"kind": "fact", "importance": EIGHT, "relation": "related", "exclusive": 0.02}
    return {**named, "newer": 0.02}.get(key.rsplit("_", 1)[0])


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(answer) as serving:
        yield serving


@pytest.fixture
def judged(server: ServerProcess, stub: SystemOneStub, models_dir: Path) -> ServerProcess:
    """Return a server with memories that have their vectors, and since then a judge."""
    server.use_models(models_dir)
    server.start()
    for lamp in LAMPS:
        server.call("remember", content=lamp, scope="user")
    wait_until(lambda: not pending(server)["embeddings"], "all has vectors", LONG_S)
    compared = "SELECT 1 FROM job WHERE kind = 'compare'"
    wait_until(lambda: not rows(server.database, compared), "all is compared", LONG_S)
    server.kill()
    asyncio.run(choose(server, stub))
    server.start()
    return server


async def choose(server: ServerProcess, stub: SystemOneStub) -> None:
    """Have the stub asked, as somebody who chose it would."""
    store = await open_store(
        server.database, backups=server.home / "backups", clock=lambda: 0, readers=1
    )
    backend = Backend(PROFILES["custom"], stub.url, stub.model)
    document = as_document(JudgeConfig(backend=backend))
    await store.writer.run(lambda c: put_section(c, "judge", document, 1))
    await store.close()


def pending(server: ServerProcess) -> dict[str, int]:
    found: dict[str, int] = server.get("/v1/status").json["pending"]
    return {"embeddings": 1, **found}


def run_of(server: ServerProcess) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/v1/backfill").json["run"]
    return found


def has_judged(server: ServerProcess, least: int) -> bool:
    return bool(run_of(server)["judged"] >= least)


def judged_ids(server: ServerProcess, surface: str) -> Counter[str]:
    query = (
        "SELECT m.id FROM verdict AS v JOIN memory AS m ON m.number = v.memory_number"
        " WHERE v.surface = ?"
    )
    return Counter(row[0] for row in rows(server.database, query, surface))


def test_a_backfill_killed_in_the_middle_goes_on_and_judges_each_memory_once(
    judged: ServerProcess, stub: SystemOneStub
) -> None:
    stub.delay_s = 0.1
    reply = judged.post("/v1/backfill", {"action": "start"})
    assert (reply.status, reply.code) == (400, "invalid_input")
    begun = judged.post("/v1/backfill", {"action": "start", "confirm": True}).json["run"]
    assert begun["total"] == len(LAMPS)
    for share in (3, 9):
        wait_until(partial(has_judged, judged, share), "some are judged", LONG_S)
        judged.restart()  # kill -9 while answers are awaited
    wait_until(lambda: run_of(judged)["state"] == "done", "all is judged", LONG_S)
    run = run_of(judged)
    assert (run["judged"], run["passed_over"]) == (len(LAMPS), 0)
    assert set(judged_ids(judged, "relations").values()) == {1}
    assert set(judged_ids(judged, "importance-kind").values()) == {1}
    assert len(judged_ids(judged, "importance-kind")) == len(LAMPS)
    said = rows(
        judged.database,
        "SELECT min(newer_number, older_number), max(newer_number, older_number), count(*)"
        " FROM relation WHERE undone_at_ms IS NULL GROUP BY 1, 2",
    )
    assert said
    assert {count for _, _, count in said} == {1}
    assert rows(judged.database, "SELECT max(revision) FROM memory") == [(2,)]  # its kind, once
    judged.kill()
    assert faults_in(judged.database) == []
    assert judged.tracebacks() == []


def test_a_job_that_a_killed_server_had_taken_is_done_by_the_next(
    judged: ServerProcess, stub: SystemOneStub
) -> None:
    asked: list[str] = []

    def dawdling(state: Any, key: str, question: Any) -> Any:
        if key.startswith("relation"):
            asked.append(key)
            stub.closing.wait(6.0)
        return answer(state, key, question)

    stub.answers = dawdling
    written = judged.call("remember", content=LAMPS[0].replace("red", "amber"), scope="user")["id"]
    judged.hook("SessionStart", {"session_id": "s", "hook_event_name": "SessionStart", "cwd": "/"})
    asks = "SELECT state, attempts FROM job WHERE kind = 'relate' AND subject = ?"
    wait_until(lambda: asked, "it is being judged", LONG_S)
    judged.kill()
    assert rows(judged.database, asks, written) == [("leased", 1)]
    stub.answers = answer
    judged.start()
    wait_until(lambda: judged_ids(judged, "relations")[written] == 1, "it is judged", LONG_S)
    wait_until(lambda: not pending(judged)["judgments"], "nothing is left", LONG_S)
    assert judged_ids(judged, "importance-kind")[written] == 1
    assert rows(judged.database, "SELECT count(*) FROM job WHERE kind = 'relate'") == [(0,)]


def test_the_command_line_estimates_begins_rests_and_reports(
    judged: ServerProcess, stub: SystemOneStub
) -> None:
    stub.fault = BUSY
    estimated = judged.get("/v1/backfill/estimate").json
    assert (estimated["memories"], estimated["classify"]) == (len(LAMPS), len(LAMPS))
    assert estimated["cost_usd"] is None  # a custom backend names no price
    assert stub.asked == []
    judged.post("/v1/backfill", {"action": "start", "confirm": True})
    wait_until(lambda: run_of(judged)["failures"] > 0, "the backend wants patience", LONG_S)
    assert run_of(judged)["state"] == "running"
    paused = judged.post("/v1/backfill", {"action": "pause"}).json["run"]
    assert paused["state"] == "paused"
    again = judged.post("/v1/backfill", {"action": "pause"})
    assert (again.status, again.code) == (409, "backfill_state")
    cancelled = judged.post("/v1/backfill", {"action": "cancel"}).json["run"]
    assert cancelled["state"] == "cancelled"
    told = judged.run("judge", "backfill", "status", "--json")
    assert json.loads(told.stdout)["run"]["state"] == "cancelled"
    shown = judged.run("judge", "backfill", "start")
    assert f"{len(LAMPS)} memories are unjudged" in shown.stdout.decode()
    assert "Nothing was begun" in shown.stdout.decode()
    assert judged.run("judge", "jobs").stdout.decode() == "backfill: 1 cancelled\n"
