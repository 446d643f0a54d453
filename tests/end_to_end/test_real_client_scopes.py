"""The real client with us in every scope and as a plugin: one memory, each event once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from realclient_model import ToolCall, Turn, play
from realclient_product import Product, eventually
from realclient_session import Options, Place, open_session

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
    product = Product(Place(tmp_path_factory.mktemp("scopes") / "a place ü").create())
    try:
        product.start()
        product.post("/v1/remember", {"content": LESSON})
        yield product
    finally:
        product.end()


def plugin_of(product: Product) -> Path:
    folder = product.place.root / "plug in"
    product.run("install", "claude-code", "--plugin", str(folder))
    return folder


@pytest.mark.parametrize(
    ("scopes", "with_plugin"),
    [
        (["local"], False),
        (["user", "project", "local"], False),
        (["user", "project", "local"], True),
    ],
    ids=["local alone", "three scopes", "three scopes and the plugin"],
)
def test_a_session_is_given_a_memory_once_and_each_event_counts_once(
    claude: Path, product: Product, scopes: list[str], *, with_plugin: bool
) -> None:
    for scope in scopes:
        product.run("install", "claude-code", "--scope", scope)
    options = Options(plugin=plugin_of(product) if with_plugin else None)
    with open_session(claude, product.place, play(*CALLS), options) as session:
        session.say(QUESTION)

    def names() -> list[str]:
        return sorted(event["name"] for event in product.events(session.id))

    assert session.lane("main")[0].count(LESSON) == 1
    wanted = [*HEARD, "UserPromptSubmit"]
    assert eventually(names, wanted, SETTLE_S) == wanted
