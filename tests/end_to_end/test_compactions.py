"""Compactions of the real client: what was settled comes back once, with what is owed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from realclient_model import ToolCall, Turn, play
from realclient_product import Product, eventually
from realclient_session import Options, Place, open_session
from tests.system_one_stub import HANGING, SystemOneStub
from tests.wiring import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from realclient_session import Session

pytestmark = pytest.mark.realclient

OPTIONS = Options(attended=True, allow=("Bash", "Edit", "Read", "Write"))
GOAL = "Mend the importer of the parish registers, it stops at the first card."
DECISION = "The registers stay in SQLite, never in a second database."
NEXT = "Please go on with the cards of 1891, from the third box onwards."
FINDING = "The scanner crops each card at its left edge, because the drum is worn."
ASKS = (
    "The import failed because Excel writes a byte order mark, which csv reads as a part of the "
    "first name. I read the file as utf-8-sig now. Shall I mend the older importer as well?"
)
FAILS = "sh test.sh"
DIGEST = "<hitherto-digest>"
WITHIN_S = 20.0
MOST_ASKED = 8


@pytest.fixture
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Return an installation with its server running, beside a project whose test fails."""
    product = Product(Place(tmp_path_factory.mktemp("compact")).create())
    (product.place.project / "test.sh").write_text("cat state.txt\ngrep -q mended state.txt\n")
    (product.place.project / "state.txt").write_text("KeyError: 'id'\n")
    try:
        product.start()
        product.run("install", "claude-code")
        yield product
    finally:
        product.end()


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(judged) as serving:
        yield serving


def judged(state: Any, key: str, _question: dict[str, Any]) -> Any:
    """Keep the decision alone; what else is asked is answered by a hash."""
    if "messages" not in state:
        return None
    return "decision" if state["messages"][key]["text"] == DECISION else "none"


def mends(product: Product) -> tuple[Turn, ...]:
    """Return the turns in which a test fails, its file is changed, it passes, and a question."""
    file = str(product.place.project / "state.txt")
    edit = {"file_path": file, "old_string": "KeyError: 'id'", "new_string": "mended"}
    return (
        Turn("I run it.", (ToolCall("Bash", {"command": FAILS}),)),
        Turn("I look.", (ToolCall("Read", {"file_path": file}),)),
        Turn("I change it.", (ToolCall("Edit", edit),)),
        Turn("I run it again.", (ToolCall("Bash", {"command": FAILS}),)),
        Turn(ASKS),
    )


def table(product: Product, query: str) -> list[tuple[Any, ...]]:
    return rows(product.home / "memory.db", query)


def digests(product: Product) -> list[tuple[Any, ...]]:
    query = "SELECT done_by, chosen_by, given_at_ms IS NOT NULL FROM digest ORDER BY id"
    return table(product, query)


def candidates(product: Product) -> list[tuple[Any, ...]]:
    return table(product, "SELECT tier, content FROM memory WHERE source = 'compaction'")


def given_back(session: Session) -> list[int]:
    """How many digests each request of the session carries."""
    return [request.count(DIGEST) for request in session.lane("main")]


def block_in(session: Session) -> str:
    """Return the digest that the session's last request carries."""
    text = next(text for text in session.lane("main")[-1].texts if DIGEST in text)
    return text.partition(DIGEST)[2].partition("</hitherto-digest>")[0]


def compacted(claude: Path, product: Product) -> Session:
    """Lead a session with an aim, a decision, a fix and a finding through a compaction."""
    script = play(Turn(FINDING), *mends(product))
    with open_session(claude, product.place, script, OPTIONS) as session:
        for prompt in (GOAL, DECISION, "/compact", NEXT, f"Again: {NEXT}"):
            session.say(prompt)
    assert {run.stderr for run in session.hook_runs} == {""}
    return session


def test_after_a_compaction_the_session_is_told_once_what_was_settled_and_what_it_owes(
    claude: Path, product: Product
) -> None:
    session = compacted(claude, product)

    counts = given_back(session)
    first = counts.index(1)
    assert counts[:first] == [0] * 6
    assert set(counts[first:]) == {1}, "it stays in the context, and comes no second time"
    told = block_in(session)
    assert "[rule]" in told
    for said in (GOAL, DECISION, FINDING):
        assert told.count(said) == 1
    assert f"`{FAILS}` failed" in told
    assert "state.txt" in told
    (summary,) = session.lane("compact")
    assert "itherto" not in summary.texts[-1], "nothing is added to the client's instructions"
    assert digests(product) == [("start", "rule", 1)]
    kept = eventually(lambda: len(candidates(product)), 1, WITHIN_S)
    assert kept == 1
    assert candidates(product)[0][0] == "candidate"
    query = "SELECT subject FROM obligation WHERE kind = 'fix'"
    assert table(product, query) == [(FAILS,)]


def test_a_judge_chooses_what_comes_back(
    claude: Path, product: Product, stub: SystemOneStub
) -> None:
    product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    session = compacted(claude, product)

    told = block_in(session)
    assert "[judged]" in told
    assert told.count(DECISION) == 1
    assert told.count(GOAL) == 0
    (asked,) = [one for one in stub.asked if "messages" in one.state]
    said = [one["text"] for one in asked.state["messages"].values()]
    assert GOAL in said
    assert DECISION in said
    assert "hitherto" not in json.dumps(asked.state)
    query = "SELECT outcome FROM judgment_log WHERE surface = 'compact-digest'"
    logged = eventually(lambda: len(table(product, query)), 1, WITHIN_S)
    assert logged == 1
    assert json.loads(table(product, query)[0][0]) == {
        "kept": ["decision"],
        "came_in_time": True,
    }
    shown = product.run("judge", "log")
    assert "compact-digest" in shown
    assert digests(product) == [("start", "judge", 1)]


def test_a_judge_that_hangs_delays_no_compaction(
    claude: Path, product: Product, stub: SystemOneStub
) -> None:
    product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
    with open_session(claude, product.place, play(), OPTIONS) as session:
        session.say(GOAL)
        session.say(DECISION)
        stub.fault = HANGING
        session.say("/compact")
        stub.fault = None
        session.say(NEXT)

    assert given_back(session)[-1] == 1
    told = block_in(session)
    assert "[rule]" in told


def test_a_compaction_that_finds_too_little_changes_nothing(claude: Path, product: Product) -> None:
    with open_session(claude, product.place, play(), OPTIONS) as session:
        said = session.say("/compact")
        session.say(GOAL)
        session.say(DECISION)

    assert session.lane("compact") == (), said
    assert given_back(session) == [0, 0]
    assert [one for one in digests(product) if one[0] is not None] == []
    assert candidates(product) == []
    assert table(product, "SELECT generation FROM session") == [(1,)]


def test_settings_and_plugin_together_give_one_digest(claude: Path, product: Product) -> None:
    folder = product.place.root / "plugin"
    product.run("install", "claude-code", "--plugin", str(folder))
    options = Options(attended=True, allow=OPTIONS.allow, plugin=folder)
    with open_session(claude, product.place, play(), options) as session:
        for prompt in (GOAL, DECISION, "/compact", NEXT):
            session.say(prompt)

    assert given_back(session)[-1] == 1
    assert len(digests(product)) == 1
    assert eventually(lambda: len(candidates(product)), 1, WITHIN_S) == 1


def test_a_server_that_is_killed_between_both_hooks_loses_nothing(
    claude: Path, product: Product
) -> None:
    def script(request: Any) -> Turn:
        if request.lane == "compact":
            product.kill()
            product.start()
        return play()(request)

    with open_session(claude, product.place, script, OPTIONS) as session:
        for prompt in (GOAL, DECISION, "/compact"):
            session.say(prompt)
        asked = 0
        # a server that has just begun may be late: then the digest comes with a later prompt
        while asked < MOST_ASKED and not session.seen(DIGEST):
            asked += 1
            session.say(f"{NEXT} I ask that for the {asked}. time.")
        session.say(f"Again: {NEXT}")

    assert given_back(session)[-2:] == [1, 1]
    told = block_in(session)
    assert told.count(DECISION) == 1
    assert digests(product) == [("start", "rule", 1)]
    assert eventually(lambda: len(candidates(product)), 1, WITHIN_S) == 1
