"""What a person said is wrong isn't given unasked: not again in that session, later nowhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.store.feedback import said_in

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hitherto_server.recall.hits import Found
    from hitherto_server.store.driver import Connection

DEMOTED_AT = 2
"""In so many sessions it was said to be wrong: then it is given unasked in none."""
WRONG_HERE = "said to be wrong in this session"


def bar_wrong(connection: Connection, found: Sequence[Found], session_id: str) -> list[Found]:
    """Return the memories with those barred that a person said are wrong."""
    here = said_in(connection, session_id)
    return [_barred(one, here) for one in found]


def _barred(found: Found, here: Collection[int]) -> Found:
    if found.barred is not None:
        return found
    if found.number in here:
        return replace(found, barred=WRONG_HERE)
    if found.wrong_sessions >= DEMOTED_AT:
        return replace(found, barred=f"said to be wrong in {found.wrong_sessions} sessions")
    return found
