"""Hooks that the real client posts itself, the server there, away, hanging or elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from realclient_model import ToolCall, Turn, play
from realclient_product import Product, eventually
from realclient_session import Place, open_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.realclient, pytest.mark.slow]

LESSON = "The gateway bills twice unless charge_with_retry keeps one idempotency key."
QUESTION = "Why does charge_with_retry keep one idempotency key at the gateway?"
CALLS = tuple(Turn("So.", (ToolCall("Bash", {"command": line}),)) for line in ("true", "exit 3"))
HEARD = ["PostToolUse", "PostToolUseFailure", "SessionEnd", "SessionStart", "Stop"]
SETTLE_S = 20.0


@pytest.fixture
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Return an installation whose hooks are posted, its server running."""
    product = Product(Place(tmp_path_factory.mktemp("http")).create())
    try:
        product.start()
        product.run("install", "claude-code", "--transport", "http")
        product.post("/v1/remember", {"content": LESSON})
        yield product
    finally:
        product.end()


def names(product: Product, session_id: str) -> list[str]:
    return sorted(event["name"] for event in product.events(session_id))


def test_a_session_is_served_as_by_commands(claude: Path, product: Product) -> None:
    with open_session(claude, product.place, play(*CALLS)) as session:
        session.say(QUESTION)
    assert session.seen(LESSON)[0] == 0
    assert session.lane("main")[0].count(LESSON) == 1
    wanted = [*HEARD, "UserPromptSubmit"]
    assert eventually(lambda: names(product, session.id), wanted, SETTLE_S) == wanted
    assert {run.outcome for run in session.hook_runs} == {"success"}


def test_posts_and_a_shared_projects_commands_are_answered_once(
    claude: Path, product: Product
) -> None:
    product.run("install", "claude-code", "--scope", "project")
    with open_session(claude, product.place, play(*CALLS)) as session:
        session.say(QUESTION)
    assert session.lane("main")[0].count(LESSON) == 1
    wanted = [*HEARD, "UserPromptSubmit"]
    assert eventually(lambda: names(product, session.id), wanted, SETTLE_S) == wanted


def test_an_absent_server_is_silence(claude: Path, product: Product) -> None:
    with product.killed():
        (product.home / "run" / "serve.cmd").unlink()
        with open_session(claude, product.place, play()) as session:
            assert session.say(QUESTION) == "Done."
        assert session.seen(LESSON) == []
        assert session.seen("ECONNREFUSED") == []


def test_a_hanging_server_costs_a_prompt_its_deadline_and_no_more(
    claude: Path, product: Product
) -> None:
    with product.hanging(), open_session(claude, product.place, play()) as session:
        assert session.say(QUESTION) == "Done."
        prompts = [run for run in session.hook_runs if run.event == "UserPromptSubmit"]
        assert [run.outcome for run in prompts] == ["cancelled"]
        assert prompts[0].took_ms < 300 + 1000
    assert session.seen(LESSON) == []


def test_a_server_that_comes_up_elsewhere_tells_the_client(claude: Path, product: Product) -> None:
    settings = product.place.home / ".claude" / "settings.json"
    before = settings.read_text()
    record = product.home / "run" / "server.json"
    port = json.loads(record.read_text())["port"]
    product.kill()
    settings.write_text(before.replace(f":{port}/", ":1/"))
    product.start()
    now = json.loads(record.read_text())["port"]
    assert eventually(lambda: f":{now}/" in settings.read_text(), wanted=True, deadline_s=SETTLE_S)
    with open_session(claude, product.place, play()) as session:
        session.say(QUESTION)
    assert session.lane("main")[0].count(LESSON) == 1
