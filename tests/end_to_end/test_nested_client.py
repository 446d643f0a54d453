"""A client that a session starts in its shell is a session of its own, and recalls once."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pytest
from realclient_model import ModelRequest, ToolCall, Turn
from realclient_product import Product
from realclient_required import require_claude
from realclient_session import Options, Place, open_session
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.realclient

FACT = "The deploy holds `deploy_lock` for forty seconds, since the mirror answers late."
OUTER = "Let another agent look into the release, please, in a shell of its own."
INNER = "Why does the deploy hold `deploy_lock` for forty seconds?"
OPTIONS = Options(allow=("Bash",))


@pytest.fixture(scope="session")
def claude() -> Path:
    """Return the client's binary; made before the guard of each test hides where it is."""
    return require_claude(os.environ)


@pytest.fixture
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Return an installation with its server running."""
    product = Product(Place(tmp_path_factory.mktemp("nested")).create())
    try:
        product.start()
        product.run("install", "claude-code")
        yield product
    finally:
        product.end()


def test_a_client_inside_a_session_is_given_a_memory_once_and_counts_for_itself(
    claude: Path, product: Product
) -> None:
    product.post("/v1/remember", {"content": FACT})
    nested = f"{shlex.quote(str(claude))} -p {shlex.quote(INNER)}"
    inner: list[ModelRequest] = []

    def reply(request: ModelRequest) -> Turn:
        if request.texts and any(INNER in text for text in request.texts[:3]):
            inner.append(request)
            return Turn("Since the mirror answers late.")
        if request.count("mirror answers late"):
            return Turn("It said why.")
        return Turn("I ask it.", (ToolCall("Bash", {"command": nested}),))

    with open_session(claude, product.place, reply, OPTIONS) as session:
        session.say(OUTER)
        outer_id = session.id

    assert [request.count(FACT) for request in inner] == [1]
    given = rows(
        product.home / "memory.db",
        "SELECT session_id FROM injection WHERE outcome = 'injected'",
    )
    assert len(given) == 1
    assert given[0][0] != outer_id
    sessions = rows(product.home / "memory.db", "SELECT id, ended_at_ms FROM session")
    assert {one for one, _ in sessions} == {outer_id, given[0][0]}
    assert all(ended for _, ended in sessions)
