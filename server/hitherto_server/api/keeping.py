"""What a person should know of the database and its backups."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hitherto_server.core.clock import minute_of
from hitherto_server.maintenance.damage import mend_of_damage
from hitherto_server.store.sessions import MISSING_WRITES, counters
from hitherto_server.store.shelf import list_backups
from hitherto_server.store.transfer import list_unsettled

if TYPE_CHECKING:
    from hitherto_server.services import Services

MOST_NAMED = 3


def summary(services: Services) -> dict[str, Any]:
    """Return how many backups there are, how large, the newest, and why the last one failed."""
    found = list_backups(services.home.backups)
    failure = services.backups.failure
    return {
        "count": len(found),
        "bytes": sum(one.size_bytes for one in found),
        "newest": str(found[0].path) if found else None,
        "newest_at_ms": found[0].made_at_ms if found else None,
        "failure": asdict(failure) if failure else None,
    }


async def store_notices(services: Services) -> list[str]:
    """Return what is wrong with the database or its backups, each with its mend."""
    health, found = services.store.health, list[str]()
    if health.damage:
        mend = await asyncio.to_thread(mend_of_damage, services.home)
        found.append(f"the database is damaged, nothing more is written: {health.damage}. {mend}")
    elif health.index_damage:
        found.append(f"a word index is damaged: run `hitherto reindex` ({health.index_damage})")
    missing, unsettled = await services.store.readers.run(
        lambda c: (counters(c).get(MISSING_WRITES, 0), list_unsettled(c))
    )
    if missing:
        found.append(
            f"{missing} writes that were acknowledged are not in the database: its log was lost,"
            " or an older file was put in its place"
        )
    if failure := services.backups.failure:
        at = minute_of(failure.at_ms)
        found.append(f"the last backup failed ({at}): {failure.message}. {failure.mend}")
    if unsettled:
        named = ", ".join(unsettled[:MOST_NAMED])
        found.append(
            f"{len(unsettled)} memories were changed on both sides of a merge: {named}."
            " Confirm or edit what holds now; the other text is in the history"
        )
    return found
