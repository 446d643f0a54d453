"""Prompts of the real client: as much as each needs, one line beside it, and what is to last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from realclient_model import ToolCall, Turn, play
from realclient_session import Options, Place, Session, open_session
from tests.server_process import wait_until
from tests.system_one_stub import SystemOneStub
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realclient_product import Product

pytestmark = pytest.mark.realclient

FACTS = (
    "`deploy_lock` lives in the bucket of the release team, beside the manifests.",
    "Only the night shift may remove `deploy_lock` by hand, after a call.",
    "A failed deploy keeps `deploy_lock` for forty seconds.",
    "In staging `deploy_lock` is written by the canary job, elsewhere by the pipeline.",
    "The dashboard reads `deploy_lock` through a proxy that caches for a minute.",
    "Two regions share one `deploy_lock`, which is why Oslo waits for Milan.",
)
GREETING = "Good morning to you; please wait a moment for what I want."
PROMPT = "How long does `deploy_lock` keep other deploys away?"
PREFERENCE = "From now on answer me in short sentences."
NEW_TASK = "New task: draw the logo of the harbour anew, in blue."
FRAME, NUDGE = "<hitherto-memories>", "<hitherto-nudge>"
ALLOWED = Options(allow=("Write", "Edit", "mcp__hitherto__remember"))


@dataclass
class Judge:
    """What the stub says, as a test sets it."""

    urgency: Any = "should"
    says: dict[str, float] = field(default_factory=dict)

    def __call__(self, state: Any, key: str, question: dict[str, Any]) -> Any:
        if key == "urgency":
            return self.urgency
        if question["type"] == "score":
            return [0.0, 0.0, 0.0, 0.0, 1.0]
        return self.says.get(key, 0.02) if question["type"] == "noul" else None


class Elsewhere(Place):
    """Another project of the same person."""

    @property
    def project(self) -> Path:
        return self.root / "elsewhere"


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def judged(product: Product, judge: Judge) -> Iterator[Product]:
    """Return the installation with the stub as its judge."""
    with SystemOneStub(judge) as stub:
        product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
        yield product


def kept(product: Product, query: str) -> list[tuple[Any, ...]]:
    return rows(product.home / "memory.db", query)


def learn(product: Product) -> None:
    """Let the project know some things, once a session's brief was given."""
    for content in FACTS:
        product.post("/v1/remember", {"content": content})


def given(session: Session, at: int) -> int:
    """Return how many of the facts a request to the model carries."""
    request = session.lane("main")[at]
    return sum(request.count(content) > 0 for content in FACTS)


def outcomes(product: Product) -> list[tuple[Any, ...]]:
    """Return what became of each judgment of a prompt's urgency, once all of it is logged."""
    query = (
        "SELECT json_extract(outcome, '$.tier'), json_extract(outcome, '$.given'),"
        " json_extract(outcome, '$.withheld'), json_extract(outcome, '$.nudge') FROM judgment_log"
        " WHERE surface = 'prompt-urgency' AND outcome IS NOT NULL ORDER BY id"
    )
    return kept(product, query)


@pytest.mark.parametrize(("urgency", "memories"), [("must", 5), ("should", 3), ("consider", 2)])
def test_a_judged_urgency_sizes_what_the_model_is_given(
    claude: Path, judged: Product, judge: Judge, urgency: str, memories: int
) -> None:
    with open_session(claude, judged.place, play()) as session:
        session.say(GREETING)
        learn(judged)
        judge.urgency = urgency
        session.say(PROMPT)
    assert given(session, 1) == memories
    wait_until(lambda: len(outcomes(judged)) == 2, "both prompts are logged")
    assert outcomes(judged)[1] == (urgency, memories, 0, None)


def test_without_a_judge_a_prompt_is_given_what_is_set_and_nothing_fixed(
    claude: Path, product: Product
) -> None:
    with open_session(claude, product.place, play()) as session:
        session.say(GREETING)
        learn(product)
        session.say("What of a failed deploy: is `deploy_lock` kept for forty seconds then?")
        session.say("Please draw the harbour's logo anew, in blue and white.")
    requests = session.lane("main")
    assert [one.count(FRAME) for one in requests] == [0, 1, 1]
    assert [one.count(NUDGE) for one in requests] == [0, 0, 0]
    assert 1 <= given(session, 1) <= 3
    assert kept(product, "SELECT count(*) FROM judgment_log") == [(0,)]


def test_a_confident_skip_withholds_what_a_later_prompt_is_given(
    claude: Path, judged: Product, judge: Judge
) -> None:
    with open_session(claude, judged.place, play()) as session:
        session.say(GREETING)
        learn(judged)
        judge.urgency = "skip"
        session.say(PROMPT)
        why = judged.run("why")
        judge.urgency = "should"
        session.say(f"{PROMPT} I really need to know.")
    assert [given(session, at) for at in range(3)] == [0, 0, 3]
    assert "judged to need none (0.95)" in why
    wait_until(lambda: len(outcomes(judged)) == 3, "the prompts are logged")
    assert outcomes(judged)[1:] == [("skip", 0, 1, None), ("should", 3, 0, None)]
    once = "SELECT count(*) FROM injection WHERE outcome = 'injected' GROUP BY memory_number"
    assert {row[0] for row in kept(judged, once)} == {1}


def wrote(product: Product) -> ToolCall:
    path = product.place.project / "parser.py"
    return ToolCall("Write", {"file_path": str(path), "content": "PARSES = True\n"})


def led_to_another_task(
    claude: Path, product: Product, *later: str, task: str = NEW_TASK
) -> Session:
    """Lead a session that edits a file and then turns to something else."""
    script = play(Turn("I write it.", (wrote(product),)), Turn("Written."))
    with open_session(claude, product.place, script, ALLOWED) as session:
        session.say("Please write the parser of the menu.")
        for prompt in (task, *later):
            session.say(prompt)
    return session


def test_turning_away_from_work_that_is_not_stored_is_told_once(
    claude: Path, product: Product
) -> None:
    later = "New task: paint the second logo in green."
    session = led_to_another_task(claude, product, later, later.replace("second", "third"))
    last = session.lane("main")[-1]
    assert last.count(NUDGE) == 1
    assert last.count("[rule] Nothing is stored of the work") == 1
    assert last.count("1 edit: parser.py") == 1
    assert kept(product, "SELECT kind FROM shown_notice WHERE kind LIKE 'nudge:%'") == [
        ("nudge:task-boundary",)
    ]


def test_a_judge_may_deny_that_another_task_begins(
    claude: Path, judged: Product, judge: Judge
) -> None:
    judge.says = {"another_task": 0.3}
    session = led_to_another_task(claude, judged)
    assert session.seen(NUDGE) == []
    wait_until(lambda: len(outcomes(judged)) == 2, "both prompts are logged")
    judge.says = {"another_task": 0.9}
    session = led_to_another_task(claude, judged, task="The harbour's map needs to be redrawn.")
    assert session.lane("main")[-1].count("[judged] Nothing is stored of the work") == 1
    riders = "SELECT riders FROM judgment_log WHERE riders LIKE '%task-boundary%'"
    wait_until(lambda: len(kept(judged, riders)) == 2, "the riders are logged")


def test_a_preference_is_known_in_another_project(claude: Path, product: Product) -> None:
    with open_session(claude, product.place, play()) as session:
        session.say(PREFERENCE)
    stored = "SELECT content, source, tier FROM memory WHERE project_id IS NULL"
    wait_until(lambda: kept(product, stored), "the preference is stored")
    assert kept(product, stored) == [(PREFERENCE, "user-told", "admitted")]
    elsewhere = Elsewhere(product.place.root)
    elsewhere.project.mkdir()
    with open_session(claude, elsewhere, play()) as other:
        other.say(GREETING)
    assert other.lane("main")[0].count(PREFERENCE) == 1
    assert session.lane("main")[0].count(PREFERENCE) == 1, "only the person said it there"


def test_a_judged_preference_is_kept_after_the_answer(
    claude: Path, judged: Product, judge: Judge
) -> None:
    said = "When you show me shell commands, write them for fish."
    judge.says = {"lasting_preference": 0.9}
    with open_session(claude, judged.place, play()) as session:
        session.say(said)
        stored = "SELECT content, tier FROM memory WHERE project_id IS NULL"
        wait_until(lambda: kept(judged, stored), "the preference is stored")
        session.say("Which colours does the map of the harbour have?")
    assert kept(judged, stored) == [(said, "admitted")]
    assert session.seen(NUDGE) == []
    riders = "SELECT riders FROM judgment_log WHERE surface = 'prompt-urgency' ORDER BY id"
    wait_until(lambda: len(kept(judged, riders)) == 2, "both prompts are logged")
    assert ["user-learning" in one for (one,) in kept(judged, riders)] == [True, False]


@pytest.mark.slow
def test_what_was_judged_stale_is_told_once(claude: Path, judged: Product, judge: Judge) -> None:
    judge.says = {"still_describes": 0.1}
    path = judged.place.project / "locks.py"
    path.write_text("def hold():\n    return 40\n\n\ndef other():\n    return 1\n")
    edit = {
        "file_path": str(path),
        "old_string": "def hold():\n    return 40",
        "new_string": "def hold():\n    return 50",
    }
    read = ToolCall("Read", {"file_path": str(path)})
    script = play(
        Turn("Good morning."),
        Turn("I read it.", (read,)),
        Turn("I change it.", (ToolCall("Edit", edit),)),
        Turn("Changed."),
    )
    with open_session(claude, judged.place, script) as session:
        session.say(GREETING)
        content = "`hold` in locks.py returns how long a deploy waits, which is 40."
        judged.post("/v1/remember", {"content": content, "files": ["locks.py"]})
        session.say("Change what hold in locks.py returns to 50, please.")
        stale = "SELECT 1 FROM verdict"
        wait_until(lambda: kept(judged, stale), "it was judged", 30)
        for number in range(3):
            session.say(f"Which colours does map {number} of the harbour have?")
    last = session.lane("main")[-1]
    assert last.count("its files have changed since") + last.count("judged to describe it") == 1
