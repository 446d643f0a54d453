"""Loops of the real client: one iteration a stop, far beyond the blocks that it takes in a row."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from realclient_model import ModelRequest, ToolCall, Turn
from realclient_session import Options, Session, open_session
from tests.server_process import wait_until
from tests.system_one_stub import SystemOneStub
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from realclient_product import Product

pytestmark = pytest.mark.realclient

TASK = "Mend the tests of the parser."
ASKED = re.compile(r'<hitherto-loop iteration="(\d+)">')
OVERRIDDEN = "consecutive times"
"""A few words of what the client says when it takes no more blocks."""
TOOLS = Options(allow=("Bash", "mcp__hitherto"))
BEYOND_THE_CAP = 12
WITHIN_S = 20.0


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(judged) as serving:
        yield serving


def judged(state: Any, key: str, _question: dict[str, Any]) -> Any:
    """Find the task done once all five tests pass."""
    return (0.95 if "all five" in state["last_message"] else 0.1) if key == "wholly_done" else None


def loop(action: str, **given: Any) -> ToolCall:
    return ToolCall("mcp__hitherto__loop", {"action": action, **given})


@dataclass
class Agent:
    """Starts a loop, and does in each iteration what a test has it do."""

    work: Callable[[int], ToolCall | str]
    """A tool call, after which it says that the iteration is done; or only words."""
    start: dict[str, Any] = field(default_factory=dict)
    done: int = 0
    begins_at: int = 0
    """The request with which it begins."""

    def __call__(self, request: ModelRequest) -> Turn:
        if request.index == self.begins_at:
            return Turn("I begin.", (loop("start", task=TASK, **self.start),))
        asked = max([1, *(int(one) for text in request.texts for one in ASKED.findall(text))])
        if asked == self.done:
            return Turn(f"Iteration {asked} is done.")
        self.done = asked
        wish = self.work(asked)
        return Turn(wish) if isinstance(wish, str) else Turn("I work.", (wish,))


def noted(number: int) -> ToolCall:
    return loop("update", note=f"Test {number} is mended.")


def asked_in(session: Session) -> list[int]:
    """Return the iterations that reached the model, in the order in which they did."""
    found = (int(one) for r in session.lane("main") for t in r.texts for one in ASKED.findall(t))
    return list(dict.fromkeys(found))


def told(session: Session, words: str) -> bool:
    return any(words in str(event.get("content")) for event in session.events)


def loops_of(product: Product) -> list[tuple[Any, ...]]:
    return rows(product.home / "memory.db", "SELECT state, reason, iteration FROM loop ORDER BY id")


def test_a_loop_that_uses_tools_goes_on_beyond_the_blocks_that_the_client_takes(
    claude: Path, product: Product
) -> None:
    agent = Agent(noted, {"iterations": BEYOND_THE_CAP})
    with open_session(claude, product.place, agent, TOOLS) as session:
        session.say("Please mend the parser's tests, in a loop.")
        in_its_midst = loops_of(product)

    assert asked_in(session) == list(range(2, BEYOND_THE_CAP + 1))
    assert not told(session, OVERRIDDEN)
    assert {run.stderr for run in session.hook_runs} == {""}
    assert in_its_midst == [("ended", "iterations", BEYOND_THE_CAP)]
    last = session.lane("main")[-1]
    assert last.count(f"{BEYOND_THE_CAP - 1}: Test {BEYOND_THE_CAP - 1} is mended.") > 0
    stops = [event for event in product.events(session.id) if event["name"] == "Stop"]
    assert len(stops) == BEYOND_THE_CAP
    assert told(session, f"ended after {BEYOND_THE_CAP} iterations")


def test_a_loop_without_tools_waits_before_the_client_overrides_it(
    claude: Path, product: Product
) -> None:
    agent = Agent(lambda number: f"I think about step {number}.", {"iterations": 50})
    with open_session(claude, product.place, agent, TOOLS) as session:
        session.say("Please think, in a loop.")
        waiting = loops_of(product)
        first = len(asked_in(session))
        session.say("Go on, please.")

    assert waiting == [("paused", "idle", 9)]
    assert first == 8
    assert told(session, "8 iterations in a row used no tool")
    assert not told(session, OVERRIDDEN)
    assert max(asked_in(session)) == 16, "the ninth once more, and seven others"


def test_a_judge_that_sees_the_task_done_ends_the_loop(
    claude: Path, product: Product, stub: SystemOneStub
) -> None:
    product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    agent = Agent(lambda number: noted(number) if number < 3 else "Now all five tests pass.")
    with open_session(claude, product.place, agent, TOOLS) as session:
        session.say("Please mend the parser's tests, in a loop.")

    assert asked_in(session) == [2, 3]
    assert loops_of(product) == [("ended", "goal", 3)]
    states = [one.state for one in stub.asked if "wholly_done" in one.body["questions"]]
    assert [state["journal"] for state in states][-1] == [
        "Test 1 is mended.",
        "Test 2 is mended.",
    ]
    query = (
        "SELECT origin, json_extract(outcome, '$.ended') FROM judgment_log"
        " WHERE surface = 'loop-goal' ORDER BY id"
    )

    def log() -> list[tuple[Any, ...]]:
        return rows(product.home / "memory.db", query)

    wait_until(lambda: len(log()) == 3 and log()[-1][1] is not None, "the outcome is logged")
    assert log() == [("hook", 0), ("hook", 0), ("hook", 1)]
    surfaces = str(rows(product.home / "memory.db", "SELECT surface, riders FROM judgment_log"))
    assert "agent-message" not in surfaces, "nobody is asked what a loop's stop waits for"


def test_a_loop_that_needs_its_person_waits_and_goes_on_with_the_next_prompt(
    claude: Path, product: Product
) -> None:
    def work(number: int) -> ToolCall:
        return (
            loop("update", note="A login is needed.", state="blocked")
            if number == 2
            else (noted(number))
        )

    agent = Agent(work, {"iterations": 4})
    with open_session(claude, product.place, agent, TOOLS) as session:
        session.say("Please deploy, in a loop.")
        waiting = loops_of(product)
        agent.done = 0  # what it was blocked in is asked of it anew
        agent.work = noted
        session.say("I have logged in for you.")

    assert waiting == [("paused", "blocked", 2)]
    assert told(session, "only you can go on")
    assert asked_in(session) == [2, 3, 4]
    assert loops_of(product) == [("ended", "iterations", 4)]


def test_a_loop_survives_the_death_of_the_server_and_ends_by_its_persons_word(
    claude: Path, product: Product
) -> None:
    said: list[str] = []

    def work(number: int) -> ToolCall:
        if number == 3:
            with product.killed():
                pass
        if number == 5:
            said.append(product.run("loop", "stop"))
        return ToolCall("Bash", {"command": "true", "description": "Look"})

    agent = Agent(work, {"iterations": 20})
    with open_session(claude, product.place, agent, TOOLS) as session:
        session.say("Please look after it, in a loop.")

    assert asked_in(session) == [2, 3, 4, 5]
    assert loops_of(product) == [("ended", "person", 5)]
    assert said[0].startswith("ended (person) · iteration 5 of at most 20")
    assert product.run("loop", "list") == "No loop goes on.\n"
    assert TASK in product.run("loop", "status", "--session", session.id)


def test_a_loop_that_begins_after_a_clear_is_the_new_sessions(
    claude: Path, product: Product
) -> None:
    agent = Agent(noted, {"iterations": 3})

    def script(request: ModelRequest) -> Turn:
        return agent(request) if request.count("in a loop") else Turn("Good morning.")

    agent.begins_at = 1
    with open_session(claude, product.place, script, TOOLS) as session:
        session.say("Good morning.")
        session.say("/clear")
        session.say("Please mend the parser's tests, in a loop.")
        names = [event["session_id"] for event in session.events if event.get("subtype") == "init"]

    assert asked_in(session) == [2, 3]
    query = "SELECT session_id, reason FROM loop"
    assert rows(product.home / "memory.db", query) == [(names[-1], "iterations")]
    assert names[0] != names[-1]


def test_a_loop_waits_for_the_subagents_of_an_iteration(claude: Path, product: Product) -> None:
    dispatch = {"description": "Look", "prompt": "Look it up.", "subagent_type": "general-purpose"}
    released = threading.Event()
    agent = Agent(lambda number: ToolCall("Agent", dispatch) if number == 2 else noted(number))
    agent.start = {"iterations": 3}

    def script(request: ModelRequest) -> Turn:
        if request.lane == "main":
            return agent(request)
        released.wait(WITHIN_S)
        return Turn("It is there.")

    options = Options(allow=("Agent", "Task", "mcp__hitherto"))
    with open_session(claude, product.place, script, options) as session:
        session.say("Please look it up, in a loop.")
        while_it_looks = (loops_of(product), asked_in(session))
        released.set()
        wait_until(lambda: loops_of(product)[0][0] == "ended", "the loop ends", WITHIN_S)

    assert while_it_looks == ([("running", None, 2)], [2])
    assert asked_in(session) == [2, 3]
    assert loops_of(product) == [("ended", "iterations", 3)]
