"""What memory was worth to a session of the real client: its use, and the tokens that it took."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from realclient_model import ToolCall, Turn
from realclient_product import Product, eventually
from realclient_session import Options, Place, open_session
from tests.system_one_stub import SystemOneStub
from tests.wiring import git, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realclient_model import Json, ModelRequest, Script
    from realclient_session import Session

pytestmark = pytest.mark.realclient

RETRY, PUMP = "billing/retry.py", "plant/pump.py"
USED = (
    "charge_with_retry has to reuse one idempotency key for all attempts, "
    "because the gateway bills twice when the key changes between them."
)
IGNORED = (
    "The cooling pump of the plant is started by spin_up and rests for an hour afterwards, "
    "because its bearing runs hot."
)
ASKED_FIRST = (
    "Why does charge_with_retry reuse one idempotency key for all attempts at the gateway?"
)
ASKED_THEN = "How long does the cooling pump of the plant rest after spin_up, and why?"
EDIT, LOOK = "Now make the change.", "Now have a look."
MOST_ASKED = 4
DEADLINE_S = 20.0
ALLOWED = Options(attended=True, allow=("Bash", "Edit", "Read"))


@pytest.fixture
def product(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Iterator[Product]:
    """Return an installation whose server runs, beside a project of two files."""
    place = Place(tmp_path_factory.mktemp("e2e")).create()
    for name, function in ((RETRY, "charge_with_retry"), (PUMP, "spin_up")):
        file = place.project / name
        file.parent.mkdir()
        file.write_text(f"def {function}():\n    return 1\n")
    git(place.project, "init", "--quiet")
    product = Product(place)
    product.use_model(model_dir)
    product.run("install", "claude-code")
    try:
        product.start()
        yield product
    finally:
        product.end()


def answered(_state: Any, key: str, question: dict[str, Any]) -> Any:
    """Judge that what is found matters, and that nothing else is the case."""
    if key == "urgency":
        return "should"
    if question["type"] == "score":
        return [0.0, 0.0, 0.0, 0.0, 1.0]
    return 0.02 if question["type"] == "noul" else None


@pytest.fixture
def judge() -> Iterator[SystemOneStub]:
    with SystemOneStub(answered) as stub:
        yield stub


@pytest.mark.parametrize("is_judged", [False, True], ids=["by rules", "with a judge"])
def test_what_was_used_what_was_ignored_and_what_the_replies_took(
    claude: Path, product: Product, judge: SystemOneStub, *, is_judged: bool
) -> None:
    used, ignored = (learn(product, *one) for one in ((USED, RETRY), (IGNORED, PUMP)))
    product.settle()
    if is_judged:
        product.run("judge", "use", "custom", "--url", judge.url, "--model", judge.model)
    with open_session(claude, product.place, script_in(product.place), ALLOWED) as session:
        for question, memory, order in ((ASKED_FIRST, used, EDIT), (ASKED_THEN, ignored, LOOK)):
            ask(session, question, memory)
            session.say(order)
        replies = len(session.lane("main"))
    assert bool(judge.asked) == is_judged
    query = "SELECT outcome FROM memory_worth ORDER BY given_at_ms"
    found = eventually(
        lambda: rows(product.home / "memory.db", query), [("used",), ("ignored",)], DEADLINE_S
    )
    assert found == [("used",), ("ignored",)], "found out behind the session's end"
    answer = worth(product, session.id)["session"]
    assert {one["id"]: (one["outcome"], one["because"]) for one in answer["given"]} == {
        used: ("used", f"file {RETRY}"),
        ignored: ("ignored", "nothing that it names was touched"),
    }
    assert answer["recalls"]["useful"] == answer["recalls"]["ignored"] == 1
    assert answer["recalls"]["injected_tokens"] > 0
    tokens = answer["tokens"]
    assert tokens["replies"] == replies
    assert (tokens["input"], tokens["output"]) == (1000 * replies, 50 * replies)
    assert rates(product)["standing:current"] == (1, 0)
    product.run("wrong", ignored, "--session", session.id)
    answer = worth(product, session.id)
    assert answer["session"]["recalls"]["false"] == answer["recalls"]["false"] == 1
    assert rates(product)["standing:current"] == (1, 1)


def ask(session: Session, question: str, memory: str) -> None:
    """Ask until the memory is given: on a busy machine an answer may come too late."""
    for _ in range(MOST_ASKED):
        session.say(question)
        if session.seen(memory):
            return
    pytest.fail(f"{question} was given no memory")


def script_in(place: Place) -> Script:
    """Return the model's part: it does something where it is told to, and else says a word."""
    path = str(place.project / RETRY)
    edit = {"file_path": path, "old_string": "return 1", "new_string": "return 2"}
    hello = {"command": "echo hello", "description": "Hello"}
    planned = {
        EDIT: [Turn("I read.", (ToolCall("Read", {"file_path": path}),)),
               Turn("I edit.", (ToolCall("Edit", edit),))],
        LOOK: [Turn("I look.", (ToolCall("Bash", hello),))],
    }  # fmt: skip

    def reply(request: ModelRequest) -> Turn:
        told = next(
            (turns for order, turns in planned.items() if turns and request.count(order)), []
        )
        return told.pop(0) if told else Turn("Done.")

    return reply


def learn(product: Product, content: str, file: str) -> str:
    """Store what an earlier session would have, and return its id."""
    lesson = {"content": content, "kind": "decision", "files": [file]}
    return str(product.post("/v1/remember", lesson)["id"])


def worth(product: Product, session_id: str) -> Json:
    answer: Json = json.loads(product.run("worth", session_id, "--json"))
    return answer


def rates(product: Product) -> dict[str, tuple[int, int]]:
    """Return how often each kind was right and wrong."""
    notices = json.loads(product.run("worth", "--json"))["notices"]
    told = product.run("worth")
    assert all(f"{one['right']} right, {one['heeded']} heeded, " in told for one in notices)
    return {one["kind"]: (one["right"], one["wrong"]) for one in notices}
