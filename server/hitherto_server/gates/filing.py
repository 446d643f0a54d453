"""Whether a judgment looks at a memory's category once it is written; nobody waits for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.store import jobs

if TYPE_CHECKING:
    from hitherto_server.judge.asking import Asks
    from hitherto_server.store.driver import Connection

KIND = "file"
"""Of the job."""


def checks_filing(judge: Asks) -> bool:
    """Tell whether categories are judged now."""
    from hitherto_server.judge.surfaces.category_check import SURFACE  # not at start

    return judge.is_on(SURFACE)


def check_filing(connection: Connection, memory_id: str, *, at_ms: int) -> None:
    """Ask for a look at a memory's category; it is done after the write is durable."""
    jobs.put(connection, KIND, memory_id, priority=jobs.CLASSIFY, at_ms=at_ms)
