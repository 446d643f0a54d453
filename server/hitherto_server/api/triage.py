"""The few most expendable memories, as an agent sees them: by what is known, nobody is asked."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from hitherto_contract import MemoriesReply
from hitherto_server.cleaning.expendable import find_expendable
from hitherto_server.store.memories import list_views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.cleaning.entries import Entry
    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection

MOST_FOR_AGENTS = 10
"""More would flood a context."""


def backend_of(services: Services) -> str | None:
    """Return a hash that differs where another backend or model would answer; None: nobody."""
    backend = services.judge.switches.config.backend
    if backend is None:
        return None
    return hashlib.sha256(backend.identity.encode()).hexdigest()[:16]


def list_triage(
    connection: Connection, services: Services, projects: Sequence[int] | None, *, limit: int
) -> MemoriesReply:
    """Return the most expendable memories, each with what speaks for it."""
    found = find_expendable(
        connection, now_ms=services.clock(), backend=backend_of(services), projects=projects
    )
    entries = [one.entry for one in found[: min(limit, MOST_FOR_AGENTS)]]
    return MemoriesReply(
        memories=list_views(connection, [one.members[0].id for one in entries]),
        reasons={one.members[0].id: _reason(one) for one in entries},
        total=len(found),
    )


def _reason(entry: Entry) -> str:
    scored = "" if entry.score is None else f"judged {entry.score.score:.1f} of 4 expendable; "
    return f"{scored}{'; '.join(entry.reasons)}"
