"""Near-duplicates share one place: of those that say the same, a session is given the newest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.store.relations import list_repeats

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hitherto_server.recall.hits import Found
    from hitherto_server.store.driver import Connection

REPEATED = "a newer one says it"


def bar_repeated(
    connection: Connection, found: Sequence[Found], delivered: Collection[tuple[int, int]]
) -> list[Found]:
    """Return the memories, those barred whose place a newer one takes that says or updates it."""
    newer = list_repeats(connection, [one.number for one in found])
    if not newer:
        return list(found)
    given = {one.number for one in found if _may_be_given(one)}
    given |= {number for number, _ in delivered}
    says_it = {one.number: newer.get(one.number, frozenset()) & given for one in found}
    marked = {
        one.number: replace(one, barred=REPEATED)
        if one.barred is None and says_it[one.number]
        else one
        for one in found
    }
    placed: dict[int, Found] = {}
    for number, one in marked.items():
        if one.barred == REPEATED:
            for other in sorted(says_it[number] & marked.keys()):
                placed.setdefault(other, marked[other])
        placed.setdefault(number, one)
    return list(placed.values())


def _may_be_given(found: Found) -> bool:
    is_fit = found.barred is None and found.below is None
    return is_fit and not found.is_suspect and found.tier == "admitted"
