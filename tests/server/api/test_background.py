"""Judged work over the API: what waits, what failed, and what takes it up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.wiring import TestClock, opened

from hitherto_contract.background import BackfillRequest
from hitherto_server.api.background import jobs_of
from hitherto_server.api.service import status_of
from hitherto_server.store import jobs

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.store.driver import Connection


async def test_what_failed_for_good_is_told_in_the_status_with_what_mends_it(
    tmp_path: Path,
) -> None:
    clock = TestClock()
    async with opened(tmp_path / "home", clock) as services:
        await services.judged.close()  # nobody takes it while it is looked at

        def job(connection: Connection) -> None:
            at_ms = clock()
            for subject in ("a", "b"):
                jobs.put(connection, "relate", subject, priority=jobs.RELATE, at_ms=at_ms)
            taken = jobs.lease(connection, ["relate"], at_ms=at_ms, until_ms=at_ms + 1)
            assert taken is not None
            jobs.fail(connection, taken, failure="invalid", at_ms=at_ms)

        await services.store.writer.run(job)
        found = await jobs_of(services)
        assert found.counts == {"relate": {"failed": 1, "waiting": 1}}
        assert [(one.subject, one.failure) for one in found.failed] == [("a", "invalid")]
        status = await status_of(services)
        assert status.pending["judgments"] == 1
        assert any("hitherto judge jobs" in one for one in status.notices)


def test_a_start_needs_to_be_confirmed() -> None:
    with pytest.raises(ValueError, match="estimate first"):
        BackfillRequest(action="start")
    assert BackfillRequest(action="start", confirm=True).confirm
