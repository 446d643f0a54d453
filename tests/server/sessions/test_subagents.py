"""What a subagent is given at its start, and what its session isn't."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import rows

from hitherto_server.sessions.control.quiet import Target

from .conftest import context_of

if TYPE_CHECKING:
    from .conftest import Client

FACT = "`deploy_lock` is held for 40 seconds after a failed deploy."
TASK = "Find out how long deploy_lock is held after a failed deploy, and report it."
SECRET = "AKIA" + "Z7QX4M2N8P1R5T6V"


async def dispatches(
    client: Client, n: int = 1, task: str = TASK, agent_type: str = "Explore", **body: Any
) -> None:
    reply = await client.says(
        "PreToolUse",
        tool_name="Agent",
        tool_use_id=f"toolu_{n}",
        tool_input={"description": "Look", "prompt": task, "subagent_type": agent_type},
        **body,
    )
    assert reply is None, "a dispatch is never answered"


async def begins(client: Client, agent_id: str = "a1", agent_type: str = "Explore") -> str:
    """What is injected as a subagent begins."""
    reply = await client.says("SubagentStart", agent_id=agent_id, agent_type=agent_type)
    if reply:
        assert reply["hookSpecificOutput"]["hookEventName"] == "SubagentStart"
    return context_of(reply)


async def test_a_subagent_is_given_what_its_task_is_about(client: Client) -> None:
    memory_id = await client.knows(FACT)
    await dispatches(client)
    given = await begins(client)
    assert memory_id in given
    assert "40 seconds" in given


async def test_a_subagent_whose_task_is_not_known_is_given_nothing(client: Client) -> None:
    await client.knows(FACT)
    assert await begins(client) == ""
    await dispatches(client, 1)
    await dispatches(client, 2, "Write the report on the lighthouse of Lisbon.")
    assert await begins(client) == ""


async def test_the_tools_answer_tells_tasks_apart(client: Client) -> None:
    await client.knows(FACT)
    await dispatches(client, 1)
    await dispatches(client, 2, "Write the report on the lighthouse of Lisbon.")
    answer = {"tool_response": {"agentId": "a1", "status": "async_launched"}}
    await client.says("PostToolUse", tool_name="Agent", tool_use_id="toolu_1", **answer)
    assert "40 seconds" in await begins(client, "a1")
    assert await begins(client, "a2") == ""


async def test_session_and_subagents_are_given_the_same_each_once(client: Client) -> None:
    await client.knows(FACT)
    assert "40 seconds" in await client.prompts(TASK)
    for n, agent in enumerate(("a1", "a2")):
        await dispatches(client, n)
        assert "40 seconds" in await begins(client, agent)
    await client.starts("compact")
    await dispatches(client, 3)
    assert await begins(client, "a1") == "", "nothing twice to the same subagent"
    query = (
        "SELECT agent, channel FROM injection WHERE outcome = 'injected' AND channel <> 'prompt'"
    )
    given = rows(client.services.home.database, f"{query} ORDER BY id")
    assert [one for one in given if one[1] == "subagent"] == [
        ("a1", "subagent"),
        ("a2", "subagent"),
    ]


async def test_what_a_subagent_was_given_the_session_is_still_given(client: Client) -> None:
    await client.knows(FACT)
    await dispatches(client)
    assert "40 seconds" in await begins(client)
    assert "40 seconds" in await client.prompts(TASK)


async def test_of_a_task_no_secret_is_kept(client: Client) -> None:
    await client.knows(FACT)
    await dispatches(client, task=f"{TASK} The key is {SECRET}.")
    assert SECRET not in repr(client.services.sessions.tools.dispatches)
    assert "40 seconds" in await begins(client)
    kept = rows(client.services.home.database, "SELECT query FROM injection")
    assert "deploy_lock" in str(kept)
    for table in ("injection", "event", "turn"):
        assert SECRET not in repr(rows(client.services.home.database, f"SELECT * FROM {table}"))


async def test_of_the_event_only_whose_it_is_is_kept(client: Client) -> None:
    await dispatches(client)
    await begins(client)
    events = {event["name"]: event["detail"] for event in await client.events()}
    assert events["PreToolUse"] == {"tool_use_id": "toolu_1"}
    assert events["SubagentStart"] == {"agent_id": "a1", "agent_type": "Explore"}


@pytest.mark.parametrize(
    "task", ["Go on.", "/review", "<task-notification>deploy_lock</task-notification>"]
)
async def test_a_task_that_asks_nothing_is_not_searched_for(client: Client, task: str) -> None:
    await client.knows(FACT)
    await client.says(
        "PreToolUse",
        tool_name="Task",
        tool_use_id="toolu_1",
        tool_input={"prompt": task, "subagent_type": "Explore"},
    )
    assert await begins(client) == ""


async def test_a_paused_session_keeps_no_dispatch_and_briefs_nobody(client: Client) -> None:
    await client.knows(FACT)
    quiet = client.services.quiet
    await quiet.begin("pause", Target(session_id="s"))
    await dispatches(client)
    assert await begins(client) == ""
    await quiet.end("pause", Target(session_id="s"))
    assert await begins(client, "a2") == "", "what was dispatched in the pause is not known"
    await dispatches(client, 2)
    await quiet.begin("pause", Target(session_id="s"))
    assert await begins(client, "a3") == ""


async def test_briefs_of_subagents_have_a_switch_of_their_own(client: Client) -> None:
    await client.knows(FACT)
    sessions = client.services.sessions
    settings = replace(sessions.tools.settings, subagent_memories=0)
    sessions.tools = replace(sessions.tools, settings=settings)
    await dispatches(client)
    assert await begins(client) == ""
    assert "40 seconds" in await client.prompts(TASK)
