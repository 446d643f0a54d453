"""Approved plans: each once, an edited one in the former's place, in whatever order they come."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.wiring import rows

from hitherto_server.api.operations import perform_named
from hitherto_server.sessions.call import read_call

if TYPE_CHECKING:
    from .conftest import Client

FIRST = "# Importer\n\n1. Read the register cards.\n2. Write them into SQLite.\n"
SECOND = FIRST + "3. Log the progress into import.log.\n"
THIRD = SECOND + "4. Stop at the first card that cannot be read.\n"
OTHER = "Move the newsletter to another provider and warm up its addresses for two weeks.\n"
SLUG = "/home/ada/.claude/plans/calm-fox.md"


async def approves(
    client: Client, plan: str | None, *, file: str | None = SLUG, **body: Any
) -> None:
    response = {"plan": plan, **({"filePath": file} if file else {})}
    await client.says("PostToolUse", tool_name="ExitPlanMode", tool_response=response, **body)


def spooled(client: Client, plan: str, at_ms: int, file: str | None = SLUG) -> bytes:
    response = {"plan": plan, **({"filePath": file} if file else {})}
    body = {"cwd": str(client.project), "tool_name": "ExitPlanMode", "tool_response": response}
    return client.spool("PostToolUse", at_ms=at_ms, **body)


def current(client: Client) -> list[str]:
    """The plans that nothing has replaced."""
    query = (
        "SELECT content FROM memory AS m WHERE kind = 'plan' AND NOT EXISTS ("
        " SELECT 1 FROM relation WHERE kind = 'supersedes' AND older_number = m.number"
        " AND undone_at_ms IS NULL) ORDER BY number"
    )
    return [row[0] for row in rows(client.services.home.database, query)]


def replaced(client: Client) -> int:
    query = "SELECT count(*) FROM relation WHERE kind = 'supersedes' AND undone_at_ms IS NULL"
    return int(rows(client.services.home.database, query)[0][0])


async def test_an_edited_plan_replaces_the_former(client: Client) -> None:
    await approves(client, FIRST)
    await approves(client, SECOND)
    assert current(client) == [SECOND.strip()]
    assert len(client.memories("plan")) == 2, "the former stays readable"
    query = "SELECT DISTINCT source, source_ref FROM memory"
    assert rows(client.services.home.database, query) == [("plan", "calm-fox.md")]


async def test_a_plan_that_is_approved_again_unchanged_is_stored_once(client: Client) -> None:
    for _ in range(3):
        await approves(client, FIRST)
    assert client.memories("plan") == [FIRST.strip()]
    assert replaced(client) == 0


async def test_a_plan_that_goes_back_to_what_it_was_is_current_again(client: Client) -> None:
    for plan in (FIRST, SECOND, FIRST):
        await approves(client, plan)
    assert current(client) == [FIRST.strip()]
    assert len(client.memories("plan")) == 2


async def test_a_file_of_another_session_is_the_same_plan_and_another_file_is_not(
    client: Client,
) -> None:
    await approves(client, FIRST)
    await approves(client, SECOND, session_id="resumed")
    await approves(client, OTHER, file="/home/ada/.claude/plans/red-owl.md")
    assert current(client) == [SECOND.strip(), OTHER.strip()]


@pytest.mark.parametrize(("then", "left"), [(SECOND, 1), (OTHER, 2)])
async def test_without_a_file_the_words_tell_whether_a_session_s_plan_was_edited(
    client: Client, then: str, left: int
) -> None:
    await approves(client, FIRST, file=None)
    await approves(client, then, file=None)
    assert len(current(client)) == left
    assert then.strip() in current(client)


async def test_without_a_file_another_session_s_plan_is_left_alone(client: Client) -> None:
    await approves(client, FIRST, file=None)
    await approves(client, SECOND, file=None, session_id="t")
    assert len(current(client)) == 2


async def test_an_approval_that_comes_late_is_replaced_by_what_came_after_it(
    client: Client,
) -> None:
    early_ms = client.clock() + 10
    await approves(client, SECOND)
    await client.services.sessions._take_line(spooled(client, FIRST, early_ms))
    assert current(client) == [SECOND.strip()]


async def test_an_old_approval_that_comes_again_changes_nothing(client: Client) -> None:
    client.clock.pass_ms(20_000)
    early_ms = client.clock()
    await client.services.sessions._take_line(spooled(client, FIRST, early_ms))
    await approves(client, SECOND)
    client.services.sessions._recent.clear()  # as after a restart of the server
    await client.services.sessions._take_line(spooled(client, FIRST, early_ms))
    assert current(client) == [SECOND.strip()]
    assert replaced(client) == 1


async def test_approvals_in_any_order_leave_the_latest_current(client: Client) -> None:
    at_ms = client.clock() + 60_000
    client.clock.pass_ms(600_000)
    times = {FIRST: at_ms, SECOND: at_ms + 30_000, THIRD: at_ms + 60_000}
    for plan in (THIRD, FIRST, SECOND, FIRST):
        client.services.sessions._recent.clear()
        await client.services.sessions._take_line(spooled(client, plan, times[plan]))
    assert current(client) == [THIRD.strip()]
    assert len(client.memories("plan")) == 3


async def test_settings_and_plugin_together_store_a_plan_once(client: Client) -> None:
    await approves(client, FIRST)
    client.clock.pass_ms(20_000)
    response = {"plan": SECOND, "filePath": SLUG}
    calls = [
        client.call("PostToolUse", tool_name="ExitPlanMode", tool_response=response)
        for _ in range(2)
    ]
    for call in calls:
        await client.services.sessions.take(call)
    assert current(client) == [SECOND.strip()]
    assert replaced(client) == 1


async def test_a_kill_between_the_plan_and_its_approval_is_made_good_by_the_replay(
    client: Client,
) -> None:
    await approves(client, FIRST)
    await approves(client, SECOND)
    at_ms = client.clock()
    query = "DELETE FROM approval WHERE at_ms = ?"
    await client.services.store.writer.run(lambda c: c.execute(query, (at_ms,)).rowcount)
    client.services.sessions._recent.clear()
    await client.services.sessions._take_line(spooled(client, SECOND, at_ms))
    assert current(client) == [SECOND.strip()]
    assert replaced(client) == 1
    await approves(client, THIRD)
    assert current(client) == [THIRD.strip()]


async def test_a_plan_in_the_trash_is_replaced_by_nothing_and_stays_there(client: Client) -> None:
    await approves(client, FIRST)
    ((stored,),) = rows(client.services.home.database, "SELECT id FROM memory")
    await perform_named(client.services, "forget", {"id": stored})
    await approves(client, SECOND)
    assert replaced(client) == 0
    query = "SELECT content FROM memory WHERE trashed_at_ms IS NULL"
    assert rows(client.services.home.database, query) == [(SECOND.strip(),)]


@pytest.mark.parametrize("file", [5, None, "", "x" * 5000, "C:\\plans\\calm-fox.md", "a/b/"])
async def test_whatever_the_client_names_as_a_file_the_plan_is_stored(
    client: Client, file: object
) -> None:
    body = {
        "session_id": "s",
        "cwd": str(client.project),
        "tool_name": "ExitPlanMode",
        "tool_response": {"plan": FIRST, "filePath": file},
    }
    call = read_call("PostToolUse", json.dumps(body).encode(), at_ms=client.clock())
    await client.services.sessions.take(call)
    assert client.memories("plan") == [FIRST.strip()]
