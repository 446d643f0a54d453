"""A session hears once that what it was given has changed, and nothing where it is uncertain."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import git, repository, rows

from hitherto_contract import ReflectRequest
from hitherto_server.core.errors import StoreBusy
from hitherto_server.gates.reflect import reflect
from hitherto_server.maintenance import sweep as sweep_module
from hitherto_server.recall.news import MOST_IN_A_SESSION
from hitherto_server.sessions import notices

from .conftest import context_of

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Client

CODE = """def serve_forever(loop):
    while not shutdown_event.is_set():
        loop.step()


def unrelated():
    return 1
"""
FACT = "`serve_forever` in net_loop.py blocks until `shutdown_event` is set."
QUESTION = "Why does serve_forever never return in net_loop.py?"


@pytest.fixture
async def given(client: Client) -> str:
    """Give the session a memory that is current; return its id."""
    write(client, CODE)
    git(client.project, "add", "--all")
    git(client.project, "commit", "--quiet", "--message", "Start")
    memory_id = await client.knows(FACT, files=["net_loop.py"])
    assert f"{memory_id} · current" in await client.prompts(QUESTION)
    return memory_id


def write(client: Client, text: str, name: str = "net_loop.py") -> None:
    (client.project / name).write_text(text)


def changed(text: str = CODE) -> str:
    return text.replace("loop.step()", "loop.step(1)")


async def edits(client: Client, text: str | None, name: str = "net_loop.py", **body: Any) -> str:
    """What the session hears after it edited a file."""
    path = client.project / name
    path.unlink() if text is None else write(client, text, name)
    reply = await client.says(
        "PostToolUse", tool_name="Edit", tool_input={"file_path": str(path)}, **body
    )
    return context_of(reply)


async def runs(client: Client, event: str = "PostToolUse") -> str:
    """What the session hears after it ran a command."""
    return context_of(await client.says(event, tool_name="Bash", tool_input={"command": "make"}))


async def hears(client: Client) -> str:
    """What the session hears in the end: git may take longer than a hook waits for it."""
    async with asyncio.timeout(20):
        while not (said := await runs(client)):
            await asyncio.sleep(0.05)
    return said


@pytest.mark.parametrize(
    ("text", "standing", "reason"),
    [
        (changed(), "changed", "serve_forever differs in net_loop.py"),
        (CODE.replace("serve_forever", "serve"), "changed", "was renamed to serve"),
        (None, "stale", "net_loop.py gone"),
    ],
)
async def test_after_an_edit_the_session_hears_what_became_of_the_memory(
    client: Client, given: str, text: str | None, standing: str, reason: str
) -> None:
    said = await edits(client, text) or await hears(client)
    assert f"{given} · {standing}" in said
    assert reason in said
    assert "blocks until" in said


async def test_it_is_told_once_whatever_follows(client: Client, given: str) -> None:
    assert given in await edits(client, changed())
    assert await edits(client, CODE.replace("shutdown_event", "stop_event")) == ""
    assert await runs(client) == ""
    assert await edits(client, None) == ""
    assert given not in await client.prompts("And how does serve_forever step its loop?")


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
async def test_what_a_shell_command_did_is_noticed(client: Client, given: str, event: str) -> None:
    git(client.project, "rm", "--quiet", "net_loop.py")
    git(client.project, "commit", "--quiet", "--message", "Remove it")
    assert f"{given} · stale" in (await runs(client, event) or await hears(client))


async def test_a_renamed_file_is_followed_in_silence(client: Client, given: str) -> None:
    git(client.project, "mv", "net_loop.py", "loops.py")
    assert await runs(client) == ""


@pytest.mark.parametrize(
    "text", [CODE.replace("return 1", "return 2"), f"# a comment\n{CODE}", CODE]
)
async def test_an_edit_beside_the_named_parts_is_no_news(
    client: Client, given: str, text: str
) -> None:
    assert await edits(client, text) == ""


async def test_a_mere_doubt_is_no_news(client: Client) -> None:
    write(client, "some notes\n", "notes.txt")
    await client.knows("Deployment of serve_forever waits for notes.", files=["notes.txt"])
    assert "current" in await client.prompts("How does deployment of serve_forever go on?")
    assert await edits(client, "other notes\n", "notes.txt") == ""


async def test_a_session_that_was_not_given_the_memory_hears_nothing(
    client: Client, given: str
) -> None:
    assert await edits(client, changed(), session_id="another") == ""
    assert given in await runs(client)


async def test_a_sub_agent_is_not_told_in_place_of_its_parent(client: Client, given: str) -> None:
    assert await edits(client, changed(), agent_id="a1", agent_type="Explore") == ""
    assert given in await runs(client)


async def test_what_came_too_late_is_told_at_the_next_event(client: Client, given: str) -> None:
    write(client, changed())
    call = replace(client.call("PostToolUse", tool_name="Bash"), deadline_ms=200)
    client.clock.pass_ms(190)
    assert await client.services.sessions.take(call) is None
    assert given in await client.prompts("And how does serve_forever step its loop?")


async def test_a_notice_that_cannot_be_noted_costs_no_reply(
    client: Client, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> bool:
        message = "held by another"
        raise StoreBusy(message)

    other = await client.knows("`unrelated` in net_loop.py says 1 to the health check.")
    write(client, changed())
    client.services.sessions.tools.has_news.add("s")
    monkeypatch.setattr(notices, "tell", refuse)
    said = await client.prompts("What does unrelated in net_loop.py say to the health check?")
    assert other in said
    assert given not in said


async def test_a_memory_that_was_confirmed_meanwhile_is_no_news(client: Client, given: str) -> None:
    write(client, changed())
    request = ReflectRequest(id=given, action="confirm", project_dir=str(client.project))
    await reflect(client.services.writes, request)
    assert await runs(client) == ""


async def test_after_a_compaction_only_what_was_given_again_can_be_news(
    client: Client, given: str
) -> None:
    await client.says("SessionStart", source="compact")
    assert given not in await edits(client, changed())


async def test_a_session_is_told_of_few_at_once_and_of_a_dozen_at_most(client: Client) -> None:
    for number in range(20):
        write(client, CODE.replace("serve_forever", f"serve_{number}_times"), f"m{number}.py")
        await client.knows(f"`serve_{number}_times` in m{number}.py blocks.")
        assert await client.prompts(f"Why does serve_{number}_times in m{number}.py block?")
    for number in range(20):
        write(client, changed(), f"m{number}.py")
    told = [(await runs(client)).count(" · ") // 2 for _ in range(8)]
    assert max(told) == 3
    assert sum(told) == MOST_IN_A_SESSION


async def test_a_checkout_in_another_window_is_told_with_the_next_prompt(
    client: Client, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "WATCH_S", 0.05)
    await runs(client)  # the session is at work
    git(client.project, "rm", "--quiet", "net_loop.py")
    git(client.project, "commit", "--quiet", "--message", "Remove it")
    async with asyncio.timeout(20):
        while not client.services.sweep.has_news:
            await asyncio.sleep(0.02)
    reply = await client.says("UserPromptSubmit", prompt="Thanks, and how do I deploy?")
    assert f"{given} · stale" in context_of(reply)
    assert reply is not None
    assert reply["systemMessage"] == "Hitherto: 1 memory given earlier: stale"
    assert reply["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert await client.prompts("Really? And how do I deploy?") == ""


async def test_a_person_can_turn_notices_off(client: Client, given: str) -> None:
    desk = client.services.sessions
    desk.tools = replace(desk.tools, settings=replace(desk.tools.settings, notices=0))
    assert await edits(client, changed()) == ""
    desk.tools = replace(desk.tools, settings=replace(desk.tools.settings, notices=1))
    assert given in await runs(client)


async def test_the_database_knows_what_was_said(client: Client, given: str) -> None:
    await edits(client, changed())
    query = "SELECT session_id, kind, subject, cleared_by FROM obligation"
    assert rows(client.services.home.database, query) == [("s", "notice", given, "told")]


async def test_a_symbol_without_a_file_is_tied_to_the_file_that_the_session_edited(
    client: Client,
) -> None:
    await edits(client, CODE)
    memory_id = await client.knows("`unrelated` is dead code.", session_id="s")
    query = (
        "SELECT a.path, p.name FROM memory AS m JOIN anchor AS a ON a.memory_number = m.number"
        " JOIN part AS p ON p.anchor_id = a.id WHERE m.id = ?"
    )
    assert rows(client.services.home.database, query, memory_id) == [("net_loop.py", "unrelated")]


async def test_no_notice_opens_a_private_file(client: Client, tmp_path: Path) -> None:
    write(client, "SERVE_FOREVER_TOKEN=1\n", ".env")
    await client.knows("serve_forever reads SERVE_FOREVER_TOKEN from .env", files=[".env"])
    assert "unverified" in await client.prompts("Where does serve_forever read its token?")
    assert await edits(client, "SERVE_FOREVER_TOKEN=2\n", ".env") == ""


async def test_in_another_project_the_files_of_the_first_are_not_missed(
    client: Client, given: str, tmp_path: Path
) -> None:
    other = repository(tmp_path / "other")
    make = {"tool_name": "Bash", "tool_input": {"command": "make"}, "cwd": str(other)}
    assert context_of(await client.says("PostToolUse", **make)) == ""
    assert given in (await edits(client, changed()) or await hears(client))
