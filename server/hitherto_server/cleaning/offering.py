"""Finds what handles name, as it is offered now; what has moved on or is settled is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from hitherto_server.cleaning.entries import Entry, members_of
from hitherto_server.cleaning.expendable import find_expendable
from hitherto_server.cleaning.reading import (
    find_conflicts,
    find_copies,
    find_duplicates,
    find_misfiled,
    find_replaced,
    without_dismissed,
)
from hitherto_server.core.errors import NotFound, NotOffered, RevisionMoved
from hitherto_server.store.cleaning import Wanted, find_relation
from hitherto_server.store.memories import get_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.cleaning.entries import Handle, ListName
    from hitherto_server.store.driver import Connection


@dataclass(frozen=True)
class Asked:
    """Which entries of which list, and what is known of them from elsewhere."""

    which: ListName
    handles: Sequence[Handle]
    now_ms: int
    backend: str | None = None
    stale: Sequence[Entry] = ()
    """Found by looking at files, which no transaction waits for."""


def find_offered(connection: Connection, asked: Asked) -> list[Entry]:
    """Return the entries that the handles name; refuse all if one is not as it was seen."""
    known = {handle.text: _number(connection, handle) for handle in asked.handles}
    numbers = [known[one.text] for one in asked.handles if one.relation is None]
    relations = [one.relation for one in asked.handles if one.relation is not None]
    offered = {_key(entry): entry for entry in _entries(connection, asked, numbers, relations)}
    found: dict[tuple[bool, int], Entry] = {}
    for handle in asked.handles:
        key = (handle.relation is not None, known[handle.text])
        if key not in offered:
            message = f"{handle.text} is not among the {asked.which} any more"
            raise NotOffered(message)
        found[key] = offered[key]
    return list(found.values())


def _number(connection: Connection, handle: Handle) -> int:
    """Return the number of what a handle names; refuse it if a memory has moved on since."""
    if handle.relation is None:
        return int(get_row(connection, handle.memory or "", handle.revisions[0])["number"])
    relation = find_relation(connection, handle.relation)
    if relation is None:
        message = f"there is no pair {handle.text}"
        raise NotFound(message, mend="Read the list again.")
    both = (relation["newer_number"], relation["older_number"])
    members = members_of(connection, both)
    for number, revision in zip(both, handle.revisions, strict=True):
        if members[number].revision != revision:
            now = members[number]
            message = f"memory {now.id} is at revision {now.revision}, not {revision}"
            raise RevisionMoved(message)
    return handle.relation


def _key(entry: Entry) -> tuple[bool, int]:
    if entry.relation is not None:
        return True, entry.relation
    return False, entry.members[0].number


def _entries(
    connection: Connection, asked: Asked, numbers: Sequence[int], relations: Sequence[int]
) -> Sequence[Entry]:
    pairs = Wanted(only=relations, most=max(1, len(relations)))
    wanted = Wanted(only=numbers, most=max(1, len(numbers)))
    match asked.which:
        case "duplicates":
            return [*find_duplicates(connection, pairs), *find_copies(connection, wanted)]
        case "conflicts":
            return find_conflicts(connection, pairs)
        case "replaced":
            return find_replaced(connection, pairs)
        case "expendable":
            found = find_expendable(
                connection, now_ms=asked.now_ms, backend=asked.backend, only=numbers
            )
            return [one.entry for one in found]
        case "misfiled":
            return find_misfiled(connection, wanted)
        case "stale":
            return without_dismissed(connection, "stale", _live(connection, asked.stale))
        case _:
            assert_never(asked.which)


def _live(connection: Connection, entries: Sequence[Entry]) -> list[Entry]:
    return [
        one for one in entries if get_row(connection, one.members[0].id)["trashed_at_ms"] is None
    ]
