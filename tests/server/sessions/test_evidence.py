"""What tools did is kept as evidence: how commands ended, without secrets, and within bounds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import rows

from hitherto_contract import ReflectRequest
from hitherto_server.gates.reflect import reflect
from hitherto_server.sessions.bookkeeping import kept
from hitherto_server.sessions.stop.evidence import MOST_TAIL
from hitherto_server.store.evidence import (
    KEPT_MS,
    MOST_OF_TURN,
    Command,
    Evidence,
    NewEvidence,
    last_memory_ms,
    put_evidence,
    session_evidence,
    turn_evidence,
)
from hitherto_server.store.obligations import open_obligations, raise_obligation

if TYPE_CHECKING:
    from .conftest import Client

SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
DONE = {"stdout": "2 passed", "stderr": "", "interrupted": False}


async def ran(client: Client, command: str, **body: Any) -> None:
    """Report a command that ended well, unless the body says otherwise."""
    body = {"tool_response": DONE, "prompt_id": "p", **body}
    given = {"tool_name": "Bash", "tool_input": {"command": command}, **body}
    await client.says("PostToolUse", **{"tool_use_id": f"t-{client.clock()}", **given})


async def failed(client: Client, command: str, error: str, **body: Any) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": command}, "error": error, **body}
    await client.says("PostToolUseFailure", tool_use_id=f"t-{client.clock()}", **given)


async def turn(client: Client, prompt_id: str = "p", agent: str | None = None) -> Evidence:
    return await client.services.store.readers.run(
        lambda c: turn_evidence(c, "s", prompt_id, agent)
    )


async def test_a_command_is_kept_with_how_it_ended(client: Client) -> None:
    await ran(client, "pytest -q")
    await failed(client, "npm test", "Exit code 2\n1 failed", prompt_id="p")
    passed, broken = (await turn(client)).commands
    assert (passed.line, passed.failed, passed.exit_code, passed.tail) == (
        "pytest -q", False, 0, "2 passed",
    )  # fmt: skip
    assert (broken.line, broken.failed, broken.exit_code, broken.tail) == (
        "npm test", True, 2, "1 failed",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("PostToolUse", {"tool_response": {**DONE, "backgroundTaskId": "b1"}}),
        ("PostToolUse", {"tool_response": {**DONE, "interrupted": True}}),
        ("PostToolUse", {"tool_response": "done"}),
        ("PostToolUseFailure", {"error": "Exit code 1", "is_interrupt": True}),
        ("PostToolUseFailure", {"error": "The user doesn't want to run this."}),
    ],
)
async def test_of_what_goes_on_or_was_broken_off_nobody_knows_how_it_ended(
    client: Client, event: str, body: dict[str, Any]
) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "pytest"}, "prompt_id": "p", **body}
    await client.says(event, tool_use_id="t", **given)
    (command,) = (await turn(client)).commands
    assert command.failed is None


async def test_how_a_command_in_the_background_ended_is_learned_from_its_notice(
    client: Client,
) -> None:
    await ran(
        client, "pytest", tool_use_id="toolu_7", tool_response={**DONE, "backgroundTaskId": "b"}
    )
    notice = (
        "<task-notification>\n<task-id>b</task-id>\n<tool-use-id>toolu_7</tool-use-id>\n"
        "<status>failed</status>\n<summary>Background command failed with exit code 4</summary>\n"
        "</task-notification>"
    )
    await client.says("UserPromptSubmit", prompt=notice, prompt_id="p")
    (command,) = (await turn(client)).commands
    assert (command.failed, command.exit_code) == (True, 4)


async def test_what_only_looks_leaves_none_of_what_it_printed(client: Client) -> None:
    await ran(client, "cat notes.txt | head -5", tool_response={**DONE, "stdout": "dear diary"})
    (command,) = (await turn(client)).commands
    assert command.tail == ""


async def test_the_end_of_an_output_is_kept_and_no_half_of_a_secret(client: Client) -> None:
    for rest in range(MOST_TAIL - 60, MOST_TAIL + 10, 7):
        output = f"{'line ' * 400}{SECRET} {'x' * 3} {'word ' * (rest // 5)}"
        await ran(client, "make", prompt_id=str(rest), tool_response={**DONE, "stdout": output})
        (command,) = (await turn(client, str(rest))).commands
        assert len(command.tail) <= MOST_TAIL
        pieces = [SECRET[at : at + 8] for at in range(len(SECRET) - 7)]
        assert [one for one in pieces if one in command.tail] == [], rest


async def test_a_secret_in_a_command_is_not_kept(client: Client) -> None:
    await ran(client, f"curl -H 'Authorization: Bearer {SECRET}' https://example.com")
    for file in client.services.home.root.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


async def test_edits_are_kept_by_their_files_each_agents_apart(client: Client) -> None:
    for agent, path in ((None, "/x/a.py"), ("a1", "/x/b.py")):
        more = {} if agent is None else {"agent_id": agent}
        given = {"file_path": path, "old_string": SECRET, "new_string": "y"}
        body = {"tool_name": "Edit", "tool_input": given, "prompt_id": "p", **more}
        await client.says("PostToolUse", tool_use_id=path, **body)
    assert (await turn(client)).files == ("/x/a.py", "/x/b.py")
    assert (await turn(client, agent="a1")).files == ("/x/b.py",)


async def test_a_result_of_another_tool_is_kept_and_none_of_our_own(client: Client) -> None:
    answer = [{"type": "text", "text": "3 tests passed"}]
    for tool in ("mcp__ide__run", "mcp__hitherto__recall", "mcp__plugin_hitherto_hitherto__recall"):
        body = {"tool_name": tool, "tool_response": answer, "prompt_id": "p"}
        await client.says("PostToolUse", tool_use_id=tool, **body)
    assert [(one.tool, one.tail) for one in (await turn(client)).results] == [
        ("mcp__ide__run", "3 tests passed")
    ]


async def test_of_a_page_or_a_letter_only_the_tool_is_kept(client: Client) -> None:
    answer = [{"type": "text", "text": "Dear Ada, your balance is 3"}]
    body = {"tool_name": "mcp__bank__browser_snapshot", "tool_response": answer, "prompt_id": "p"}
    await client.says("PostToolUse", tool_use_id="t", **body)
    ((tool, tail),) = [(one.tool, one.tail) for one in (await turn(client)).results]
    assert (tool, tail) == ("mcp__bank__browser_snapshot", "")


async def test_the_same_call_twice_is_one_piece_of_evidence(client: Client) -> None:
    call = client.call(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "make"},
        tool_response=DONE,
        tool_use_id="t",
        prompt_id="p",
    )
    await asyncio.gather(*(client.services.sessions.take(call) for _ in range(3)))
    assert len((await turn(client)).commands) == 1


async def test_of_a_turn_that_did_very_much_the_last_is_kept(client: Client) -> None:
    def job(connection: Any) -> list[Command]:
        for at in range(MOST_OF_TURN + 30):
            new = NewEvidence("s", "p", f"t{at}", "command", f"make t{at}", at)
            put_evidence(connection, new)
        return list(turn_evidence(connection, "s", "p").commands)

    kept = await client.services.store.writer.run(job)
    assert len(kept) == MOST_OF_TURN
    assert kept[-1].line == f"make t{MOST_OF_TURN + 29}"


async def test_what_is_old_is_forgotten_when_a_session_begins(client: Client) -> None:
    await ran(client, "make")
    client.clock.pass_ms(KEPT_MS + 1)
    await client.starts("startup")
    assert rows(client.services.home.database, "SELECT count(*) FROM evidence") == [(0,)]


async def owes(client: Client) -> list[str]:
    found = await client.services.store.readers.run(lambda c: open_obligations(c, "s"))
    return [one.kind for one in found]


async def raises(client: Client) -> None:
    def job(connection: Any) -> None:
        for kind in ("store", "fix", "check"):
            raise_obligation(connection, "s", kind, "x", detail={}, at_ms=client.clock())

    await client.services.store.writer.run(job)
    client.clock.pass_ms(1)


async def test_a_memory_that_the_session_stores_clears_what_was_to_be_stored(
    client: Client,
) -> None:
    await raises(client)
    await client.knows("Somebody else's lesson.", session_id="t")
    await client.knows("A plan that a hook kept.", session_id="s", actor="hook")
    assert await owes(client) == ["store", "fix", "check"]
    await client.knows("The lesson.", session_id="s")
    assert await owes(client) == ["check"]
    assert await client.services.store.readers.run(lambda c: last_memory_ms(c, "s")) is not None


@pytest.mark.parametrize("again", ["edit", "the same"])
async def test_a_memory_that_is_edited_or_said_again_clears_as_well(
    client: Client, again: str
) -> None:
    memory_id = await client.knows("The lesson.")
    await raises(client)
    if again == "edit":
        asked = ReflectRequest(
            id=memory_id,
            action="edit",
            content="The lesson, better said.",
            session_id="s",
            project_dir=str(client.project),
        )
        await reflect(client.services.writes, asked)
    else:
        await client.knows("The lesson.", session_id="s")
    assert await owes(client) == ["check"]


async def test_the_evidence_of_a_session_is_of_all_its_prompts(client: Client) -> None:
    await ran(client, "make", prompt_id="p")
    await ran(client, "pytest", prompt_id="q")
    found = await client.services.store.readers.run(lambda c: session_evidence(c, "s"))
    assert [one.line for one in found.commands] == ["make", "pytest"]


def test_a_long_secret_before_another_leaves_no_half_of_that_one() -> None:
    """What is redacted makes room, into which the cut end of what follows would move."""
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    text = f"{'-----BEGIN PRIVATE KEY-----' + 'MIIEvQ' * 120 + '-----END PRIVATE KEY-----'} {token}"
    for most in range(150, 230):
        assert "a1B2c3" not in kept(text, most)
