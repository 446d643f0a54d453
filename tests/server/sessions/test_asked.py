"""How much a prompt is given, what it is told beside that, and what is kept of it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import HANGING, SystemOneStub, use_stub
from tests.wiring import rows

from hitherto_server.recall.why import explain_last
from hitherto_server.sessions.prompt import reader as prompt_reader
from hitherto_server.sessions.prompt.reader import PromptReader

from .conftest import context_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Client

PROMPT = "How long does `deploy_lock` keep other deploys away?"
FACTS = (
    "`deploy_lock` lives in the bucket of the release team, beside the manifests.",
    "Only the night shift may remove `deploy_lock` by hand, after a call.",
    "A failed deploy keeps `deploy_lock` for forty seconds.",
    "In staging `deploy_lock` is written by the canary job, elsewhere by the pipeline.",
    "The dashboard reads `deploy_lock` through a proxy that caches for a minute.",
    "Two regions share one `deploy_lock`, which is why Oslo waits for Milan.",
)
PREFERENCE = "From now on answer me in short sentences."


@dataclass
class Judge:
    """What the stub says, as a test sets it."""

    urgency: Any = "should"
    says: dict[str, float] = field(default_factory=dict)
    relevance: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 0.0, 1.0])

    def __call__(self, state: Any, key: str, question: dict[str, Any]) -> Any:
        if key == "urgency":
            return self.urgency
        if question["type"] == "score":
            return self.relevance
        return self.says.get(key, 0.02) if question["type"] == "noul" else None


@pytest.fixture
def judge() -> Judge:
    return Judge()


@pytest.fixture
def stub(judge: Judge) -> Iterator[SystemOneStub]:
    with SystemOneStub(judge) as serving:
        yield serving


@pytest.fixture(autouse=True)
async def loaded(client: Client) -> None:
    """Have what reads prompts loaded: no test is about how long a busy machine takes for it."""
    assert await client.services.sessions.tools.reader.is_loaded(60)


@pytest.fixture
async def judged(client: Client, stub: SystemOneStub) -> Client:
    """A client whose prompts are judged, in a project that knows a few things."""
    for one in FACTS:
        await client.knows(one)
    await use_stub(client.services.judge, stub)
    stub.requests.clear()
    return client


def asked(stub: SystemOneStub) -> list[set[str]]:
    """Return what was asked, request by request."""
    return [{key for key in one.questions if not key.startswith("c")} for one in stub.asked]


def given(context: str) -> int:
    return sum(one in context for one in FACTS)


async def log(client: Client) -> list[tuple[str, list[str], dict[str, Any]]]:
    """Return surface, riders and outcome of every judgment that was asked on a prompt."""
    await client.services.judge.flush()
    query = "SELECT surface, riders, outcome FROM judgment_log WHERE origin = 'hook' ORDER BY id"
    found = rows(client.services.home.database, query)
    return [(one[0], json.loads(one[1]), json.loads(one[2] or "{}")) for one in found]


async def kept(client: Client) -> None:
    """Wait until what comes after replies is done."""
    await client.services.sessions.tools.preferences.close()
    await client.services.sessions.tools.prompts.close()


def set_to(client: Client, **values: Any) -> None:
    """Change settings, as another start of the server would."""
    desk = client.services.sessions
    settings = replace(desk.tools.settings, **values)
    desk.tools.preferences.settings = settings
    desk.tools = replace(desk.tools, settings=settings)


def stored(client: Client) -> list[tuple[Any, ...]]:
    query = (
        "SELECT content, kind, tier, source, project_id IS NULL FROM memory"
        " WHERE actor = 'hook' ORDER BY number"
    )
    return rows(client.services.home.database, query)


async def edits(client: Client, prompt_id: str, *names: str, stops: bool = True) -> None:
    for name in names:
        path = str(client.project / name)
        await client.says(
            "PostToolUse",
            tool_name="Edit",
            tool_use_id=f"t-{prompt_id}-{name}",
            prompt_id=prompt_id,
            tool_input={"file_path": path, "old_string": "a", "new_string": "b"},
            tool_response={"filePath": path},
        )
    if stops:
        await client.says("Stop", prompt_id=prompt_id, last_assistant_message="Done.")


@pytest.mark.parametrize(("urgency", "memories"), [("must", 5), ("should", 3), ("consider", 2)])
async def test_a_judged_urgency_sizes_what_is_given(
    judged: Client, judge: Judge, urgency: str, memories: int
) -> None:
    judge.urgency = urgency
    assert given(await judged.prompts(PROMPT)) == memories
    (lead, riders, outcome), _ = sorted(await log(judged), key=lambda one: one[0] == "rerank")
    assert (lead, riders) == ("prompt-urgency", ["session-lookup", "user-learning"])
    assert (outcome["tier"], outcome["by"], outcome["given"]) == (urgency, "judged", memories)


async def test_recall_and_urgency_are_asked_in_two_requests_at_once(
    judged: Client, stub: SystemOneStub
) -> None:
    stub.delay_s = 0.4
    began = asyncio.get_running_loop().time()
    assert await judged.prompts(PROMPT)
    assert asyncio.get_running_loop().time() - began < 1.8 * stub.delay_s
    assert sorted(map(len, asked(stub))) == [0, 3]


async def test_a_confident_skip_withholds_what_the_next_prompt_is_given(
    judged: Client, judge: Judge
) -> None:
    judge.urgency = "skip"
    assert await judged.says("UserPromptSubmit", prompt=PROMPT) is None
    assert judged.injected() == []
    why = await judged.services.store.readers.run(lambda c: explain_last(c, "s"))
    assert {one["outcome"] for one in why.candidates} == {"abstained"}
    assert {one["reason"] for one in why.candidates} == {"judged to need none (0.95)"}
    outcomes = {name: outcome for name, _, outcome in await log(judged)}
    assert outcomes["prompt-urgency"]["withheld"]
    judge.urgency = "should"
    assert given(await judged.prompts(f"{PROMPT} And why?")) == 3


async def test_a_skip_that_is_not_sure_gives_what_may_help(judged: Client, judge: Judge) -> None:
    judge.urgency = {"must": 0.1, "should": 0.2, "consider": 0.2, "skip": 0.4, "unclear": 0.1}
    assert given(await judged.prompts(PROMPT)) == 2


@pytest.mark.parametrize("urgency", ["unclear", "should"])
async def test_who_cannot_tell_leaves_the_size_as_it_is_set(
    judged: Client, judge: Judge, urgency: str
) -> None:
    judge.urgency = urgency
    assert given(await judged.prompts(PROMPT)) == 3


async def test_a_judge_that_hangs_leaves_what_is_set(judged: Client, stub: SystemOneStub) -> None:
    stub.fault = HANGING
    told = await judged.prompts("Does a failed deploy keep `deploy_lock` for forty seconds?")
    assert "forty seconds" in told, "by the measured floor"


@pytest.mark.parametrize("prompt", ["ok", "/compact", "do it again"])
async def test_a_prompt_that_is_silent_by_rule_asks_nobody(
    judged: Client, stub: SystemOneStub, prompt: str
) -> None:
    assert await judged.prompts(prompt) == ""
    assert stub.asked == []


async def test_without_a_judge_no_prompt_is_told_anything_fixed(client: Client) -> None:
    for one in FACTS:
        await client.knows(one)
    replies = [await client.prompts(f"What is `thing_{n}` about, and where?") for n in range(4)]
    assert replies == [""] * 4


async def test_turning_to_another_task_tells_once_what_is_not_stored(client: Client) -> None:
    await client.prompts("Please mend the parser of the menu", prompt_id="p1")
    await kept(client)
    await edits(client, "p1", "menu.py", "parser.py")
    told = await client.prompts("New task: draw the logo anew in blue", prompt_id="p2")
    assert told.startswith("<hitherto-nudge>[rule] Nothing is stored of the work")
    assert '"Please mend the parser of the menu"' in told
    assert "2 edits: parser.py, menu.py" in told
    assert str(client.project) not in told
    for number in range(3, 9):
        assert await client.prompts(f"Something else: icon {number}", prompt_id=f"p{number}") == ""


async def test_what_is_stored_is_not_asked_for(client: Client) -> None:
    await client.prompts("Please mend the parser of the menu", prompt_id="p1")
    await edits(client, "p1", "menu.py")
    await client.knows("The menu's parser reads every line twice.", session_id="s")
    assert await client.prompts("New task: draw the logo anew", prompt_id="p2") == ""


async def test_work_that_was_broken_off_is_corrected_and_not_stored(client: Client) -> None:
    await client.prompts("Please mend the parser of the menu", prompt_id="p1")
    await edits(client, "p1", "menu.py", stops=False)
    assert await client.prompts("Something else: use the old parser", prompt_id="p2") == ""


async def test_a_judge_says_whether_another_task_begins(judged: Client, judge: Judge) -> None:
    await judged.prompts("Please mend the parser of the menu", prompt_id="p1")
    await edits(judged, "p1", "menu.py", stops=False)
    judge.says = {"another_task": 0.59}
    assert await judged.prompts("The logo should be drawn anew in blue", prompt_id="p2") == ""
    judge.says = {"another_task": 0.6}
    told = await judged.prompts("The map should be drawn anew in green", prompt_id="p3")
    assert "[judged] Nothing is stored of the work" in told
    assert [riders for _, riders, _ in await log(judged)][-1][0] == "task-boundary"


async def test_nudges_are_few_and_apart(judged: Client, judge: Judge) -> None:
    judge.says = {"earlier_session": 0.9, "lasting_preference": 0.9}
    judge.relevance = [1.0, 0.0, 0.0, 0.0, 0.0]
    told = []
    for number in range(12):
        prompt = f"What of thing {number} was mended in May? It was blue. It was new."
        told.append(await judged.prompts(prompt, prompt_id=f"p{number}"))
    assert [one.count("<hitherto-nudge>") for one in told] == [1, 0, 0, 1] + [0] * 8
    assert "[judged] This asks about an earlier session" in told[0]
    assert "[judged] This shows how the person wants work done" in told[3]


async def test_no_nudge_is_given_where_none_are_wanted(judged: Client, judge: Judge) -> None:
    set_to(judged, nudges=0)
    judge.says = {"earlier_session": 0.9}
    assert "nudge" not in await judged.prompts(PROMPT)
    assert ("prompt-urgency", ["user-learning"]) in [one[:2] for one in await log(judged)]


async def test_a_late_nudge_is_taken_back(client: Client) -> None:
    await client.prompts("Please mend the parser of the menu", prompt_id="p1")
    await edits(client, "p1", "menu.py")
    client.clock.pass_ms(20_000)
    call = client.call("UserPromptSubmit", prompt="New task: draw the logo", prompt_id="p2")
    late = type(call)(**{**vars(call), "deadline_ms": 300, "at_ms": call.at_ms - 290})
    assert await client.services.sessions.take(late) is None
    assert rows(client.services.home.database, "SELECT kind FROM shown_notice") == []
    assert "[rule]" in await client.prompts("New task: draw the logo, please", prompt_id="p3")


async def test_a_judged_preference_is_a_user_wide_memory(judged: Client, judge: Judge) -> None:
    judge.says = {"lasting_preference": 0.7}
    await judged.prompts("When you show me shell commands, write them for fish.")
    await kept(judged)
    said = "When you show me shell commands, write them for fish."
    assert stored(judged) == [(said, "preference", "admitted", "user-told", 1)]


async def test_until_a_preference_is_stored_it_is_asked_about(
    judged: Client, judge: Judge, stub: SystemOneStub
) -> None:
    await judged.prompts("Which colours does the map of the harbour have?")
    judge.says = {"lasting_preference": 0.9}
    await judged.prompts("When you show me shell commands, write them for fish.")
    await kept(judged)
    await judged.prompts("Which colours does the map of the station have?")
    questions = [one for one in asked(stub) if "urgency" in one]
    assert ["lasting_preference" in one for one in questions] == [True, True, False]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (PREFERENCE, ("From now on answer me in short sentences.", "preference", "admitted", 1)),
        (
            "Remember that our staging database runs on port 5433",
            ("Our staging database runs on port 5433", "fact", "admitted", 0),
        ),
        (
            "Always use two spaces, never tabs, when you write code for me",
            (
                "Always use two spaces, never tabs, when you write code for me",
                "preference",
                "candidate",
                1,
            ),
        ),
    ],
)
async def test_without_a_judge_what_was_asked_for_is_a_memory_and_the_rest_a_candidate(
    client: Client, prompt: str, expected: tuple[Any, ...]
) -> None:
    await client.prompts(prompt)
    await kept(client)
    content, kind, tier, user_wide = expected
    assert stored(client) == [(content, kind, tier, "user-told", user_wide)]


async def test_what_a_judge_denies_is_kept_only_if_it_was_asked_for(
    judged: Client, judge: Judge
) -> None:
    judge.says = {"lasting_preference": 0.1}
    await judged.prompts("Always use two spaces, never tabs, when you write code for me")
    await judged.prompts(PREFERENCE)
    await kept(judged)
    assert [one[0] for one in stored(judged)] == [PREFERENCE]


async def test_a_person_is_told_once_and_alone_what_was_kept(client: Client) -> None:
    await client.prompts(PREFERENCE, prompt_id="p")
    await kept(client)
    stop = await client.says("Stop", prompt_id="p", last_assistant_message="I will.")
    ((memory,),) = rows(client.services.home.database, "SELECT id FROM memory WHERE actor = 'hook'")
    line = f"Hitherto: remembered in every project: “{PREFERENCE}”"
    assert stop == {"systemMessage": f"{line} (`hitherto forget {memory}` takes it back)"}
    assert await client.says("Stop", prompt_id="p", last_assistant_message="Done.") is None
    await client.prompts(f"{PREFERENCE} Again.", prompt_id="q")
    await kept(client)
    again = await client.says("Stop", prompt_id="q", last_assistant_message="I will.")
    assert again is None or "remembered" not in str(again), "it was known"


async def test_what_waits_as_a_candidate_is_not_said_to_be_kept(client: Client) -> None:
    await client.prompts("I prefer tabs over spaces.", prompt_id="p")
    await kept(client)
    assert [tier for _, _, tier, *_ in stored(client)] == ["candidate"]
    assert await client.says("Stop", prompt_id="p", last_assistant_message="Noted.") is None


async def test_after_an_interrupt_the_next_prompt_tells_what_was_kept(client: Client) -> None:
    await client.prompts(PREFERENCE, prompt_id="p")
    await kept(client)
    reply = await client.says("UserPromptSubmit", prompt="What is a lockfile?", prompt_id="q")
    assert reply is not None
    assert PREFERENCE in reply["systemMessage"]
    assert "remembered" not in context_of(reply)


async def test_a_preference_with_a_secret_is_not_kept(client: Client) -> None:
    token = "".join(("gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"))
    await client.prompts(f"From now on use my token {token} when you push for me.")
    await kept(client)
    assert stored(client) == []


async def test_the_same_preference_is_stored_once(client: Client) -> None:
    await client.prompts(PREFERENCE)
    await client.prompts(f"{PREFERENCE} Thanks a lot for your work.")
    await kept(client)
    assert len(stored(client)) == 1


async def test_a_preference_said_while_no_server_answered_is_kept_later(client: Client) -> None:
    spool = client.services.sessions.spool
    spool.events.write_bytes(
        client.spool("UserPromptSubmit", prompt=PREFERENCE, cwd=str(client.project))
    )
    await client.services.sessions.drain()
    await kept(client)
    assert [one[0] for one in stored(client)] == [PREFERENCE]


@pytest.mark.parametrize("setting", ["preferences", "kept_prompt_chars"])
async def test_nothing_is_kept_where_that_is_not_wanted(client: Client, setting: str) -> None:
    set_to(client, **{setting: 0})
    await client.prompts(PREFERENCE)
    await kept(client)
    assert stored(client) == []


async def test_a_start_loads_what_reads_prompts(client: Client) -> None:
    desk = client.services.sessions
    desk.tools = replace(desk.tools, reader=PromptReader())
    await client.starts("startup")
    assert desk.tools.reader.is_loading


async def test_a_prompt_does_not_wait_long_for_what_reads_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in FACTS:
        await client.knows(one)
    desk, holds = client.services.sessions, threading.Event()
    desk.tools = replace(desk.tools, reader=PromptReader())
    monkeypatch.setattr(prompt_reader, "_load", lambda: holds.wait(30))
    prompt = "Does a failed deploy keep `deploy_lock` for forty seconds?"
    call = replace(client.call("UserPromptSubmit", prompt=prompt), deadline_ms=300)
    try:
        began = time.monotonic()
        assert "forty seconds" in context_of(await client.services.sessions.take(call))
        assert time.monotonic() - began < 10
    finally:
        holds.set()
