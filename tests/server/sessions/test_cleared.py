"""After a clear the client has another session's name, and its MCP server still the former one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.wiring import rows

from hitherto_server.api.operations import perform_named

if TYPE_CHECKING:
    from .conftest import Client

TASK = "Mend the tests."


async def clears(client: Client, before: str, after: str, *, later_ms: int = 60) -> None:
    await client.says("SessionEnd", session_id=before, reason="clear")
    client.clock.pass_ms(later_ms)
    call = client.call("SessionStart", session_id=after, source="clear")
    await client.services.sessions.take(call)


async def loop_begins_in(client: Client, session: str, actor: str = "agent") -> str:
    """In which session a loop begins that is asked for in the name of one."""
    asked = {"action": "start", "task": TASK, "session_id": session, "actor": actor}
    return str((await perform_named(client.services, "loop", asked))["loop"]["session_id"])


async def test_a_call_in_the_name_from_before_a_clear_is_of_the_session_that_goes_on(
    client: Client,
) -> None:
    await client.starts("startup", session_id="a")
    await clears(client, "a", "b")
    await clears(client, "b", "c")
    assert await loop_begins_in(client, "a") == "c"
    remembered = {"content": "The port is 8080.", "session_id": "a", "scope": "user"}
    await perform_named(client.services, "remember", remembered)
    query = "SELECT session_id FROM memory"
    assert rows(client.services.home.database, query) == [("c",)]


async def test_a_person_who_names_a_session_means_that_one(client: Client) -> None:
    await client.starts("startup", session_id="a")
    await clears(client, "a", "b")
    assert await loop_begins_in(client, "a", actor="cli") == "a"


async def test_of_two_clears_at_once_in_one_folder_nobody_guesses(client: Client) -> None:
    for session in ("a", "b"):
        await client.starts("startup", session_id=session)
    calls = [client.call("SessionEnd", session_id=one, reason="clear") for one in ("a", "b")]
    calls += [client.call("SessionStart", session_id=one, source="clear") for one in ("c", "d")]
    for call in calls:
        await client.services.sessions.take(call)
    assert await loop_begins_in(client, "a") == "a"


async def test_a_session_that_ended_otherwise_or_long_ago_is_not_followed(client: Client) -> None:
    for session in ("a", "b"):
        await client.starts("startup", session_id=session)
    await client.says("SessionEnd", session_id="a", reason="other")
    await client.starts("clear", session_id="c")
    assert await loop_begins_in(client, "a") == "a"
    await clears(client, "b", "d", later_ms=60_000)
    assert await loop_begins_in(client, "b") == "b"


async def test_a_session_that_is_taken_up_again_is_itself(client: Client) -> None:
    await client.starts("startup", session_id="a")
    await clears(client, "a", "b")
    await client.starts("resume", session_id="a")
    assert await loop_begins_in(client, "a") == "a"
