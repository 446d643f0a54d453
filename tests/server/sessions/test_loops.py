"""A loop at its session's stops: it goes on one iteration at a time, waits, and ends."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import HANGING, SystemOneStub, use_stub
from tests.wiring import rows

from hitherto_contract import LoopRequest, LoopView
from hitherto_server.api.operations import perform, perform_named
from hitherto_server.benches.items import half_of
from hitherto_server.benches.sets import load_loops
from hitherto_server.benches.turns import load_turns
from hitherto_server.core.errors import FolderIgnored, InvalidInput, LoopRuns, NotFound
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.sessions.loop.loops import needs_person
from hitherto_server.sessions.loop.words import CAP, END_WORDS
from hitherto_server.store.loops import REASONS, Ended, ask_iteration, last_loop
from hitherto_server.store.purge import find_of_session, remove

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.store.driver import Connection

    from .conftest import Client

TASK = "Mend the tests of the parser."
KEY = "".join(("sk-", "ant-", "api03-", "q7Zk2Vx9Lm4Tb8Rc1Wn6Yd3Hs5Pj0Gf7"))


async def does(client: Client, action: str, session: str = "s", **given: Any) -> LoopView:
    """What the tool answers."""
    place = {"session_id": session, "project_dir": str(client.project)}
    reply = await perform_named(client.services, "loop", {"action": action, **place, **given})
    return LoopView.model_validate(reply["loop"])


async def begins(client: Client, **given: Any) -> LoopView:
    return await does(client, "start", task=TASK, **given)


async def stops(client: Client, says: str = "Step done.", **body: Any) -> dict[str, Any]:
    """What the client is answered at a stop; every stop differs in nothing but its time."""
    given = {"prompt_id": "p1", "stop_hook_active": False, "last_assistant_message": says, **body}
    return await client.says("Stop", **given) or {}


async def uses_tool(client: Client, **body: Any) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "make test"}, **body}
    await client.says("PostToolUse", tool_use_id=f"t{client.clock()}", **given)


async def status(client: Client) -> LoopView:
    return await does(client, "status")


async def test_each_stop_asks_for_the_next_iteration_with_task_journal_and_way_out(
    client: Client,
) -> None:
    await begins(client, iterations=5, minutes=30)
    await does(client, "update", note="Two of five failures are mended.")
    reply = await stops(client)
    assert reply["decision"] == "block"
    text = reply["reason"]
    assert text.startswith('<hitherto-loop iteration="2">')
    assert "Iteration 2 of at most 5; 30 min left." in text
    assert TASK in text
    assert "1: Two of five failures are mended." in text
    assert "state done" in text
    assert "state blocked" in text
    assert (await status(client)).iteration == 2


async def test_a_session_without_a_loop_stops_as_it_likes(client: Client) -> None:
    await begins(client)
    assert await client.says("Stop", session_id="other", last_assistant_message="Done.") is None


async def test_the_last_iteration_is_the_last(client: Client) -> None:
    await begins(client, iterations=3)
    replies = [await stops(client) for _ in range(4)]
    assert [reply.get("decision") for reply in replies] == ["block", "block", None, None]
    assert replies[2]["systemMessage"].endswith("after 3 iterations: that was the last one allowed")
    assert replies[3] == {}
    assert ((await status(client)).state, (await status(client)).reason) == ("ended", "iterations")


async def test_time_that_has_run_out_ends_a_loop(client: Client) -> None:
    await begins(client, minutes=1)
    assert (await stops(client))["decision"] == "block"
    client.clock.pass_ms(60_000)
    assert "time has run out" in (await stops(client))["systemMessage"]
    assert (await status(client)).reason == "time"


async def test_an_agent_that_is_done_ends_it_and_the_person_hears_it_once(client: Client) -> None:
    await begins(client)
    assert (await does(client, "update", state="done", note="All green.")).state == "ended"
    assert "its agent says that the task is done" in (await stops(client))["systemMessage"]
    assert await stops(client, "Something else.") == {}


async def test_a_person_ends_it_from_the_command_line(client: Client) -> None:
    await begins(client)
    await stops(client)
    ended = await does(client, "stop", actor="cli")
    assert (ended.state, ended.reason, ended.iteration) == ("ended", "person", 2)
    assert await stops(client) == {}


async def test_a_session_that_ends_takes_its_loop_with_it(client: Client) -> None:
    await begins(client)
    await client.says("SessionEnd", reason="other")
    assert ((await status(client)).state, (await status(client)).reason) == ("ended", "session")
    assert await stops(client) == {}


async def test_an_end_of_the_session_that_comes_late_does_not_end_a_newer_loop(
    client: Client,
) -> None:
    late = client.call("SessionEnd", reason="other")
    client.clock.pass_ms(20_000)
    await begins(client)
    await client.services.sessions.take(replace(late, spooled=True))
    assert (await status(client)).state == "running"


async def test_a_blocked_agent_waits_until_the_persons_next_prompt(client: Client) -> None:
    await begins(client)
    await stops(client)
    await does(client, "update", state="blocked", note="The registry asks for a login.")
    waits = await stops(client)
    assert "decision" not in waits
    assert "only you can go on" in waits["systemMessage"]
    assert await stops(client) == {}, "said once"
    await client.says("UserPromptSubmit", prompt="I have logged in.", prompt_id="p2")
    again = await stops(client, prompt_id="p2")
    assert 'iteration="2"' in again["reason"], "the iteration that was broken off"
    assert (await status(client)).state == "running"


async def test_a_word_of_the_clients_own_does_not_resume_what_waits_for_the_person(
    client: Client,
) -> None:
    await begins(client)
    await does(client, "update", state="blocked")
    await stops(client)
    notification = "<task-notification>\n<task-id>a1</task-id>\n</task-notification>"
    await client.says("UserPromptSubmit", prompt=notification, prompt_id="p2")
    assert await stops(client, prompt_id="p2") == {}
    assert (await status(client)).state == "paused"


async def test_an_agent_may_go_on_by_itself_after_it_was_blocked(client: Client) -> None:
    await begins(client)
    await does(client, "update", state="blocked")
    await does(client, "update", note="It works without the login.")
    assert (await stops(client))["decision"] == "block"


@pytest.mark.parametrize(
    "message",
    [
        "The site wants a verification code. Please enter the code from your phone.",
        "I am stuck: the page shows a CAPTCHA that only you can solve.",
        "Please run `gh auth login` in your terminal, then I can push.",
    ],
)
async def test_last_words_that_hand_over_to_the_person_let_it_wait(
    client: Client, message: str
) -> None:
    await begins(client)
    assert "only you can go on" in (await stops(client, message))["systemMessage"]
    assert ((await status(client)).state, (await status(client)).reason) == ("paused", "waiting")


async def test_an_agent_that_says_how_far_it_is_does_not_wait_by_its_words(client: Client) -> None:
    await begins(client)
    await does(client, "update", note="The login page rejects a wrong code now.")
    blocked = "Users cannot log in with a wrong code any more; please enter the code twice."
    assert (await stops(client, blocked))["decision"] == "block"


@pytest.mark.parametrize(
    "message",
    [
        "The login form validates the code now. Next I will mend the sign-up form.",
        "I could not reproduce the failure of test_captcha; two others are mended.",
        "Shall I go on with the next module?",
    ],
)
def test_words_about_logins_do_not_wait(message: str) -> None:
    assert not needs_person(message)


async def test_iterations_without_a_tool_wait_before_the_client_overrides_them(
    client: Client,
) -> None:
    await begins(client, iterations=50)
    replies = [await stops(client) for _ in range(CAP + 1)]
    assert [reply.get("decision") for reply in replies] == ["block"] * CAP + [None]
    assert "used no tool" in replies[CAP - 1]["reason"]
    assert "8 iterations in a row used no tool" in replies[CAP]["systemMessage"]
    assert (await stops(client, prompt_id="p2"))["decision"] == "block"


@pytest.mark.parametrize("tool", ["Bash", "mcp__hitherto__loop"])
async def test_a_tool_call_in_between_lets_it_go_on(client: Client, tool: str) -> None:
    await begins(client, iterations=50)
    for number in range(2, 40):
        assert f'iteration="{number}"' in (await stops(client))["reason"]
        if number % CAP == 0:
            await uses_tool(client, tool_name=tool)


async def test_a_note_in_the_journal_counts_as_a_tool_call(client: Client) -> None:
    await begins(client, iterations=50)
    for number in range(2, 30):
        assert f'iteration="{number}"' in (await stops(client))["reason"]
        client.clock.pass_ms(1)
        await does(client, "update", note=f"Step {number} done.")


async def test_a_prompt_that_comes_between_uses_no_iteration_up(client: Client) -> None:
    await begins(client)
    assert 'iteration="2"' in (await stops(client))["reason"]
    await client.says("UserPromptSubmit", prompt="What time is it?", prompt_id="p2")
    assert 'iteration="2"' in (await stops(client, prompt_id="p2"))["reason"]
    assert 'iteration="3"' in (await stops(client, prompt_id="p2"))["reason"]


async def test_it_waits_for_subagents_that_are_at_work(client: Client) -> None:
    await begins(client)
    running = {"id": "a1", "type": "subagent", "status": "running"}
    assert await stops(client, background_tasks=[running]) == {}
    shell = {"id": "b1", "type": "shell", "status": "running"}
    notification = "<task-notification>\n<task-id>a1</task-id>\n</task-notification>"
    await client.says("UserPromptSubmit", prompt=notification, prompt_id="p2")
    goes_on = await stops(client, prompt_id="p2", background_tasks=[shell])
    assert 'iteration="2"' in goes_on["reason"]


async def test_two_copies_of_one_stop_are_one_iteration(client: Client) -> None:
    await begins(client)
    client.clock.pass_ms(20_000)
    copies = [client.call("Stop", prompt_id="p1", last_assistant_message="x") for _ in range(2)]
    replies = await asyncio.gather(*(client.services.sessions.take(one) for one in copies))
    assert sorted(map(bool, replies)) == [False, True]
    assert (await status(client)).iteration == 2


async def test_who_finds_the_loop_moved_on_asks_for_nothing(client: Client) -> None:
    await begins(client)

    def twice(connection: Connection) -> list[bool]:
        loop = last_loop(connection, "s")
        assert loop is not None
        ask = partial(ask_iteration, prompt_id="p1", idle=1, at_ms=client.clock())
        return [ask(connection, loop, 2) for _ in range(2)]

    assert await client.services.store.writer.run(twice) == [True, False]


async def test_a_turn_that_ends_in_the_same_words_soon_after_is_no_copy(client: Client) -> None:
    await begins(client)
    for number in (2, 3, 4):
        client.clock.pass_ms(700)
        call = client.call("Stop", prompt_id="p1", last_assistant_message="Done.")
        reply = await client.services.sessions.take(call)
        assert reply is not None
        assert f'iteration="{number}"' in reply["reason"]


async def test_a_stop_that_comes_by_the_spool_asks_for_nothing(client: Client) -> None:
    await begins(client)
    client.clock.pass_ms(20_000)
    call = replace(client.call("Stop", prompt_id="p1"), spooled=True)
    assert await client.services.sessions.take(call) is None
    assert (await status(client)).iteration == 1


async def test_an_iteration_that_would_come_too_late_is_not_used_up(client: Client) -> None:
    await begins(client)
    call = replace(client.call("Stop", prompt_id="p1"), deadline_ms=1500)
    client.clock.pass_ms(1600)
    assert await client.services.sessions.take(call) is None
    await asyncio.gather(*client.services.sessions.tools.in_time._late)  # it gives back by itself
    assert (await status(client)).iteration == 1
    assert 'iteration="2"' in (await stops(client, prompt_id="p2"))["reason"]


async def test_task_journal_and_reply_are_kept_without_secrets(client: Client) -> None:
    await does(client, "start", task=f"Deploy with {KEY} until it works.")
    await does(client, "update", note=f"Tried {KEY}.")
    first = await stops(client)
    await stops(client, f"The key {KEY} was refused.")
    kept = rows(client.services.home.database, "SELECT task FROM loop")
    kept += rows(client.services.home.database, "SELECT text FROM loop_entry")
    assert len(kept) == 3
    assert KEY[12:] not in json.dumps([kept, first])


async def test_a_journal_is_bounded(client: Client) -> None:
    await begins(client, iterations=50)
    for number in range(100):
        await does(client, "update", note=f"Note {number}.")
    entries = (await status(client)).journal
    assert (len(entries), entries[-1].text) == (60, "Note 99.")


async def test_an_iteration_without_a_note_leaves_the_opening_of_its_reply(client: Client) -> None:
    await begins(client)
    await stops(client, "The first failure is mended. " * 50)
    (entry,) = (await status(client)).journal
    assert (entry.written_by, entry.iteration, len(entry.text)) == ("reply", 1, 200)


async def test_of_a_purged_session_no_loop_is_left(client: Client) -> None:
    await begins(client)
    await does(client, "update", note="One test is mended.")
    await client.services.store.writer.run(
        lambda c: remove(c, find_of_session(c, "s"), at_ms=client.clock())
    )
    query = "SELECT id FROM loop UNION ALL SELECT id FROM loop_entry"
    assert rows(client.services.home.database, query) == []


async def test_a_second_loop_in_a_session_is_refused(client: Client) -> None:
    await begins(client)
    with pytest.raises(LoopRuns):
        await begins(client)
    await does(client, "stop")
    assert (await begins(client)).iteration == 1


def test_of_labelled_turns_those_wait_that_only_their_person_can_end() -> None:
    turns = [one for one in load_turns() if half_of(one.id) == "test"]
    said = [one for one in turns if needs_person(one.message)]
    assert [one.id for one in said if not one.blocked] == []
    assert len(said) / sum(one.blocked for one in turns) >= 0.75
    assert [one.id for one in load_loops() if needs_person(one.message)] == []


@pytest.mark.parametrize("action", ["update", "stop"])
async def test_what_is_not_there_cannot_be_changed(client: Client, action: str) -> None:
    with pytest.raises(NotFound):
        await does(client, action)


async def test_a_loop_needs_a_session_and_a_task(client: Client) -> None:
    with pytest.raises(InvalidInput, match="needs a task"):
        await does(client, "start")
    with pytest.raises(InvalidInput, match="names none"):
        await perform_named(client.services, "loop", {"action": "start", "task": TASK})


async def test_no_loop_begins_in_an_ignored_folder(client: Client) -> None:
    await client.services.quiet.begin("ignore", Target(path=str(client.project)))
    with pytest.raises(FolderIgnored):
        await begins(client)


async def test_a_switch_turns_loops_off_and_bounds_them(client: Client) -> None:
    services = client.services
    settings = replace(services.settings, loop_iterations=4)
    request = LoopRequest(action="start", task=TASK, iterations=50, session_id="s")
    reply: Any = await perform(replace(services, settings=settings), request)
    assert reply.loop.most_iterations == 4
    await does(client, "stop")
    settings = replace(services.settings, loop_iterations=0)
    with pytest.raises(InvalidInput, match="switched off"):
        await perform(replace(services, settings=settings), request)


def test_every_reason_has_its_words() -> None:
    assert END_WORDS.keys() == set(Ended.__args__)  # type: ignore[attr-defined]
    assert END_WORDS.keys() < REASONS


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub() as serving:
        yield serving


async def asks(client: Client, stub: SystemOneStub, probability: float) -> None:
    stub.answers = {"wholly_done": probability}
    await use_stub(client.services.judge, stub)


@pytest.mark.parametrize(("probability", "ends"), [(0.85, True), (0.75, False)])
async def test_a_judge_that_sees_the_task_done_ends_it(
    client: Client, stub: SystemOneStub, probability: float, *, ends: bool
) -> None:
    await asks(client, stub, probability)
    await begins(client)
    await does(client, "update", note="Four of five mended.")
    reply = await stops(client, "The last one is mended, all tests pass.")
    assert ("decision" not in reply) is ends
    assert ("judged to be wholly done" in reply.get("systemMessage", "")) is ends
    (asked,) = stub.asked
    assert asked.state["task"] == TASK
    assert asked.state["journal"] == ["Four of five mended."]
    assert asked.state["last_message"] == "The last one is mended, all tests pass."


async def test_no_judge_is_asked_after_the_last_iteration_or_while_it_waits(
    client: Client, stub: SystemOneStub
) -> None:
    await asks(client, stub, 0.1)
    await begins(client, iterations=2)
    await stops(client)
    assert len(stub.asked) == 1
    await stops(client)
    assert (await status(client)).reason == "iterations"
    await begins(client)
    await does(client, "update", state="blocked")
    await stops(client)
    assert len(stub.asked) == 1


async def test_a_judge_that_hangs_lets_the_loop_go_on_in_time(
    client: Client, stub: SystemOneStub
) -> None:
    await asks(client, stub, 0.9)
    stub.fault = HANGING
    await begins(client)
    began = asyncio.get_running_loop().time()
    client.clock.pass_ms(20_000)
    call = replace(client.call("Stop", prompt_id="p1"), deadline_ms=1500)
    reply = await client.services.sessions.take(call)
    assert reply is not None
    assert reply["decision"] == "block"
    assert asyncio.get_running_loop().time() - began < 1.5
