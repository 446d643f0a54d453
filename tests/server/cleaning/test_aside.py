"""What keeps being false is set aside days later; whoever takes that back has the last word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.wiring import rows

from hitherto_server.api.service import status_of
from hitherto_server.cleaning.aside import Aside
from hitherto_server.core.clock import DAY_MS

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

    from .conftest import Home


async def wrong(home: Home, memory: str, *sessions: str) -> None:
    """Say of a memory that it is wrong, as it reads now."""
    number, at_ms = await home.number(memory), home.clock()

    def job(connection: Connection) -> None:
        for session in sessions:
            connection.execute(
                "INSERT INTO feedback (session_id, admission, memory_number, revision, said_by,"
                " said_at_ms) VALUES (?, 'a', ?, 1, 'cli', ?)",
                (session, number, at_ms),
            )

    await home.store.writer.run(job)


async def used(home: Home, memory: str, *sessions: str) -> None:
    number = await home.number(memory)

    def job(connection: Connection) -> None:
        for session in sessions:
            connection.execute(
                "INSERT INTO memory_worth (session_id, agent, generation, memory_number, revision,"
                " outcome, because, given_at_ms) VALUES (?, '', 1, ?, 1, 'used', 'file a.py', 1)",
                (session, number),
            )

    await home.store.writer.run(job)


async def set_aside(home: Home, days: int = 7) -> int:
    return await Aside(home.store, home.clock, days).set_aside()


def in_trash(home: Home) -> list[str]:
    query = "SELECT id FROM memory WHERE trashed_at_ms IS NOT NULL"
    return [row[0] for row in rows(home.me.services.home.database, query)]


async def test_it_goes_some_days_after_and_comes_back_by_an_undo_for_good(home: Home) -> None:
    memory = (await home.me.remember("The pump of the reactor starts twice an hour.")).id
    await wrong(home, memory, "s", "t")
    home.clock.pass_ms(6 * DAY_MS)
    assert await set_aside(home) == 0
    home.clock.pass_ms(2 * DAY_MS)
    assert await set_aside(home, days=0) == 0
    assert await set_aside(home) == 1
    assert in_trash(home) == [memory]
    told = (await status_of(home.me.services)).notices
    assert [one for one in told if memory in one and "set aside" in one]
    [(action,)] = rows(home.me.services.home.database, "SELECT id FROM cleaning_action")
    await home.cleaner.undo(action, actor="cli")
    assert in_trash(home) == []
    home.clock.pass_ms(30 * DAY_MS)
    assert await set_aside(home) == 0


async def test_what_a_person_told_is_only_offered(home: Home) -> None:
    memory = (await home.me.remember("The pump starts twice an hour.", source="user-told")).id
    await wrong(home, memory, "s", "t")
    home.clock.pass_ms(30 * DAY_MS)
    assert await set_aside(home) == 0
    entry = await home.only("expendable")
    assert entry.members[0].id == memory
    assert entry.reasons[0] == "said to be wrong in 2 sessions"


async def test_what_was_used_as_often_stays(home: Home) -> None:
    memory = (await home.me.remember("The pump of the reactor starts twice an hour.")).id
    await wrong(home, memory, "s", "t")
    await used(home, memory, "u", "v")
    home.clock.pass_ms(30 * DAY_MS)
    assert await set_aside(home) == 0


async def test_what_was_wrong_once_stays(home: Home) -> None:
    await wrong(home, (await home.me.remember("The pump starts twice an hour.")).id, "s")
    home.clock.pass_ms(30 * DAY_MS)
    assert await set_aside(home) == 0


async def test_what_a_person_dismissed_stays(home: Home) -> None:
    memory = (await home.me.remember("The pump of the reactor starts twice an hour.")).id
    await wrong(home, memory, "s", "t")
    await home.dismiss("expendable", await home.only("expendable"))
    home.clock.pass_ms(30 * DAY_MS)
    assert await set_aside(home) == 0


@pytest.mark.parametrize("change", ["edit", "confirm"])
async def test_what_was_mended_since_stays(home: Home, change: str) -> None:
    memory = (await home.me.remember("The pump of the reactor starts twice an hour.")).id
    await wrong(home, memory, "s", "t")
    home.clock.pass_ms(1000)
    if change == "edit":
        await home.me.reflect(memory, "edit", content="The pump starts once an hour.")
    else:
        await home.me.reflect(memory, "confirm")
    home.clock.pass_ms(30 * DAY_MS)
    assert await set_aside(home) == 0
