"""A clock that goes backwards changes nothing of what is newer than what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.wiring import NOW_MS, TestClock, rows

from hitherto_contract import ForgetRequest, ReflectRequest, RememberRequest, RestoreRequest
from hitherto_server.core.clock import DAY_MS
from hitherto_server.gates.reflect import forget, reflect, restore
from hitherto_server.gates.remember import remember
from hitherto_server.maintenance.backups import Backups
from hitherto_server.store.shelf import list_backups

if TYPE_CHECKING:
    from hitherto_server.services import Services


async def test_each_change_of_a_memory_is_later_than_the_one_before(
    services: Services, clock: TestClock
) -> None:
    told = RememberRequest(content="The port is 8080", scope="user")
    memory = (await remember(services.writes, told)).id
    for number, days in enumerate((-1, -400, 0, -2)):
        clock.now_ms = NOW_MS + days * DAY_MS
        edit = ReflectRequest(action="edit", id=memory, content=f"The port is 909{number}")
        await reflect(services.writes, edit)
    await forget(services.writes, ForgetRequest(id=memory))
    await restore(services.writes, RestoreRequest(id=memory))
    query = "SELECT changed_at_ms FROM revision ORDER BY revision"
    times = [at_ms for (at_ms,) in rows(services.home.database, query)]
    assert len(times) == 7
    assert times == sorted(set(times)), "strictly later"
    [(changed,)] = rows(services.home.database, "SELECT changed_at_ms FROM memory")
    assert changed == times[-1]


@pytest.mark.parametrize("how", ["named", "state key"])
async def test_what_replaces_a_memory_was_learned_after_it(
    services: Services, clock: TestClock, how: str
) -> None:
    key = "deploy.port" if how == "state key" else None
    told = RememberRequest(content="The port is 8080", scope="user", state_key=key)
    old = (await remember(services.writes, told)).id
    clock.pass_ms(-DAY_MS)
    named = [old] if how == "named" else []
    newer = RememberRequest(
        content="The port is 9090", scope="user", state_key=key, supersedes=named
    )
    done = await remember(services.writes, newer)
    assert done.superseded == [old]
    query = "SELECT id FROM memory ORDER BY learned_at_ms"
    assert rows(services.home.database, query) == [(old,), (done.id,)]


async def test_backups_go_on_though_the_newest_one_is_of_the_future(
    services: Services, clock: TestClock
) -> None:
    await services.backups.make("auto")
    clock.pass_ms(-3 * DAY_MS)
    later = Backups(services.home, services.store, clock, every_hours=24, kept=10)
    assert later._is_due()
    await later.make("auto")
    assert len(list_backups(services.home.backups)) == 2
