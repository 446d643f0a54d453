"""Earlier sessions of the real client: found when they are asked about, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from realclient_model import ModelRequest, ToolCall, Turn, play
from realclient_session import Options, Session, open_session
from tests.server_process import wait_until
from tests.system_one_stub import SystemOneStub
from tests.wiring import rows

if TYPE_CHECKING:
    from pathlib import Path

    from realclient_product import Product

pytestmark = pytest.mark.realclient

WORK = "Mend the tide table: it shows the gauge of Bremen instead of Cuxhaven."
DONE = "The tide table reads the gauge of Cuxhaven now; its winter hours are still to do."
ASKS = "What did we do last time?"
ASKS_UNHEARD = "Remind me how the Cuxhaven business stood before I closed the laptop."
DOES_NOT_ASK = "Please rename the variable of the tide table of Cuxhaven to level, everywhere."
FRAME = "<hitherto-sessions>"
RULE = "Always quote the heron ledger in feet, never in metres."
CANARY = "The `heron_ledger` of the lighthouse is counted in fathoms since Whitsun."
RECALL = "mcp__hitherto__recall"
LOGGED = "SELECT 1 FROM judgment_log WHERE riders LIKE '%session-lookup%'"
ALLOWED = Options(allow=("Write", RECALL, "mcp__hitherto__remember"))


def kept(product: Product, query: str) -> list[tuple[Any, ...]]:
    return rows(product.home / "memory.db", query)


def worked(claude: Path, product: Product) -> str:
    """Lead a session that does some work, until it can be found; return its id."""
    given = {"file_path": str(product.place.project / "tide.py"), "content": "GAUGE = 'Cuxhaven'\n"}
    script = play(Turn("I write it.", (ToolCall("Write", given),)), Turn(DONE))
    with open_session(claude, product.place, script, ALLOWED) as session:
        session.say(WORK)
    wait_until(lambda: kept(product, "SELECT 1 FROM chunk WHERE text LIKE '%winter%'"), "mined")
    return session.id


def asked(claude: Path, product: Product, prompt: str, *calls: ToolCall) -> Session:
    script = play(*(Turn("I look.", (call,)) for call in calls))
    with open_session(claude, product.place, script, ALLOWED) as session:
        session.say(prompt)
    return session


def test_what_was_done_last_time_is_told_with_its_source(claude: Path, product: Product) -> None:
    first = worked(claude, product)
    session = asked(claude, product, ASKS, ToolCall(RECALL, {"query": ASKS}))
    told, after = session.lane("main")[:2]
    assert [told.count(text) for text in (FRAME, DONE, f"session {first}")] == [1, 1, 1]
    assert told.count("Edited tide.py") == 1
    assert after.count(DONE) == 2, "the tool finds it as well"
    assert after.count("check it") == 1
    said = product.run("recall", "--sessions", "winter hours of the tide table")
    assert [said.count(text) for text in (DONE, f"session {first}")] == [1, 1]
    assert said.endswith("\n0 memories and 1 earlier session found\n")
    second = asked(claude, product, DOES_NOT_ASK)
    assert second.seen(FRAME) == []
    assert kept(product, "SELECT count(*) FROM memory") == [(0,)], "a record is no memory"


def test_a_judge_hears_who_asks_in_other_words(claude: Path, product: Product) -> None:
    first = worked(claude, product)
    unheard = asked(claude, product, ASKS_UNHEARD)
    assert unheard.seen(FRAME) == []

    def judged(state: Any, key: str, _: dict[str, Any]) -> Any:
        is_asking = "closed the laptop" in str(state)
        return {"earlier_session": 0.95 if is_asking else 0.02}.get(key)

    with SystemOneStub(judged) as stub:
        product.run("judge", "use", "custom", "--url", stub.url, "--model", stub.model)
        heard = asked(claude, product, ASKS_UNHEARD)
        other = asked(claude, product, DOES_NOT_ASK)
        wait_until(lambda: kept(product, LOGGED), "the judgments are logged")
    assert heard.lane("main")[0].count(DONE) == 1
    assert heard.lane("main")[0].count(first) == 1
    assert other.seen(FRAME) == []


def test_nothing_that_was_given_is_ever_mined_back(claude: Path, product: Product) -> None:
    product.post("/v1/remember", {"content": RULE, "kind": "preference", "importance": 9})
    calls = {
        1: ToolCall(RECALL, {"query": "heron_ledger lighthouse fathoms"}),
        2: ToolCall(RECALL, {"query": "quote the heron ledger in feet"}),
        4: ToolCall("mcp__hitherto__remember", {"content": f"{CANARY} So it was noted."}),
    }

    def repeats(request: ModelRequest) -> Turn:
        """Say again what was given by now: a hook of a busy machine may have come too late."""
        told = " And: ".join(text for text in (RULE, CANARY) if request.count(text))
        if request.lane == "compact":
            return Turn(f"<summary>\nIt was told: {told}\n</summary>")
        call = calls.get(request.index)
        return Turn(f"I was told: {told} So far the memory.", (call,) if call else ())

    with open_session(claude, product.place, repeats, ALLOWED) as session:
        product.post("/v1/remember", {"content": CANARY, "kind": "fact"})
        session.say("How is the heron_ledger of the lighthouse counted since Whitsun?")
        session.say("Look it up once more, please, in what you know of the lighthouse.")
        session.say("/compact")
        session.say("Then write down how the heron_ledger of the lighthouse is counted.")
    last = session.lane("main")[-1]
    assert min(last.count(RULE), last.count(CANARY)) >= 1, "it was given and said again"
    before = kept(product, "SELECT count(*) FROM memory")
    over = "SELECT 1 FROM transcript WHERE found_offset > 0 AND found_offset >= read_offset"
    wait_until(lambda: kept(product, over), "the session was mined to its end")
    assert kept(product, "SELECT count(*) FROM chunk")[0][0] >= 2
    product.run("import-history", "--yes")
    assert kept(product, "SELECT count(*) FROM memory") == before
    for query in (
        "SELECT text || files FROM chunk",
        "SELECT sentence FROM support",
        "SELECT content FROM memory WHERE source IN ('transcript', 'compaction', 'import')",
        "SELECT prompt FROM turn",
        "SELECT items FROM digest",
    ):
        said = [text for (text,) in kept(product, query) if "fathoms" in text or "metres" in text]
        assert said == [], query
