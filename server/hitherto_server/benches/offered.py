"""The clean-up's own order of what may be expendable, where nothing was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.benches.ranked import learned_on, triage_label
from hitherto_server.benches.trial import Said
from hitherto_server.cleaning.entries import Entry
from hitherto_server.cleaning.expendable import OLD_MS, UNIMPORTANT, Found, ranked
from hitherto_server.core.clock import DAY_MS
from hitherto_server.judge.surfaces.trash_triage import MOST_CANDIDATES, Candidate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.benches.items import Worth


def offered(items: Sequence[Worth]) -> list[Sequence[Said]]:
    """Return what the first of the list are said to be: as many as are expendable in truth."""
    order = [one.number for one in ranked(_found(at, item) for at, item in enumerate(items))]
    true = sum(triage_label(one).expected == "expendable" for one in items)
    places = {number: place for place, number in enumerate(order)}
    said = [
        Said("expendable" if places[at] < true else "kept", order=-places[at])
        for at in range(len(items))
    ]
    return [said[at : at + MOST_CANDIDATES] for at in range(0, len(said), MOST_CANDIDATES)]


def _found(at: int, item: Worth) -> Found:
    reasons = (
        item.duplicates_another,
        item.written_importance <= UNIMPORTANT,
        item.times_recalled == 0,
        item.age_days * DAY_MS > OLD_MS,
    )
    candidate = Candidate(
        key="",
        content=item.content,
        category=None,
        importance=item.written_importance,
        learned_on=learned_on(item),
        times_recalled=item.times_recalled,
        duplicates_another=item.duplicates_another,
    )
    entry = Entry(members=(), reasons=(), said_by="rule", choices=("trash",))
    return Found(at, 1, candidate, entry, sum(reasons), -item.age_days * DAY_MS)
