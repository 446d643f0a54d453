"""The log of judgments: bounded, written beside the asks, and nothing of it lost unseen."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from tests.server.judge.conftest import QUESTIONS, STATE, surface
from tests.wiring import rows

from hitherto_server.core.errors import StoreFull
from hitherto_server.judge import log as log_module
from hitherto_server.judge.asking import Asking
from hitherto_server.store import judgments
from hitherto_server.store.judgments import clear_cache, drop_previews, list_entries, list_sessions

if TYPE_CHECKING:
    import pytest
    from tests.server.judge.conftest import Bench


async def ask(bench: Bench, number: int, **asking: Any) -> int | None:
    """Ask about something of its own, and return the number in the log."""
    state = {**STATE, "number": f"number {number}"}
    got = await bench.judge.ask(surface(), state, QUESTIONS, Asking(origin="tool", **asking))
    return got.log_id


async def test_the_newest_are_kept_and_numbers_are_never_given_twice(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgments, "KEPT_ENTRIES", 3)
    monkeypatch.setattr(judgments, "KEPT_ANSWERS", 2)
    numbers = [await ask(bench, number) for number in range(6)]
    await bench.judge.flush()
    assert rows(bench.database, "SELECT id FROM judgment_log") == [(one,) for one in numbers[-3:]]
    assert rows(bench.database, "SELECT count(*) FROM judgment_cache") == [(2,)]
    assert len(set(numbers)) == 6


async def test_an_ask_does_not_wait_for_the_log(bench: Bench) -> None:
    """The writer is busy: the answer is there, the log follows."""

    def hold(_: Any) -> None:
        time.sleep(2)

    writing = asyncio.create_task(bench.judge.log.store.writer.run(hold))
    await asyncio.sleep(0)
    began = time.monotonic()
    await ask(bench, 1)
    assert time.monotonic() - began < 1.5
    assert not writing.done()
    await writing
    await bench.judge.flush()
    assert rows(bench.database, "SELECT count(*) FROM judgment_log") == [(1,)]


async def test_what_the_database_refuses_is_written_when_it_can_be(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "AGAIN_S", 0.05)
    refusals = 2

    def put_notes(*arguments: Any) -> None:
        nonlocal refusals
        if refusals:
            refusals -= 1
            message = "no space"
            raise StoreFull(message)
        judgments.put_notes(*arguments)

    monkeypatch.setattr(log_module, "put_notes", put_notes)
    await ask(bench, 1)
    deadline = time.monotonic() + 20
    while not rows(bench.database, "SELECT 1 FROM judgment_log"):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    assert refusals == 0


async def test_what_has_to_be_dropped_is_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.judge.flush()
    monkeypatch.setattr(log_module, "MOST_WAITING", 2)
    for number in range(4):
        bench.judge.log.note_outcome(number, {"did": "nothing"})
    assert bench.judge.log.lost == 2
    await bench.judge.flush()
    counted = rows(bench.database, "SELECT value FROM counter WHERE name = 'lost_judgment_notes'")
    assert (counted, bench.judge.log.lost) == ([(2,)], 0)


async def test_a_project_that_nobody_knows_loses_no_entry(bench: Bench) -> None:
    await ask(bench, 1, project_id=77)
    await bench.judge.flush()
    assert rows(bench.database, "SELECT project_id FROM judgment_log") == [(None,)]


async def test_the_log_is_listed_by_session_surface_and_origin_page_by_page(bench: Bench) -> None:
    for number in range(5):
        await ask(bench, number, session_id=f"s{number % 2}", riders=("rider",))
    await bench.judge.flush()
    readers = bench.judge.log.store.readers

    async def ids(**wanted: Any) -> list[int]:
        found = await readers.run(lambda c: list_entries(c, **wanted))
        return [row["id"] for row in found]

    assert await ids() == [5, 4, 3, 2, 1]
    assert await ids(limit=2, before_id=4) == [3, 2]
    assert await ids(session_id="s1") == [4, 2]
    assert await ids(surface="rider") == [5, 4, 3, 2, 1]
    assert await ids(surface="another") == []
    assert await ids(origin="hook") == []
    sessions = await readers.run(lambda c: list_sessions(c, 10))
    assert [(row["session_id"], row["asked"]) for row in sessions] == [("s0", 3), ("s1", 2)]


async def test_a_preview_that_holds_a_piece_of_a_text_is_dropped_with_it(bench: Bench) -> None:
    text = " ".join(f'word{number} "quoted" für' for number in range(200))
    states = ({"text": text}, {"text": f"before {text[900:960]} after"}, {"text": "another thing"})
    for state in states:
        await bench.judge.ask(surface(), state, QUESTIONS, Asking(origin="tool"))
    await bench.judge.flush()
    writer = bench.judge.log.store.writer
    assert await writer.run(lambda c: drop_previews(c, [text])) == 2
    shown = rows(bench.database, "SELECT preview FROM judgment_log ORDER BY id")
    assert shown == [(None,), (None,), ('{"text": "another thing"}',)]
    assert await writer.run(clear_cache) == 3
