"""Plans that the real client approves: edited ones, and ones that go against a decision."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from realclient_model import ModelRequest, ToolCall, Turn
from realclient_product import Product, eventually
from realclient_session import Options, open_session
from tests.system_one_stub import SystemOneStub
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realclient_model import Script
    from realclient_session import Session

pytestmark = pytest.mark.realclient

IN_PLAN_MODE = Options(attended=True, permission_mode="plan")
RESUMED = Options(attended=True, permission_mode="plan", resume=True)
PLAN = "# Uploads\n\n1. Thumbnails of 320 px are made in a job.\n2. Originals are kept.\n"
EDITED = f"{PLAN}3. Write a test of both.\n"
DECISION = "Thumbnails are 480 px wide."
BESIDE = "Originals of uploads are kept for ten years."
CHECK = "<hitherto-plan-check>"
WITHIN_S = 20.0


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(judged) as serving:
        yield serving


def judged(state: Any, key: str, _question: dict[str, Any]) -> Any:
    """Hold the plan to go against what the rule does not see."""
    if "decisions" not in state:
        return None
    return 0.95 if state["decisions"][key]["content"] == BESIDE else 0.05


def planning(product: Product, plan: str) -> Script:
    """Write a plan to the file that the client names, then ask to leave plan mode."""
    named_file = re.compile(rf"{re.escape(str(product.place.home))}/\.claude/plans/\S+\.md")

    def reply(request: ModelRequest) -> Turn:
        match request.index:
            case 0:
                named = named_file.search("\n".join(request.texts))
                assert named, "the client names no plan file"
                given = {"file_path": named[0], "content": plan}
                return Turn("I write.", (ToolCall("Write", given),))
            case 1:
                return Turn("The plan is ready.", (ToolCall("ExitPlanMode", {}),))
            case _:
                return Turn()

    return reply


def led(claude: Path, product: Product, plan: str, options: Options = IN_PLAN_MODE) -> Session:
    """Lead a session in which a plan is approved, and a prompt more."""
    with open_session(claude, product.place, planning(product, plan), options) as session:
        session.say("Plan how uploads are to be stored.")
        session.say("Please begin with the first step.")
    assert {run.stderr for run in session.hook_runs} == {""}
    return session


def table(product: Product, query: str) -> list[tuple[Any, ...]]:
    return rows(product.home / "memory.db", query)


def plans(product: Product) -> list[tuple[Any, ...]]:
    """Return the plans, and of each whether another has replaced it."""
    query = (
        "SELECT content, EXISTS (SELECT 1 FROM relation WHERE kind = 'supersedes'"
        " AND undone_at_ms IS NULL AND older_number = m.number)"
        " FROM memory AS m WHERE kind = 'plan' ORDER BY number"
    )
    return table(product, query)


def test_a_plan_that_is_edited_and_approved_again_replaces_the_former(
    claude: Path, product: Product
) -> None:
    led(claude, product, PLAN)
    led(claude, product, EDITED, RESUMED)

    def both() -> list[tuple[Any, ...]]:
        return plans(product)

    wanted = [(PLAN.strip(), 1), (EDITED.strip(), 0)]
    assert eventually(both, wanted, WITHIN_S) == wanted
    files = table(product, "SELECT file FROM approval ORDER BY at_ms")
    assert files[0] == files[1]


def test_a_plan_that_goes_against_a_decision_is_told_so_once_and_goes_on(
    claude: Path, product: Product
) -> None:
    def script(request: ModelRequest) -> Turn:
        if request.index == 0:  # now, so that no brief has given it already
            product.post("/v1/remember", {"content": DECISION, "kind": "decision"})
            product.post("/v1/remember", {"content": BESIDE, "kind": "decision"})
        return planning(product, PLAN)(request)

    with open_session(claude, product.place, script, IN_PLAN_MODE) as session:
        session.say("Plan how uploads are to be stored.")
        session.say("Please begin with the first step.")

    assert [request.count(CHECK) for request in session.lane("main")] == [0, 0, 1, 1]
    told = block_in(session)
    assert "[rule]" in told
    assert told.count(DECISION) == 1
    assert BESIDE not in told
    assert [content for content, _ in plans(product)] == [PLAN.strip()]
    query = "SELECT channel FROM injection WHERE outcome = 'injected'"
    assert ("brief",) in table(product, query)


def test_a_judge_says_what_a_plan_goes_against(
    claude: Path, product: Product, stub: SystemOneStub
) -> None:
    product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    stub.delay_s = 0.3  # longer than the hook of another tool may take

    def script(request: ModelRequest) -> Turn:
        if request.index == 0:
            product.post("/v1/remember", {"content": DECISION, "kind": "decision"})
            product.post("/v1/remember", {"content": BESIDE, "kind": "decision"})
        return planning(product, PLAN)(request)

    with open_session(claude, product.place, script, IN_PLAN_MODE) as session:
        session.say("Plan how uploads are to be stored.")

    told = block_in(session)
    assert "[judged]" in told
    assert told.count(BESIDE) == 1
    assert DECISION not in told
    query = "SELECT outcome FROM judgment_log WHERE surface = 'plan-conflict'"
    assert eventually(lambda: len(table(product, query)), 1, WITHIN_S) == 1
    outcome = json.loads(table(product, query)[0][0])
    assert outcome["named"] is True
    ((known,),) = table(product, f"SELECT id FROM memory WHERE content = '{BESIDE}'")
    assert outcome["against"] == [known]
    assert "plan-conflict" in product.run("judge", "log")


def block_in(session: Session) -> str:
    """Return what the session's last request tells of its plan."""
    text = next(text for text in session.lane("main")[-1].texts if CHECK in text)
    return text.partition(CHECK)[2].partition("</hitherto-plan-check>")[0]
