"""Events are noted once, sessions go on, and generations count what is gone from the context."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from hitherto_server.store.sessions import (
    NewEvent,
    begin_session,
    end_session,
    find_session,
    list_events,
    next_generation,
    put_event,
)

if TYPE_CHECKING:
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection


def event(at_ms: int = 100_000, **differing: str) -> NewEvent:
    given = {"session_id": "s", "name": "PostToolUse", "body_hash": "h", **differing}
    return NewEvent(
        **given, at_ms=at_ms, received_at_ms=at_ms, spooled=False, tool_name=None, detail={"a": 1}
    )


@pytest.mark.parametrize("later", [-10_000, 0, 5, 10_000])
async def test_the_same_event_within_ten_seconds_is_one(store: Store, later: int) -> None:
    def job(connection: Connection) -> tuple[int | None, int | None]:
        return put_event(connection, event()), put_event(connection, event(100_000 + later))

    first, second = await store.writer.run(job)
    assert first is not None
    assert second is None


@pytest.mark.parametrize(
    "other",
    [
        event(110_001),
        event(89_999),
        event(session_id="t"),
        event(name="Stop"),
        event(body_hash="i"),
    ],
)
async def test_what_differs_is_another_event(store: Store, other: NewEvent) -> None:
    def job(connection: Connection) -> list[int | None]:
        return [put_event(connection, event()), put_event(connection, other)]

    assert None not in await store.writer.run(job)


async def test_events_are_listed_in_pages_the_oldest_first(store: Store) -> None:
    def job(connection: Connection) -> None:
        for number in range(5):
            put_event(connection, event(body_hash=str(number), name=str(number)))

    await store.writer.run(job)
    names = [
        [
            row["name"]
            for row in await store.readers.run(
                lambda c, o=o: list_events(c, "s", limit=2, offset=o)
            )
        ]
        for o in (0, 2, 4)
    ]
    assert names == [["0", "1"], ["2", "3"], ["4"]]


async def test_a_session_that_is_resumed_goes_on(store: Store) -> None:
    def job(connection: Connection) -> None:
        begin_session(connection, "s", client="c", at_ms=10, working_dir="/a")
        end_session(connection, "s", reason="exit", at_ms=20)
        begin_session(connection, "s", client="c", at_ms=30)
        begin_session(connection, "s", client="c", at_ms=15, working_dir=None)

    await store.writer.run(job)
    row = await store.readers.run(lambda c: find_session(c, "s"))
    assert row is not None
    assert (row["started_at_ms"], row["seen_at_ms"], row["ended_at_ms"]) == (10, 30, None)
    assert row["working_dir"] == "/a"


async def test_a_generation_counts_for_one_session_alone(store: Store) -> None:
    def job(connection: Connection) -> None:
        for name in ("s", "t"):
            begin_session(connection, name, client="c", at_ms=0)
        next_generation(connection, "s", 1)
        next_generation(connection, "s", 2)

    await store.writer.run(job)
    rows = [await store.readers.run(partial(find_session, session_id=name)) for name in ("s", "t")]
    assert [row["generation"] for row in rows if row is not None] == [2, 0]
