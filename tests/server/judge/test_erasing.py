"""Erase and purge reach what was judged: the log, the kept answers, and those of backups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.server.judge.conftest import QUESTIONS, surface
from tests.system_one_stub import SystemOneStub, use_stub
from tests.wiring import TestClock, opened, rows

from hitherto_contract import EraseRequest, PurgeRequest
from hitherto_server.judge.asking import Asking
from hitherto_server.maintenance.erase import Eraser
from hitherto_server.sessions.control.purge import purge

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from hitherto_server.services import Services

SLIPPED = " ".join(f"kolibri {number} flies over the harbour" for number in range(30))
"""Longer than a preview, which therefore holds a piece of it."""


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    """Return a server's parts that had a text and another judged."""
    with SystemOneStub() as stub:
        async with opened(tmp_path / "home", TestClock()) as made:
            await use_stub(made.judge, stub)
            for number, text in enumerate((f"It says: {SLIPPED}", "another thing")):
                asking = Asking(origin="tool", session_id=f"s{number}")
                await made.judge.ask(surface(), {"text": text}, QUESTIONS, asking)
            yield made


def judged(database: Path) -> list[tuple[Any, ...]]:
    return rows(database, "SELECT session_id, preview FROM judgment_log ORDER BY id")


def kept(database: Path) -> int:
    return int(rows(database, "SELECT count(*) FROM judgment_cache")[0][0])


async def test_an_erased_text_leaves_previews_and_kept_answers_of_store_and_backups(
    services: Services,
) -> None:
    home, writes = services.home, services.writes
    eraser = Eraser(home, services.store, writes.splitter, writes.on_written, services.backups)
    backup = home.backups / "before.db"
    async with services.judge.forgetting():
        await services.store.writer.maintain(lambda c: c.execute("VACUUM INTO ?", (str(backup),)))
        assert (kept(home.database), kept(backup)) == (2, 2)
        await eraser.erase(EraseRequest(text=SLIPPED, confirmed=True))
    for database in (home.database, backup):
        assert judged(database) == [("s0", None), ("s1", '{"text": "another thing"}')]
        assert kept(database) == 0
        assert b"kolibri" not in database.read_bytes()


async def test_a_purged_session_leaves_neither_log_nor_kept_answers(services: Services) -> None:
    asked = PurgeRequest(session_id="s0", confirmed=True)
    async with services.judge.forgetting():
        reply = await purge(services.store, services.clock, asked)
    assert reply.counts["judgments"] == 1
    assert [session for session, _ in judged(services.home.database)] == ["s1"]
    assert kept(services.home.database) == 0
