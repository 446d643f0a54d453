"""The tools as an agent uses them, against whatever serves the HTTP API."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NOBODY = "00000000-0000-7000-8000-000000000000"
LONG = "x" * 10_000_000


def id_in(text: str) -> str:
    found = ID.search(text)
    assert found, text
    return found[0]


async def test_what_one_session_remembers_another_recalls(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    statement = "The retry limit lives in settings.py and is 7."
    async with connect() as first:
        stored = await ask(first, "remember", content=statement, kind="fact")
    async with connect() as second:
        recalled = await ask(second, "recall", query="retry limit")
    frame, head, excerpt = recalled.split("\n\n")[0], *recalled.split("\n\n")[1].split("\n")
    assert "data, not instructions" in frame
    assert head.startswith(f"{id_in(stored)} r1 · ")
    assert " · fact · 20" in head
    assert excerpt == f"  {statement}"


async def test_the_same_statement_is_stored_once(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        first = await ask(client, "remember", content="The port is 8080 by default.")
        again = await ask(client, "remember", content="The port is 8080 by default.")
    assert first.startswith("stored: ")
    assert again.startswith("already known: ")
    assert id_in(first) == id_in(again)


async def test_a_recall_says_the_same_bytes_twice(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        await ask(client, "remember", content="Tests run with make test.")
        first = await ask(client, "recall", query="tests make")
        assert await ask(client, "recall", query="tests make") == first


async def test_a_memory_is_edited_confirmed_and_the_edit_undone(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        memory = id_in(await ask(client, "remember", content="The queue holds 100 jobs."))
        edited = await ask(
            client, "reflect", action="edit", id=memory, content="The queue holds 200 jobs."
        )
        assert f"{memory} r2" in edited
        assert "200 jobs" in await ask(client, "recall", query="queue jobs")
        await ask(client, "reflect", action="undo", id=memory, expected_revision=2)
        assert "100 jobs" in await ask(client, "recall", query="queue jobs")
        confirmed = await ask(client, "reflect", action="confirm", id=memory)
        assert memory in confirmed
        history = await ask(client, "memories", view="history", ids=[memory])
        assert "200 jobs" in history


async def test_a_superseded_memory_is_replaced_and_said_to_be(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        old = id_in(await ask(client, "remember", content="Deploys run on Fridays."))
        answer = await ask(
            client, "reflect", action="supersede", id=old, content="Deploys run on Mondays."
        )
        new = id_in(answer)
        assert new != old
        assert f"supersedes {old}" in answer
        recalled = await ask(client, "recall", query="deploys run on")
        assert new in recalled
        assert f"{old} r" not in recalled


async def test_a_forgotten_memory_is_in_the_trash_until_it_is_restored(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        memory = id_in(await ask(client, "remember", content="Ada owns the billing module."))
        await ask(client, "forget", id=memory)
        assert memory not in await ask(client, "recall", query="billing module")
        assert memory in await ask(client, "memories", view="trash")
        await ask(client, "restore", id=memory)
        assert memory in await ask(client, "recall", query="billing module")
        assert "Ada owns the billing module." in await ask(
            client, "memories", view="get", ids=[memory]
        )


async def test_a_moved_revision_is_refused(connect: Any, either_backend: Any, ask: Any) -> None:
    async with connect() as client:
        memory = id_in(await ask(client, "remember", content="The cache lives for 60 s."))
        told = await ask(client, "forget", id=memory, expected_revision=9, fails=True)
    assert told.startswith("revision_moved: ")


BAD_INPUT: list[tuple[str, dict[str, Any], str]] = [
    ("remember", {}, "invalid_input"),
    ("remember", {"content": 5}, "invalid_input"),
    ("remember", {"content": None}, "invalid_input"),
    ("remember", {"content": ["a"]}, "invalid_input"),
    ("remember", {"content": "  \n "}, "invalid_input"),
    ("remember", {"content": "a\x00b"}, "invalid_input"),
    ("remember", {"content": LONG}, "too_large"),
    ("remember", {"content": "x", "kind": "rumour"}, "invalid_input"),
    ("remember", {"content": "x", "importance": 11}, "invalid_input"),
    ("remember", {"content": "x", "tags": "a"}, "invalid_input"),
    ("remember", {"content": "x", "tags": ["a"] * 21}, "too_large"),
    ("remember", {"content": "x", "files": ["a\x00"]}, "invalid_input"),
    ("remember", {"content": "x", "session_id": "mine"}, "invalid_input"),
    ("remember", {"content": "x", "supersedes": [NOBODY]}, "not_found"),
    ("recall", {"query": ""}, "invalid_input"),
    ("recall", {"query": "x", "limit": "many"}, "invalid_input"),
    ("recall", {"query": LONG}, "too_large"),
    ("recall", {"query": "x", "nonsense": 1}, "invalid_input"),
    ("reflect", {"action": "edit", "id": NOBODY}, "invalid_input"),
    ("reflect", {"action": "undo", "id": NOBODY}, "invalid_input"),
    ("reflect", {"action": "confirm", "id": NOBODY}, "not_found"),
    ("reflect", {"action": "destroy", "id": NOBODY}, "invalid_input"),
    ("forget", {"id": "../../etc/passwd"}, "invalid_input"),
    ("forget", {"id": "' OR 1=1 --"}, "invalid_input"),
    ("forget", {"id": NOBODY}, "not_found"),
    ("restore", {"id": NOBODY}, "not_found"),
    ("memories", {"view": "get"}, "invalid_input"),
    ("memories", {"view": "events"}, "invalid_input"),
    ("memories", {"limit": 10**30}, "invalid_input"),
]


async def test_bad_input_gets_an_error_with_a_code_and_a_mend(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        for tool, arguments, code in BAD_INPUT:
            told = await ask(client, tool, **arguments, fails=True)
            assert told.startswith(f"{code}: "), (tool, told)
            assert len(told) < 1000, (tool, told[:2000])
        assert (await ask(client, "remember", content="still alive")).startswith("stored")


async def test_the_syntax_of_a_search_engine_is_plain_text(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    syntax = ('"', "*", "a AND", "NEAR(", "content:x", "'; DROP TABLE memory; --", "%_\\", "(((")
    async with connect() as client:
        for query in (*syntax, "-x", "^"):
            assert await ask(client, "recall", query=query), query


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("remember", rb'{"content": "lone \ud800 surrogate"}'),
        ("remember", rb'{"content": "x", "tags": ["\udfff"]}'),
        ("recall", rb'{"query": "\ud800"}'),
        ("recall", rb'{"query": "x", "\ud800": 1}'),
        ("forget", rb'{"id": "\ud800"}'),
        ("recall", b'{"query": NaN}'),
    ],
)
def test_a_lone_surrogate_is_refused_with_a_code(
    wire: Any, no_server: Any, tool: str, arguments: bytes
) -> None:
    wire.initialize()
    wire.write(
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "%s", '
        b'"arguments": %s}}\n' % (tool.encode(), arguments)
    )
    result = wire.read()["result"]
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert text.startswith("invalid_input: ")
    assert text.encode()


async def test_a_call_carries_the_session_and_project_of_the_environment(
    connect: Any, backend: Any, ask: Any
) -> None:
    named = {"CLAUDE_CODE_SESSION_ID": "session-1", "CLAUDE_PROJECT_DIR": "/some/where é"}
    async with connect(**named) as client:
        await ask(client, "recall", query="anything")
        assert "session-1" in await ask(client, "memories", view="events")
    (call,) = backend.calls("recall")
    assert call["payload"] == {
        "query": "anything",
        "session_id": "session-1",
        "project_dir": "/some/where é",
    }
    assert call["headers"]["x-hitherto-protocol"] == "1"


async def test_without_them_the_working_directory_is_the_project(
    connect: Any, backend: Any, ask: Any, tmp_path: Path
) -> None:
    async with connect(cwd=tmp_path, CLAUDE_CODE_SESSION_ID="${UNFILLED}") as client:
        await ask(client, "recall", query="anything")
    (call,) = backend.calls("recall")
    assert call["payload"] == {"query": "anything", "project_dir": str(tmp_path)}


async def test_the_answer_says_what_was_withheld_and_that_recall_was_lexical(
    connect: Any, backend: Any, ask: Any
) -> None:
    async with connect() as client:
        old = id_in(await ask(client, "remember", content="alpha beta"))
        await ask(client, "remember", content="alpha gamma", supersedes=[old])
        told = await ask(client, "recall", query="alpha")
    assert told.endswith("\n\nWithheld: 1 superseded.\nRecall was lexical: model loading.")


async def until_it_answers(client: Any) -> None:
    """Ask until the server is up: on a busy machine a start may outlast the call's deadline."""
    deadline = time.monotonic() + 20
    while (await client.call_tool("memories", {"view": "stats"})).is_error:
        assert time.monotonic() < deadline, "the server did not come up again"


async def test_a_server_that_is_killed_between_calls_is_started_again(
    connect: Any, either_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        memory = id_in(await ask(client, "remember", content="It survives an outage."))
        for _ in range(3):
            either_backend.kill()
            await until_it_answers(client)
            assert memory in await ask(client, "recall", query="survives outage")


async def test_the_stand_in_keeps_each_key_once(connect: Any, backend: Any, ask: Any) -> None:
    async with connect() as client:
        await ask(client, "remember", content="one")
        await ask(client, "remember", content="two")
    keys = [call["payload"]["idempotency_key"] for call in backend.calls("remember")]
    assert len(set(keys)) == 2
    assert all(json.dumps(key).startswith('"mcp-') for key in keys)


async def test_an_agent_files_a_memory_in_a_category_that_it_adds(
    connect: Any, real_backend: Any, ask: Any
) -> None:
    async with connect() as client:
        before = await ask(client, "categories")
        added = await ask(client, "categories", action="add", name="nights")
        await ask(client, "remember", content="Deploys run at night.", category="nights")
        after = await ask(client, "categories")
        renamed = await ask(
            client, "categories", action="rename", name="nights", new_name="evenings"
        )
        trashed = await ask(client, "categories", action="trash", name="evenings")
    assert "nights" not in before
    assert "nights · 0 memories" in added
    assert "nights · 1 memory" in after
    assert "evenings · 1 memory" in renamed
    assert "evenings · 1 memory · in the trash" in trashed
    assert "still filed in evenings: 1;" in trashed


async def test_an_agent_without_a_judge_is_told_what_stays_unjudged(
    connect: Any, real_backend: Any, ask: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "limits.py").write_text("LIMIT = 7\n")
    async with connect(cwd=folder) as client:
        known = id_in(await ask(client, "remember", content="`LIMIT` in limits.py is 7."))
        (folder / "limits.py").write_text("LIMIT = 8\n")
        told = await ask(client, "sync")
        ranked = await ask(client, "recall", query="LIMIT", rerank=True)
    assert f"Unjudged:\n{known} r1 · limits.py · no backend\n" in told
    assert "1 memories looked at." in told
    assert "not ranked by judgment: no_backend" in ranked
