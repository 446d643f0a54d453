"""Stops are held up once, for a reason that is named, and never a second time for the same."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import DRIPPING, SystemOneStub, use_stub
from tests.wiring import opened, rows

from hitherto_server.api.operations import perform_named
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.sessions.stop.answering import answer_stop
from hitherto_server.store.obligations import open_obligations
from hitherto_server.store.shown import tally
from hitherto_server.store.unsaved import find_unsaved

from .conftest import Client

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.wiring import TestClock

    from hitherto_server.sessions.moments import Reply

FAILED = "Exit code 1\nE   KeyError: 'id'\n1 failed, 3 passed"
PASSED = {"stdout": "4 passed", "stderr": "", "interrupted": False}
CLAIM = "Fixed the parser. All tests pass."
CAUSE = (
    "The import failed because Excel writes a byte order mark, which csv reads as part of the "
    "first name; I read the file as utf-8-sig now."
)
PLAIN = "Added the missing comma."


@pytest.fixture(autouse=True)
async def begun(client: Client) -> None:
    await client.starts("startup")


async def runs(client: Client, command: str, *, fails: bool = False, **body: Any) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": command}, "prompt_id": "p", **body}
    event = "PostToolUseFailure" if fails else "PostToolUse"
    result = {"error": FAILED} if fails else {"tool_response": PASSED}
    await client.says(event, tool_use_id=f"t{client.clock()}", **result, **given)


async def edits(client: Client, path: str = "/x/importer.py", **body: Any) -> None:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    body = {"prompt_id": "p", **body}
    await client.says(
        "PostToolUse", tool_name="Edit", tool_input=given, tool_use_id=f"e{client.clock()}", **body
    )


async def stops(client: Client, message: str, prompt_id: str = "p", **body: Any) -> str:
    """Return for what a stop was held up; empty: it went through."""
    reply = await client.says(
        "Stop", last_assistant_message=message, prompt_id=prompt_id, background_tasks=[], **body
    )
    return reason_of(reply)


def reason_of(reply: Reply) -> str:
    if reply is None or reply.get("decision") != "block":
        return ""
    assert set(reply) == {"decision", "reason", "systemMessage"}
    return str(reply["reason"])


def owed(client: Client) -> list[tuple[Any, ...]]:
    query = "SELECT kind, cleared_by FROM obligation WHERE kind <> 'block' ORDER BY id"
    return rows(client.services.home.database, query)


async def learns(client: Client, prompt_id: str = "p") -> None:
    """Do a turn that is worth a memory."""
    await runs(client, "pytest tests/test_import.py", fails=True, prompt_id=prompt_id)
    await edits(client, prompt_id=prompt_id)
    await runs(client, "pytest tests/test_import.py", prompt_id=prompt_id)


async def test_a_claim_of_tests_that_failed_is_held_up_once_with_its_evidence(
    client: Client,
) -> None:
    await edits(client)
    await runs(client, "pytest -q", fails=True)
    reason = await stops(client, CLAIM)
    assert reason.startswith("Hitherto [rule]: you say “All tests pass.”, but `pytest -q` exited 1")
    assert "the next stop goes through" in reason
    assert await stops(client, CLAIM, stop_hook_active=True) == ""
    assert owed(client) == [("check", "said again")]


async def test_a_claim_that_the_check_shows_after_all_clears(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    assert await stops(client, CLAIM)
    await runs(client, "pytest -q")
    assert await stops(client, CLAIM, stop_hook_active=True) == ""
    assert owed(client) == [("check", "shown or put right")]


async def test_a_claim_that_is_put_right_clears(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    assert await stops(client, CLAIM)
    assert await stops(client, "One test still fails.", stop_hook_active=True) == ""
    assert owed(client) == [("check", "shown or put right")]


async def test_a_claim_beside_which_nothing_ran_is_held_up(client: Client) -> None:
    await client.prompts("Add a guard for empty input.", prompt_id="p")
    await edits(client)
    await runs(client, "git status")
    assert "but no test command ran in this session" in await stops(client, CLAIM)


@pytest.mark.parametrize("command", ["./verify", "make", "docker run app", "python -c 'x'"])
async def test_where_anything_ran_that_might_be_a_test_the_claim_stands(
    client: Client, command: str
) -> None:
    await edits(client)
    await runs(client, command)
    assert await stops(client, CLAIM) == ""


async def test_of_a_session_whose_beginning_is_not_known_nobody_says_that_nothing_ran(
    client: Client,
) -> None:
    await edits(client, session_id="t")
    assert await stops(client, CLAIM, session_id="t") == ""


async def test_of_a_session_that_was_paused_meanwhile_nobody_says_that_nothing_ran(
    client: Client,
) -> None:
    await client.prompts("Add a guard for empty input.", prompt_id="p")
    await client.services.quiet.begin("pause", Target(session_id="s"))
    client.clock.pass_ms(1000)
    await client.services.quiet.end("pause", Target(session_id="s"))
    await edits(client)
    assert await stops(client, CLAIM) == ""


async def test_while_events_wait_to_be_taken_in_nobody_says_that_nothing_ran(
    client: Client,
) -> None:
    spool = client.services.sessions.spool
    spool.folder.mkdir(exist_ok=True)
    spool.events.write_bytes(client.spool("PostToolUse", tool_name="Bash"))
    await edits(client)
    assert await stops(client, CLAIM) == ""


async def test_what_a_person_says_to_pass_may_be_repeated(client: Client) -> None:
    await client.prompts("I ran the tests, they pass. Write the changelog.", prompt_id="p")
    await client.services.sessions.close()
    await edits(client)
    assert await stops(client, CLAIM) == ""


async def test_what_a_person_said_to_pass_some_prompts_ago_may_be_repeated(client: Client) -> None:
    await client.prompts("I ran the tests, they pass. Write the changelog.", prompt_id="o")
    await client.prompts("Now commit it, please, and say what is in it.", prompt_id="p")
    await client.services.sessions.close()
    await edits(client)
    assert await stops(client, CLAIM) == ""


async def test_of_a_client_whose_tools_are_not_all_heard_nobody_says_that_nothing_ran(
    client: Client,
) -> None:
    await edits(client)
    call = client.call("Stop", last_assistant_message=CLAIM, prompt_id="p")
    assert await client.services.sessions.take(replace(call, client="codex")) is None


async def test_a_lesson_is_asked_for_once_and_a_memory_clears_it(client: Client) -> None:
    await learns(client)
    reason = await stops(client, CAUSE)
    assert "`pytest tests/test_import.py` failed (" in reason
    assert "passed after a change of importer.py" in reason
    assert "call `remember`" in reason
    await client.knows("Excel writes a byte order mark.", session_id="s")
    assert await stops(client, "Stored.", stop_hook_active=True) == ""
    assert [kind for kind, _ in owed(client)] == ["store"]
    assert owed(client)[0][1] not in (None, "declined")
    await learns(client, "q")
    assert await stops(client, CAUSE, "q") != "", "who stores is asked again, another time"


async def test_who_stores_nothing_is_not_asked_again(client: Client) -> None:
    await learns(client)
    assert await stops(client, CAUSE)
    assert await stops(client, CAUSE, stop_hook_active=True) == ""
    assert owed(client) == [("store", "declined")]
    await learns(client, "q")
    assert await stops(client, CAUSE, "q") == ""


async def test_what_a_stop_asked_for_no_later_prompt_asks_for(client: Client) -> None:
    await learns(client)
    assert await client.services.store.readers.run(lambda c: find_unsaved(c, "s", "q"))
    assert await stops(client, CAUSE)
    assert await client.services.store.readers.run(lambda c: find_unsaved(c, "s", "q")) is None


async def test_what_is_stored_already_is_not_asked_for(client: Client) -> None:
    await learns(client)
    await client.knows("Excel writes a byte order mark.", session_id="s")
    assert await stops(client, CAUSE) == ""


@pytest.mark.parametrize(
    ("message", "body"),
    [
        (PLAIN, {}),
        (f"{CAUSE} Shall I commit it?", {}),
        (f"{CAUSE} To push it, please log in with `gh auth login`.", {}),
        (CAUSE, {"background_tasks": [{"type": "subagent", "status": "running"}]}),
        (CAUSE, {"stop_hook_active": True}),
    ],
    ids=["small", "a question", "a login", "something goes on", "somebody else's block"],
)
async def test_nobody_is_asked_to_store(client: Client, message: str, body: dict[str, Any]) -> None:
    await edits(client)
    reply = await client.says(
        "Stop", **{"last_assistant_message": message, "prompt_id": "p", **body}
    )
    assert reply is None


async def test_a_fix_that_ended_with_a_question_is_asked_for_at_a_later_stop(
    client: Client,
) -> None:
    await learns(client)
    assert await stops(client, f"{CAUSE} Shall I commit it?") == ""
    assert owed(client) == [("fix", None)]
    await runs(client, "git commit -am Fix", prompt_id="q")
    assert "`pytest tests/test_import.py` failed" in await stops(client, "Committed it.", "q")
    await client.knows("Excel writes a byte order mark.", session_id="s")
    assert all(cleared for _, cleared in owed(client))


async def test_a_fix_that_nobody_stored_when_asked_is_owed_no_longer(client: Client) -> None:
    await learns(client)
    assert await stops(client, f"{CAUSE} Shall I commit it?") == ""
    await runs(client, "git commit -am Fix", prompt_id="q")
    assert await stops(client, "Committed it.", "q")
    assert await stops(client, "Nothing to store.", "q", stop_hook_active=True) == ""
    assert all(cleared for _, cleared in owed(client))


async def test_a_turn_is_held_up_once_whatever_is_wrong(client: Client) -> None:
    await learns(client)
    assert await stops(client, CAUSE)
    await runs(client, "npm test", fails=True)
    assert await stops(client, CLAIM, stop_hook_active=True) == ""


async def test_a_session_is_held_up_three_times_over_a_restart(
    client: Client, tmp_path: Path, clock: TestClock
) -> None:
    reasons = []
    for prompt in ("a", "b"):
        await runs(client, "pytest -q", fails=True, prompt_id=prompt)
        reasons.append(await stops(client, f"{prompt}: {CLAIM}", prompt))
    await client.services.store.close()
    async with opened(tmp_path / "home", clock) as services:
        again = Client(services, client.project, clock)
        reasons.append(await stops(again, CLAIM, "b"))
        for prompt in ("c", "d"):
            await runs(again, "pytest -q", fails=True, prompt_id=prompt)
            reasons.append(await stops(again, f"{prompt}: {CLAIM}", prompt))
    assert [bool(one) for one in reasons] == [True, True, False, True, False]


async def test_two_copies_of_a_stop_hold_it_up_once(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    body = {"last_assistant_message": CLAIM, "prompt_id": "p"}
    first, second = client.call("Stop", **body), client.call("Stop", **body, more=1)
    replies = [await client.services.sessions.take(one) for one in (first, second)]
    assert [bool(reason_of(one)) for one in replies] == [True, False]


async def test_a_late_stop_is_answered_nothing_and_keeps_its_block(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    call = client.call("Stop", last_assistant_message=CLAIM, prompt_id="p")
    late = replace(call, deadline_ms=1500, at_ms=call.at_ms - 1600)
    assert await client.services.sessions.take(late) is None
    assert owed(client) == []
    assert await stops(client, CLAIM) != ""


async def test_a_judge_that_drips_leaves_a_stop_its_time_and_the_rule(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    with SystemOneStub(fault=DRIPPING) as stub:
        await use_stub(client.services.judge, stub)
        call = client.call("Stop", last_assistant_message=CLAIM, prompt_id="p")
        began_s = time.monotonic()
        reply = await client.services.sessions.take(replace(call, deadline_ms=700))
        assert time.monotonic() - began_s < 5, "its whole reply would drip for half a minute"
        assert len(stub.asked) == 1
    # a busy machine may be late all the same: then it has no block, and the next stop has one
    assert reason_of(reply) or await stops(client, CLAIM)
    assert owed(client) == [("check", None)]


async def test_whatever_takes_its_time_no_stop_is_answered_later_than_its_deadline(
    client: Client,
) -> None:
    await runs(client, "pytest -q", fails=True)
    tools = client.services.sessions.tools
    is_held = threading.Event()

    def hold(_: object) -> None:
        assert is_held.wait(60)

    holding = asyncio.create_task(tools.store.writer.run(hold))
    call = client.call("Stop", last_assistant_message=CLAIM, prompt_id="p")
    answering = asyncio.create_task(
        answer_stop(tools, replace(call, deadline_ms=300), all_heard=True)
    )
    assert await asyncio.wait_for(answering, 60) is None
    client.clock.pass_ms(1000)
    is_held.set()
    await holding
    await until(lambda: not tools.in_time._late)
    assert owed(client) == [("check", "late")]
    assert await stops(client, CLAIM), "what was late gave its block back"


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


async def test_a_spooled_stop_is_answered_nothing(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    call = client.call("Stop", last_assistant_message=CLAIM, prompt_id="p")
    assert await client.services.sessions.take(replace(call, spooled=True)) is None
    assert owed(client) == []


@pytest.mark.parametrize("setting", ["stop_blocks", "claim_check"])
async def test_what_is_turned_off_holds_nothing_up(client: Client, setting: str) -> None:
    tools = client.services.sessions.tools
    off = replace(tools.settings, **{setting: 0})  # type: ignore[arg-type]
    client.services.sessions.tools = replace(tools, settings=off)
    await runs(client, "pytest -q", fails=True)
    assert await stops(client, CLAIM) == ""


async def test_lessons_can_be_turned_off(client: Client) -> None:
    tools = client.services.sessions.tools
    client.services.sessions.tools = replace(tools, settings=replace(tools.settings, lesson_asks=0))
    await learns(client)
    assert await stops(client, CAUSE) == ""


async def test_what_is_usually_wrong_is_not_held_up_for_any_more(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await runs(client, "pytest -q", fails=True)
    monkeypatch.setattr("hitherto_server.sessions.stop.view.is_silenced", lambda *_: True)
    assert await stops(client, CLAIM) == ""


async def test_what_came_of_a_block_is_counted(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    await stops(client, CLAIM)
    await stops(client, "One test fails.", stop_hook_active=True)
    counted = await client.services.store.readers.run(lambda c: tally(c, "block:claim-check"))
    assert counted.hits == 1


async def test_the_end_of_a_session_clears_all_that_it_owes(client: Client) -> None:
    await runs(client, "pytest -q", fails=True)
    assert await stops(client, CLAIM)
    await client.says("SessionEnd", reason="other")
    assert await client.services.store.readers.run(lambda c: open_obligations(c, "s")) == []


async def test_the_next_prompt_of_a_person_ends_what_the_last_one_was_held_up_for(
    client: Client,
) -> None:
    await runs(client, "pytest -q", fails=True)
    assert await stops(client, CLAIM)
    assert await stops(client, "Hello.", "q") == ""
    assert owed(client) == [("check", "moved on")]


async def test_a_subagent_is_held_up_for_its_own_claim(client: Client) -> None:
    await runs(client, "pytest -q", fails=True, agent_id="a1")
    body = {"agent_id": "a1", "agent_type": "general-purpose", "prompt_id": "p"}
    reply = await client.says("SubagentStop", last_assistant_message=CLAIM, **body)
    assert "`pytest -q` exited 1" in reason_of(reply)
    again = {"stop_hook_active": True, **body}
    assert await client.says("SubagentStop", last_assistant_message=CLAIM, **again) is None
    assert owed(client) == [("check", "said again")]


async def test_a_subagent_is_not_held_up_for_what_another_ran(client: Client) -> None:
    await runs(client, "pytest -q", fails=True, agent_id="a1")
    body = {"agent_id": "a2", "agent_type": "general-purpose", "prompt_id": "p"}
    assert await client.says("SubagentStop", last_assistant_message=CLAIM, **body) is None


async def test_a_subagent_is_never_asked_to_store(client: Client) -> None:
    await edits(client, agent_id="a1")
    body = {"agent_id": "a1", "prompt_id": "p"}
    assert await client.says("SubagentStop", last_assistant_message=CAUSE, **body) is None


async def test_the_stop_of_a_loop_gives_its_next_iteration_and_names_what_was_claimed(
    client: Client,
) -> None:
    start = {"action": "start", "task": "Mend the tests.", "session_id": "s"}
    await perform_named(client.services, "loop", start)
    await runs(client, "pytest -q", fails=True)
    reply = await client.says("Stop", last_assistant_message=CLAIM, prompt_id="p")
    assert reply is not None
    assert "Mend the tests." in reply["reason"]
    assert reply["reason"].count("`pytest -q` exited 1") == 1
    assert owed(client) == [], "a loop has bounds of its own"


async def test_a_reply_is_kept_without_its_secrets(client: Client) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    await client.prompts("Why does parse_config read its file twice?", prompt_id="p")
    await stops(client, f"For the encoding. The token is {secret}.")
    await client.services.sessions.close()
    ((reply,),) = rows(client.services.home.database, "SELECT reply FROM turn")
    assert reply.startswith("For the encoding.")
    assert secret not in reply


async def test_no_obligation_holds_a_secret(client: Client) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    await runs(client, f"TOKEN={secret} pytest -q", fails=True)
    assert await stops(client, f"All tests pass with {secret}.")
    for file in client.services.home.root.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file
