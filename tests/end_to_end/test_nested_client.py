"""A client that a session starts in its shell is a session of its own, and recalls once."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from realclient_model import ModelRequest, ToolCall, Turn
from realclient_session import Options, open_session
from tests.wiring import rows

if TYPE_CHECKING:
    from pathlib import Path

    from realclient_product import Product

pytestmark = pytest.mark.realclient

FACT = "The deploy holds `deploy_lock` for forty seconds, since the mirror answers late."
OUTER = "Let another agent look into the release, please, in a shell of its own."
INNER = "Why does the deploy hold `deploy_lock` for forty seconds?"
OPTIONS = Options(allow=("Bash",))


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
