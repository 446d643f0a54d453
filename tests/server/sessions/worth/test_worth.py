"""A session's memories, notices and tokens are looked at behind it; kinds that err fall silent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import rows

from hitherto_contract import PurgeRequest, ReflectRequest, WorthRequest, WrongRequest
from hitherto_server.api.control import say_wrong
from hitherto_server.api.service import status_of
from hitherto_server.api.worth import worth_reply
from hitherto_server.core.errors import NotFound
from hitherto_server.gates.reflect import reflect
from hitherto_server.sessions.control.purge import purge
from hitherto_server.sessions.control.quiet import Target
from hitherto_server.store import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.server.sessions.conftest import Client

    from hitherto_contract import WorthReply
    from hitherto_server.store.driver import Connection

FACT = "The reactor pump is started by `spin_up` in pump.py, and never twice within an hour."
SESSION = "5d1c7c52-0f6f-4a51-a3f2-5a0e7a4b8d11"
ASKED = "How is the reactor pump started, and how often?"


@pytest.fixture
async def given(client: Client) -> str:
    """Have a session be given a memory that is tied to a file, and return its id."""
    (client.project / "pump.py").write_text("def spin_up():\n    return 1\n")
    (client.project / "other.py").write_text("")
    memory = await client.knows(FACT, files=["pump.py"])
    assert memory in await client.prompts(ASKED)
    client.clock.pass_ms(1000)
    return memory


async def look(client: Client, session: str = "s") -> WorthReply:
    return await worth_reply(client.services, WorthRequest(session_id=session))


async def edits(client: Client, name: str, *, session: str = "s") -> None:
    path = str(client.project / name)
    await client.says(
        "PostToolUse",
        session_id=session,
        tool_name="Edit",
        tool_use_id=f"toolu_{client.clock()}",
        tool_input={"file_path": path, "old_string": "a", "new_string": "b"},
        tool_response={"filePath": path},
    )


async def test_a_memory_whose_file_was_edited_afterwards_was_used(
    client: Client, given: str
) -> None:
    await edits(client, "pump.py")
    reply = await look(client)
    assert reply.session is not None
    (one,) = reply.session.given
    assert (one.id, one.outcome, one.because) == (given, "used", "file pump.py")
    assert (reply.session.recalls.useful, reply.recalls.useful) == (1, 1)
    assert reply.session.recalls.injected_tokens == one.tokens


async def test_a_memory_whose_file_was_edited_before_is_no_use(client: Client) -> None:
    (client.project / "pump.py").write_text("def spin_up():\n    return 1\n")
    await edits(client, "pump.py")
    await client.knows(FACT, files=["pump.py"])
    await client.prompts(ASKED)
    await edits(client, "pump.py")
    reply = await look(client)
    assert reply.session is not None
    assert reply.session.recalls.useful == 0


async def test_a_memory_beside_which_something_else_is_done_was_ignored(
    client: Client, given: str
) -> None:
    await edits(client, "other.py")
    reply = await look(client)
    assert reply.session is not None
    assert [one.outcome for one in reply.session.given] == ["ignored"]


async def test_a_memory_that_a_person_calls_wrong_was_false(client: Client, given: str) -> None:
    await edits(client, "pump.py")
    await say_wrong(client.services, WrongRequest(session_id="s", memory=given))
    reply = await look(client)
    assert reply.session is not None
    assert [(one.outcome, one.blame) for one in reply.session.given] == [("contradicted", "false")]
    assert reply.recalls.false == 1


async def test_a_memory_that_the_session_replaced_was_false(client: Client, given: str) -> None:
    await edits(client, "other.py")
    client.clock.pass_ms(1000)
    change = ReflectRequest(
        action="supersede",
        id=given,
        content="The reactor pump is started by `spin_up` in pump.py, twice within an hour.",
        project_dir=str(client.project),
        session_id="s",
    )
    await reflect(client.services.writes, change)
    reply = await look(client)
    assert reply.session is not None
    assert reply.session.recalls.false == 1


async def test_looking_again_changes_nothing(client: Client, given: str) -> None:
    await edits(client, "pump.py")
    first = await look(client)
    assert await look(client) == first
    count = "SELECT count(*) FROM memory_worth"
    assert rows(client.services.home.database, count) == [(1,)]


async def test_tokens_that_no_transcript_tells_are_unknown(client: Client, given: str) -> None:
    reply = await look(client)
    assert reply.session is not None
    assert reply.session.tokens.input is None
    assert reply.tokens.replies is None


async def test_tokens_are_read_from_the_transcript_that_a_hook_named(
    client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "projects" / "-work-pump" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(reply_row("m1")) + "\n" + json.dumps(reply_row("m1")) + "\n")
    await client.says("SessionStart", session_id=SESSION, source="startup")
    stop = client.call("Stop", session_id=SESSION, transcript_path=str(path))
    client.services.worth.note(stop)
    reply = await look(client, SESSION)
    assert reply.session is not None
    assert reply.session.tokens.model_dump() == {
        "input": 7,
        "output": 3,
        "cache_creation": None,
        "cache_read": 90,
        "replies": 1,
        "replies_that_do_not_say": 1,
    }
    path.unlink()
    later = await look(client, SESSION)
    assert later.session is not None
    assert later.session.tokens.input == 7  # what was known stays known


async def test_a_session_that_nobody_knows_is_refused(client: Client) -> None:
    with pytest.raises(NotFound):
        await look(client, "nobody")


async def test_a_standing_that_was_borne_out_counts(client: Client, given: str) -> None:
    await edits(client, "pump.py")
    reply = await look(client)
    assert [(one.kind, one.right) for one in reply.notices] == [("standing:current", 1)]


async def test_a_notice_is_counted_and_falls_silent_once_it_is_usually_wrong(
    client: Client, given: str
) -> None:
    write = client.services.store.writer.run
    await write(lambda c: erring(c, client.clock, "notice:changed"))
    await write(lambda c: c.execute("UPDATE shown_notice SET project_id = 1"))
    (client.project / "pump.py").write_text("def spin_up():\n    return 2\n")
    assert await news(client) == ""
    said = (await status_of(client.services)).notices
    assert [one for one in said if one.startswith("a notice: that its files have changed: fell")]
    await write(lambda c: shown.switch_on(c, "notice:changed", at_ms=client.clock()))
    assert given in await news(client)
    counted = "SELECT count(*) FROM shown_notice WHERE session_id = 's' AND kind = 'notice:changed'"
    assert rows(client.services.home.database, counted) == [(1,)]


async def news(client: Client) -> str:
    path = str(client.project / "pump.py")
    said = await client.says(
        "PostToolUse",
        tool_name="Edit",
        tool_use_id=f"toolu_{client.clock()}",
        tool_input={"file_path": path},
    )
    return str((said or {}).get("hookSpecificOutput", {}).get("additionalContext", ""))


def erring(connection: Connection, clock: Callable[[], int], kind: str) -> None:
    for number in range(shown.LEAST_DECIDED):
        at_ms = clock() - 5000
        shown.note_shown(connection, kind, f"s{number}", "m", at_ms=at_ms)
        shown.settle(connection, kind, f"s{number}", "m", "wrong", because="it held", at_ms=at_ms)


def reply_row(name: str) -> dict[str, Any]:
    usage = {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 90}
    message = {"id": name, "content": [{"type": "text", "text": "Hm."}], "usage": usage}
    return {"type": "assistant", "timestamp": "2026-11-30T08:00:00Z", "message": message}


async def test_a_session_whose_end_never_came_is_looked_at_once_it_rests(
    client: Client, given: str
) -> None:
    await edits(client, "pump.py")
    count = "SELECT count(*) FROM memory_worth"
    await client.services.worth.sweep()
    assert rows(client.services.home.database, count) == [(0,)]
    client.clock.pass_ms(10 * 60 * 1000)
    await client.services.worth.sweep()
    assert rows(client.services.home.database, count) == [(1,)]


async def test_of_a_folder_that_is_ignored_by_now_nothing_is_found_out(
    client: Client, given: str
) -> None:
    await edits(client, "pump.py")
    await client.services.quiet.begin("ignore", Target(path=str(client.project)))
    reply = await look(client)
    assert reply.session is not None
    assert reply.session.given == []


async def test_nothing_is_left_of_a_session_that_was_purged(client: Client, given: str) -> None:
    await edits(client, "pump.py")
    await look(client)
    request = PurgeRequest(session_id="s", confirmed=True)
    await purge(client.services.store, client.clock, request)
    for table in ("memory_worth", "session_worth", "shown_notice"):
        assert rows(client.services.home.database, f"SELECT count(*) FROM {table}") == [(0,)]


def test_silence_takes_many_cases_and_being_wrong_in_most() -> None:
    def said(right: int, wrong: int, ignored: int = 0, *, sessions: int = 3) -> str | None:
        times = {"right": right, "wrong": wrong, "ignored": ignored}
        return shown.Tally("k", times, sessions).silent_because

    assert said(0, shown.LEAST_DECIDED - 1) is None
    assert said(0, shown.LEAST_DECIDED) is not None
    assert said(0, shown.LEAST_DECIDED, sessions=shown.LEAST_SESSIONS - 1) is None
    assert said(2, 10) is not None
    assert said(4, 8) is None
    assert said(0, 0, shown.LEAST_SHOWN - 1) is None
    assert said(0, 0, shown.LEAST_SHOWN) is not None
    assert said(6, 0, 34) is None
