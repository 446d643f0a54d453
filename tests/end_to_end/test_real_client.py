"""What a person sees: memory through the real client, its hooks and its MCP tools."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeAlias

import pytest
from realclient_garbage import GARBAGE_WORD, REPLIES
from realclient_model import ModelRequest, ToolCall, Turn, play
from realclient_product import Product, eventually
from realclient_session import QUIET, Options, Place, Session, open_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realclient_garbage import Garbage

pytestmark = pytest.mark.realclient

RETRY_FILE = "billing/retry.py"
RETRY_FUNCTION = '''def charge_with_retry(order, gateway, key):
    """Charge an order, at most three times."""
    for _ in range(3):
        if gateway.charge(order.total, key):
            return True
    return False
'''
RETRY_CODE = f'''"""Payments that are tried again."""


{RETRY_FUNCTION}

def sum_of(orders):
    """Add up what the orders cost."""
    return sum(order.total for order in orders)
'''
LESSON = (
    "charge_with_retry has to reuse one idempotency key for all attempts, "
    "because the gateway bills twice when the key changes between them."
)
QUESTION = "Why does charge_with_retry reuse one idempotency key for all attempts at the gateway?"
GREETING = "Good morning to you; please wait a moment for what I want to ask."
OTHER_QUESTION = "Please write down which opening hours the office in Lisbon has."
PLAN = "# Plan\n\n1. Read the gateway's manual.\n2. Give charge_with_retry a time limit.\n"
ATTENDED = Options(attended=True, allow=("Bash", "Edit", "Read", "Write", "mcp__hitherto"))
DEADLINES_MS = {"UserPromptSubmit": 300.0, "Stop": 1500.0}
OTHER_DEADLINE_MS = 200.0
# the client's own share, and a machine that does other things as well
MARGIN_MS = 1000.0
SPOOL_DEADLINE_S = 15.0
MOST_ASKED = 4

STANDING = re.compile(r"\b(?:current|changed|stale|superseded|conflicting|unverified)\b")
ONE_END = Counter({"SessionEnd": 1})

Outage: TypeAlias = Callable[[Product], AbstractContextManager[None]]


def garbling(garbage: Garbage) -> Outage:
    return lambda product: product.garbling(garbage)


OUTAGES = [
    pytest.param(Product.killed, id="the server is killed"),
    pytest.param(Product.hanging, id="the server hangs"),
    *(pytest.param(garbling(garbage), id=garbage) for garbage in REPLIES),
]


@pytest.fixture
def product(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Iterator[Product]:
    """Return an installation with its server running, beside a project with one file."""
    place = Place(tmp_path_factory.mktemp("e2e")).create()
    start_project(place)
    product = Product(place)
    product.use_model(model_dir)
    product.run("install", "claude-code")
    try:
        product.start()
        yield product
    finally:
        product.end()


def start_project(place: Place) -> None:
    file = place.project / RETRY_FILE
    file.parent.mkdir()
    file.write_text(RETRY_CODE)
    me = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*me, "commit", "-q", "-m", "Start"]):
        subprocess.run(["git", *arguments], cwd=place.project, env=place.environ, check=True)


def plugin_of(product: Product) -> Path:
    """Write the plugin folder that a person would load, and return it."""
    folder = product.place.root / "plugin"
    product.run("install", "claude-code", "--plugin", str(folder))
    return folder


def change_code(place: Place, old: str, new: str) -> None:
    file = place.project / RETRY_FILE
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def learn(product: Product) -> str:
    """Store the lesson as an earlier session would have, and return its id."""
    lesson = {"content": LESSON, "kind": "decision", "files": [RETRY_FILE]}
    memory_id = str(product.post("/v1/remember", lesson)["id"])
    product.settle()
    return memory_id


def standing_shown(request: ModelRequest, memory_id: str) -> str | None:
    """Return the standing in the line that names the memory."""
    lines = (line for text in request.texts for line in text.splitlines() if memory_id in line)
    found = STANDING.search(next(lines, ""))
    return found[0] if found else None


def recorded(product: Product, session: Session) -> Counter[str]:
    return Counter(str(event["name"]) for event in product.events(session.id))


def told(session: Session, copies: int = 1) -> Counter[str]:
    """Count the events of hooks that the client told of, and the session's end."""
    runs = Counter(run.event for run in session.hook_runs)
    assert all(count % copies == 0 for count in runs.values()), runs
    return Counter({event: count // copies for event, count in runs.items()}) + ONE_END


def said_on_prompts(session: Session) -> list[str]:
    return [run.stdout for run in session.hook_runs if run.event == "UserPromptSubmit"]


def assert_hooks_were_quiet_and_in_time(session: Session) -> None:
    runs = session.hook_runs
    assert {(run.outcome, run.exit_code, run.stderr) for run in runs} == {("success", 0, "")}
    late = [
        run
        for run in runs
        if run.took_ms > DEADLINES_MS.get(run.event, OTHER_DEADLINE_MS) + MARGIN_MS
    ]
    assert late == []
    for trace in (GARBAGE_WORD, "hook success", "hook error"):
        assert session.seen(trace) == [], f"the model saw {trace!r}"


def test_what_one_session_learned_comes_back_in_the_next_one_as_current(
    claude: Path, product: Product
) -> None:
    file = str(product.place.project / RETRY_FILE)
    edit = {"file_path": file, "old_string": "at most three times", "new_string": "up to thrice"}
    lesson = {"content": LESSON, "kind": "decision", "files": [RETRY_FILE]}
    learning = play(
        Turn("I look.", (ToolCall("Read", {"file_path": file}),)),
        Turn("I edit.", (ToolCall("Edit", edit),)),
        Turn("I keep it.", (ToolCall("mcp__hitherto__remember", lesson),)),
    )
    with open_session(claude, product.place, learning, ATTENDED) as first:
        first.say("Word the docstring of charge_with_retry better.")
    (memory,) = product.post("/v1/memories", {"view": "recent"})["memories"]
    product.settle()
    with open_session(claude, product.place, play(), ATTENDED) as second:
        second.say(QUESTION)

    assert "mcp__hitherto__remember" in first.lane("main")[0].tool_names
    assert memory["content"] == LESSON
    assert first.seen(LESSON) == []
    assert second.lane("main")[0].count(LESSON) == 1
    assert standing_shown(second.lane("main")[0], memory["id"]) == "current"


@pytest.mark.parametrize(
    ("old", "new", "standing"),
    [
        pytest.param("Add up what", "Sum up what", "current", id="a line that it doesn't name"),
        pytest.param("charge_with_retry", "charge_again", "changed", id="its function renamed"),
        pytest.param(RETRY_FUNCTION, "", "stale", id="its function removed"),
    ],
)
def test_standing_follows_what_the_memory_names(
    claude: Path, product: Product, old: str, new: str, standing: str
) -> None:
    memory_id = learn(product)
    change_code(product.place, old, new)
    with open_session(claude, product.place, play(), ATTENDED) as session:
        session.say(QUESTION)

    assert session.lane("main")[0].count(LESSON) == 1
    assert standing_shown(session.lane("main")[0], memory_id) == standing


def test_an_edit_of_what_a_memory_names_is_told_once_by_the_hook_after_it(
    claude: Path, product: Product
) -> None:
    memory_id = learn(product)
    file = str(product.place.project / RETRY_FILE)
    edit = {"file_path": file, "old_string": "range(3)", "new_string": "range(5)"}
    again = {"file_path": file, "old_string": "range(5)", "new_string": "range(6)"}
    script = play(
        Turn(),
        Turn("I look.", (ToolCall("Read", {"file_path": file}),)),
        Turn("I edit.", (ToolCall("Edit", edit),)),
        Turn("I edit again.", (ToolCall("Edit", again),)),
    )
    with open_session(claude, product.place, script, ATTENDED) as session:
        session.say(QUESTION)
        session.say("Let charge_with_retry try five times.")

    news = "charge_with_retry differs in billing/retry.py"
    assert [request.count(news) for request in session.lane("main")] == [0, 0, 0, 1, 1]
    assert standing_shown(session.lane("main")[0], memory_id) == "current"
    assert_hooks_were_quiet_and_in_time(session)


def test_the_same_evidence_comes_once_and_again_after_a_compaction(
    claude: Path, product: Product
) -> None:
    learn(product)
    with open_session(claude, product.place, play(), ATTENDED) as session:
        for prompt in (QUESTION, f"Once more: {QUESTION}", "/compact", QUESTION):
            session.say(prompt)

    assert [request.count(LESSON) for request in session.lane("main")] == [1, 1, 1]
    # the client doesn't tell of these two, and what is kept of the compaction names its support
    wanted = told(session) + Counter({"PreCompact": 1, "PostCompact": 1, "History": 1})
    assert eventually(lambda: recorded(product, session), wanted, SPOOL_DEADLINE_S) == wanted


def test_a_prompt_about_something_else_gets_no_memory(claude: Path, product: Product) -> None:
    with open_session(claude, product.place, play(), ATTENDED) as session:
        session.say(GREETING)
        learn(product)  # now, so that no brief has given it already
        session.say(OTHER_QUESTION)

    assert said_on_prompts(session) == ["", ""]
    assert session.seen(LESSON) == []


@pytest.mark.parametrize("outage", OUTAGES)
def test_an_outage_costs_no_more_than_deadlines_and_loses_no_event(
    claude: Path, product: Product, outage: Outage
) -> None:
    learn(product)
    note = {"file_path": str(product.place.project / "hours.txt"), "content": "9 to 5"}
    script = play(Turn(), Turn("I write.", (ToolCall("Write", note),)))
    with open_session(claude, product.place, script, ATTENDED) as session:
        session.say(QUESTION)
        with outage(product):
            assert session.say(OTHER_QUESTION) == "Done."
            waiting_bytes = product.spooled_bytes()
        session.say(f"Once more: {QUESTION}")

    assert_hooks_were_quiet_and_in_time(session)
    assert [request.count(LESSON) for request in session.lane("main")] == [1, 1, 1, 1]
    assert waiting_bytes > 0
    assert eventually(product.spooled_bytes, 0, SPOOL_DEADLINE_S) == 0
    wanted = told(session)
    assert wanted["UserPromptSubmit"] == 3
    assert eventually(lambda: recorded(product, session), wanted, SPOOL_DEADLINE_S) == wanted


def test_an_answer_that_came_too_late_does_not_count_as_given(
    claude: Path, product: Product
) -> None:
    with open_session(claude, product.place, play(), ATTENDED) as session:
        session.say(GREETING)
        learn(product)  # now, so that no brief has given it already
        with product.hanging():
            session.say(QUESTION)
        session.say(f"Once more: {QUESTION}")

    assert said_on_prompts(session)[:2] == ["", ""]
    assert [request.count(LESSON) for request in session.lane("main")] == [0, 0, 1]


def test_settings_and_plugin_together_do_everything_once(claude: Path, product: Product) -> None:
    learn(product)
    options = Options(attended=True, allow=ATTENDED.allow, plugin=plugin_of(product))
    note = {"file_path": str(product.place.project / "hours.txt"), "content": "9 to 5"}
    script = play(Turn("I write.", (ToolCall("Write", note),)))
    with open_session(claude, product.place, script, options) as session:
        session.say(QUESTION)
        session.say(OTHER_QUESTION)

    assert [request.count(LESSON) for request in session.lane("main")] == [1, 1, 1]
    assert_hooks_were_quiet_and_in_time(session)
    wanted = told(session, copies=2)
    assert wanted["PostToolUse"] == 1
    assert eventually(lambda: recorded(product, session), wanted, SPOOL_DEADLINE_S) == wanted


@pytest.mark.parametrize("with_plugin", [False, True])
def test_an_approved_plan_is_stored_once(
    claude: Path, product: Product, *, with_plugin: bool
) -> None:
    plugin = plugin_of(product) if with_plugin else None
    options = Options(attended=True, permission_mode="plan", plugin=plugin)
    with open_session(claude, product.place, plan_and_leave, options) as session:
        session.say("Plan a time limit for charge_with_retry.")

    stored = product.post("/v1/memories", {"view": "recent", "kind": "plan"})["memories"]
    assert [memory["source"] for memory in stored] == ["plan"]
    assert PLAN.strip() in stored[0]["content"]


def plan_and_leave(request: ModelRequest) -> Turn:
    """Write the plan to the file that the client names, then ask to leave plan mode."""
    match request.index:
        case 0:
            named = re.search(r"\S+/\.claude/plans/\S+\.md", "\n".join(request.texts))
            assert named, "the client names no plan file"
            return Turn("I write.", (ToolCall("Write", {"file_path": named[0], "content": PLAN}),))
        case 1:
            return Turn("The plan is ready.", (ToolCall("ExitPlanMode", {}),))
        case _:
            return Turn()


def test_edits_and_failed_commands_are_on_record(claude: Path, product: Product) -> None:
    note = {"file_path": str(product.place.project / "hours.txt"), "content": "9 to 5"}
    script = play(
        Turn("I write.", (ToolCall("Write", note),)),
        Turn("I run.", (ToolCall("Bash", {"command": "exit 3", "description": "Fail"}),)),
    )
    with open_session(claude, product.place, script, ATTENDED) as session:
        session.say(OTHER_QUESTION)

    wanted = told(session)
    assert eventually(lambda: recorded(product, session), wanted, SPOOL_DEADLINE_S) == wanted
    tools = {event["tool_name"]: event for event in product.events(session.id)}
    assert "hours.txt" in str(tools["Write"])
    assert tools["Bash"]["name"] == "PostToolUseFailure"


def test_the_client_accepts_the_plugin_folder(claude: Path, product: Product) -> None:
    ended = subprocess.run(
        [str(claude), "plugin", "validate", str(plugin_of(product))],
        cwd=product.place.project,
        env={**product.place.environ, **QUIET},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_paused_session_receives_nothing_and_leaves_nothing_behind(
    claude: Path, product: Product
) -> None:
    learn(product)
    product.run("pause", "--for", "1h")
    note = {"file_path": str(product.place.project / "hours.txt"), "content": "9 to 5"}
    script = play(Turn("I write.", (ToolCall("Write", note),)))
    with open_session(claude, product.place, script, ATTENDED) as session:
        session.say(QUESTION)
        with product.killed():
            session.say(OTHER_QUESTION)
            waiting_bytes = product.spooled_bytes()
        session.say(f"Once more: {QUESTION}")
        product.run("resume")
        product.settle()
        asked = 0
        while asked < MOST_ASKED and not session.seen(LESSON):  # a busy machine may miss a deadline
            asked += 1
            session.say(f"{QUESTION} I ask that for the {asked}. time.")

    counts = [request.count(LESSON) for request in session.lane("main")]
    assert (counts[:4], counts[-1]) == ([0, 0, 0, 0], 1)
    assert session.seen("is paused") == [], "the line is the person's, not the model's"
    told = [run.stdout for run in session.hook_runs if "is paused" in run.stdout]
    # one, and one more from the server that was started anew; a busy machine may lose one
    assert len(told) in {1, 2}
    assert waiting_bytes == 0
    # from the time after the pause; the turn's own end may be on record a moment later
    wanted = Counter({"UserPromptSubmit": asked, "Stop": asked, "SessionEnd": 1})
    assert eventually(lambda: recorded(product, session), wanted, SPOOL_DEADLINE_S) == wanted
