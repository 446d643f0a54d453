"""The real Codex with our hooks and our MCP server, and no network."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from realclient_codex import Codex, patch, require_codex_here, schemas_in, shell
from realclient_product import HITHERTO, Product
from realclient_session import Place
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.realclient, pytest.mark.slow]

SCHEMAS = Path(__file__).parents[1] / "codex_schemas.json"
LESSON = "The gateway bills twice unless charge_with_retry keeps one idempotency key."
QUESTION = "Why does charge_with_retry keep one idempotency key at the gateway?"
PATCH = """*** Begin Patch
*** Update File: billing.py
@@
-key = 1
+key = 2
*** Add File: notes and more.txt
+hello
*** End Patch
"""


@pytest.fixture(scope="session")
def binary() -> Path:
    """Return the client's binary; made before the guard of each test hides where it is."""
    return require_codex_here()


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("codex") / "a place ü").create()
    (place.project / "billing.py").write_text("key = 1\n")
    return place


@pytest.fixture
def codex(binary: Path, place: Place) -> Codex:
    return Codex(binary, place)


@pytest.fixture
def product(place: Place, codex: Codex) -> Iterator[Product]:
    """Return an installation that Codex was told of, its server running."""
    product = Product(place)
    said = product.run("install", "codex")
    assert "/hooks" in said
    try:
        product.start()
        product.post("/v1/remember", {"content": LESSON, "files": ["billing.py"]})
        yield product
    finally:
        product.end()


def test_the_schemas_that_answers_are_held_against_are_the_clients_own(binary: Path) -> None:
    assert json.loads(SCHEMAS.read_text())["schemas"] == schemas_in(binary)


def test_the_client_reads_our_server_entry(product: Product, codex: Codex) -> None:
    said = codex.ask("mcp", "get", "hitherto").stdout
    assert "enabled: true" in said
    assert str(product.home / "bin" / "mcp") in said
    product.run("uninstall", "codex")
    assert "hitherto" not in codex.ask("mcp", "list").stdout


def test_a_session_is_given_memories_and_reports_its_edits(product: Product, codex: Codex) -> None:
    calls = (shell("echo hi", "c1"), patch(PATCH, "c2"))
    outcome, model = codex.run(QUESTION, *calls)
    assert outcome.code == 0, outcome.errors
    assert [line for line in outcome.complaints if "hook-trust" not in line] == []
    assert model.count(LESSON) == 1
    assert (codex.place.project / "billing.py").read_text() == "key = 2\n"
    session = next(e["thread_id"] for e in outcome.events if e["type"] == "thread.started")
    events = product.events(session)
    assert sorted(event["name"] for event in events) == [
        "PostToolUse",
        "PostToolUse",
        "SessionEnd",
        "SessionStart",
        "Stop",
        "UserPromptSubmit",
    ]
    assert product.spooled_bytes() == 0


def test_a_subagent_is_given_what_its_task_is_about(product: Product, codex: Codex) -> None:
    config = codex.folder / "config.toml"
    config.write_text(f"{config.read_text()}\n[features]\nmulti_agent_v2 = true\n")
    wish = {"type": "function_call", "id": "f1", "call_id": "c1", "namespace": "collaboration"}
    arguments = json.dumps({"message": QUESTION, "task_name": "look"})
    spawn = {**wish, "name": "spawn_agent", "arguments": arguments}
    waits = [shell("sleep 2", f"c{n}") for n in (2, 3)]  # whoever asks first: both go on
    outcome, model = codex.run("Good morning.", spawn, *waits)
    assert outcome.code == 0, outcome.errors
    query = (
        "SELECT m.content, i.agent <> '' FROM injection AS i JOIN memory AS m"
        " ON m.number = i.memory_number WHERE i.channel = 'subagent' AND i.outcome = 'injected'"
    )
    assert rows(product.home / "memory.db", query) == [(LESSON, 1)]
    told = [json.dumps(one["input"]) for one in model.requests]
    workers = [one.count(LESSON) for one in told if "NEW_TASK" in one]
    assert set(workers) == {1}
    assert {one.count(LESSON) for one in told if "NEW_TASK" not in one} == {0}


def test_the_model_is_offered_our_tools(product: Product, codex: Codex) -> None:
    _, model = codex.run("Good morning.")
    assert model.count("hitherto") > 0
    assert model.count("remember") > 0


def test_what_the_model_remembers_belongs_to_its_session(product: Product, codex: Codex) -> None:
    wish = {"type": "function_call", "id": "f1", "call_id": "c1", "namespace": "mcp__hitherto"}
    arguments = json.dumps({"content": "The office closes at seven."})
    outcome, model = codex.run("Keep it.", {**wish, "name": "remember", "arguments": arguments})
    session = next(e["thread_id"] for e in outcome.events if e["type"] == "thread.started")
    query = "SELECT id, session_id FROM memory WHERE content LIKE '%office%'"
    ((number, kept_by),) = rows(product.home / "memory.db", query)
    assert kept_by == session
    assert model.count(number) >= 1


def test_two_scopes_at_once_give_one_answer(product: Product, codex: Codex) -> None:
    product.run("install", "codex", "--scope", "project")
    trusted = f"[projects.{json.dumps(str(codex.place.project))}]\ntrust_level = 'trusted'\n"
    config = codex.folder / "config.toml"
    config.write_text(f"{config.read_text()}\n{trusted}")
    outcome, model = codex.run(QUESTION)
    assert model.count(LESSON) == 1
    session = next(e["thread_id"] for e in outcome.events if e["type"] == "thread.started")
    names = [event["name"] for event in product.events(session)]
    assert len(names) == len(set(names))


def test_a_hook_that_nobody_trusted_is_not_run(product: Product, codex: Codex) -> None:
    outcome, model = codex.run(QUESTION, trusted=False)
    assert outcome.code == 0
    assert model.count(LESSON) == 0


def test_hooks_that_were_trusted_once_stay_so_and_doctor_knows(
    product: Product, codex: Codex
) -> None:
    assert "9 of 9 hooks wait for it" in doctor(product)
    codex.trust()
    assert "given to 9 hooks" in doctor(product)
    shim = product.home / "bin" / "hook"
    shim.write_text(shim.read_text().replace("run.py", "moved.py"))
    product.run("install", "codex")
    assert "given to 9 hooks" in doctor(product)
    _, model = codex.run(QUESTION, trusted=False)
    assert model.count(LESSON) == 1


def doctor(product: Product) -> str:
    """Return what `hitherto doctor` finds; a person without a model has a fault, whatever else."""
    done = subprocess.run(
        [str(HITHERTO), "doctor"],
        env=product.place.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


def test_an_absent_server_costs_a_session_nothing(product: Product, codex: Codex) -> None:
    with product.killed():
        (product.home / "run" / "serve.cmd").unlink()
        outcome, model = codex.run(QUESTION)
        assert outcome.code == 0
        assert [line for line in outcome.complaints if "hook-trust" not in line] == []
        assert model.count(LESSON) == 0
        spooled = (product.home / "spool" / "events").read_bytes().splitlines()
        assert [line.split(b"\t")[0] for line in spooled] == [
            b"SessionStart@codex",
            b"UserPromptSubmit@codex",
            b"Stop@codex",
            b"SessionEnd@codex",
        ]
