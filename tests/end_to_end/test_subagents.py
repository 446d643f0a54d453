"""Subagents of the real client, and of real hooks: what their task is about comes with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from realclient_model import ToolCall, Turn, play
from realclient_session import Options, Session, open_session
from tests.server_process import wait_until
from tests.system_one_stub import HANGING, SystemOneStub
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realclient_product import Product

pytestmark = pytest.mark.realclient

STRONG = "`deploy_lock` is held for 40 seconds after a failed deploy."
WEAK = "`deploy_lock` was named by Ada."
OTHER = "`ledger_pump` drains every night at three."
TASK = "How long is deploy_lock held after a failed deploy? Report the number."
OTHER_TASK = "When does ledger_pump drain? Report the hour."
GREETING = "Good morning to you; please wait a moment for what I want."
REQUEST = "Please have somebody look into the matter, and tell me what came of it."
AGENTS = Options(allow=("Agent", "Task"))
WITHIN_S = 10.0


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(judged) as serving:
        yield serving


def judged(state: Any, key: str, _question: dict[str, Any]) -> Any:
    if "candidates" not in state:
        return None
    return [0, 0, 0, 0, 1.0] if "40 seconds" in state["candidates"][key] else [1.0, 0, 0, 0, 0]


def dispatch(task: str, **more: Any) -> ToolCall:
    given = {"description": "Look it up", "prompt": task, "subagent_type": "general-purpose"}
    return ToolCall("Agent", {**given, **more})


def led(claude: Path, product: Product, *turns: tuple[ToolCall, ...]) -> Session:
    """Lead a session whose model dispatches subagents, turn by turn, to its end."""
    script = play(Turn("Good morning."), *(Turn("Somebody looks.", calls) for calls in turns))
    with open_session(claude, product.place, script, AGENTS) as session:
        session.say(GREETING)
        for content in (STRONG, WEAK, OTHER):  # now, so that no brief has given it already
            product.post("/v1/remember", {"content": content})
        session.say(REQUEST)
        wait_until(lambda: session.lane("agent:1"), "a subagent begins", WITHIN_S)
    assert {run.stderr for run in session.hook_runs} == {""}
    return session


def given_to_agents(product: Product) -> list[tuple[Any, ...]]:
    query = (
        "SELECT m.content FROM injection AS i JOIN memory AS m ON m.number = i.memory_number"
        " WHERE i.channel = 'subagent' AND i.outcome = 'injected' AND i.agent <> ''"
    )
    return rows(product.home / "memory.db", query)


def test_a_subagent_is_given_what_its_task_is_about_and_its_session_is_not(
    claude: Path, product: Product
) -> None:
    session = led(claude, product, (dispatch(TASK),))
    assert [request.count(STRONG) for request in session.lane("agent:1")][:1] == [1]
    assert session.seen(STRONG) == []
    assert (STRONG,) in given_to_agents(product)
    assert (OTHER,) not in given_to_agents(product)
    assert session.lane("agent:1")[0].count(TASK) == 1, "the dispatch is as the model wrote it"


def test_what_a_judge_finds_to_matter_is_what_a_subagent_is_given(
    claude: Path, product: Product, stub: SystemOneStub
) -> None:
    product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    stub.delay_s = 0.3  # longer than a start without a judge may take
    session = led(claude, product, (dispatch(TASK),))
    first = session.lane("agent:1")[0]
    assert (first.count(STRONG), first.count(WEAK)) == (1, 0)
    assert session.seen(STRONG) == []
    asked = [one.state for one in stub.asked if "candidates" in one.state]
    assert any(TASK in str(state) for state in asked)

    def logged() -> list[tuple[Any, ...]]:
        query = "SELECT surface, origin FROM judgment_log WHERE surface = 'brief-rank'"
        return rows(product.home / "memory.db", query)

    wait_until(logged, "the judgment is logged")
    assert logged() == [("brief-rank", "hook")]


def test_a_judge_that_hangs_leaves_a_subagent_what_the_measured_floor_lets_through(
    claude: Path, product: Product, stub: SystemOneStub
) -> None:
    product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    stub.fault = HANGING
    session = led(claude, product, (dispatch(TASK),))
    assert session.lane("agent:1")[0].count(STRONG) == 1


@pytest.mark.slow
def test_hooks_that_the_client_posts_itself_brief_a_subagent_as_well(
    claude: Path, product: Product
) -> None:
    product.run("install", "claude-code", "--transport", "http")
    # a busy machine may take longer than the client waits for one of them
    session = led(claude, product, *(3 * [(dispatch(TASK),)]))
    assert any(session.seen(STRONG, f"agent:{n}") for n in (1, 2, 3))
    assert session.seen(STRONG) == []


def test_of_two_subagents_at_once_each_is_given_its_own_or_nothing(
    claude: Path, product: Product
) -> None:
    session = led(claude, product, (dispatch(TASK), dispatch(OTHER_TASK)))
    wait_until(lambda: session.lane("agent:2"), "both begin", WITHIN_S)
    for lane in ("agent:1", "agent:2"):
        first = session.lane(lane)[0]
        has_first_task = first.count(TASK) > 0
        assert first.count(OTHER if has_first_task else STRONG) == 0, "nobody has another's"


def test_subagents_that_are_waited_for_run_as_they_would_without_us(
    claude: Path, product: Product
) -> None:
    waited_for = {"run_in_background": False}
    both = (dispatch(TASK, **waited_for), dispatch(OTHER_TASK, **waited_for))
    session = led(claude, product, both)
    tasks = [
        sum(session.lane(lane)[0].count(task) for lane in ("agent:1", "agent:2"))
        for task in (TASK, OTHER_TASK)
    ]
    assert tasks == [1, 1], "each dispatch began once"
