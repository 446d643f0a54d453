"""The lists that stand in the store: duplicates, misfiled, replaced, conflicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.cleaning.entries import Entry, dropped_of, members_of, pair_of
from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.text import is_count
from hitherto_server.store.categories import list_misfiled
from hitherto_server.store.cleaning import (
    LAST,
    Wanted,
    category_names,
    list_copies,
    list_dismissed,
    list_pairs,
    list_replaced,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.cleaning.entries import Choice, Member
    from hitherto_server.store.driver import Connection, Row

SAME_EVERYWHERE = "the very same holds everywhere"


@dataclass(frozen=True)
class Page:
    """A part of a list, and where the next one begins."""

    entries: tuple[Entry, ...]
    cursor: str | None = None


def read_duplicates(connection: Connection, wanted: Wanted, cursor: str | None) -> Page:
    """Return copies first, then pairs that say much the same, the latest first."""
    copies: list[Entry] = []
    at = _cursor(cursor, "c", "r")
    if at is None or at[0] == "c":
        copies = find_copies(connection, wanted, after=at[1] if at else 0)
        if len(copies) >= wanted.most:
            return Page(tuple(copies), f"c{copies[-1].members[0].number}")
    before = at[1] if at and at[0] == "r" else LAST
    rest = Wanted(wanted.projects, wanted.only, wanted.most - len(copies))
    rows = list_pairs(connection, "duplicate_of", rest, before=before)
    return _page(rows, rest, [*copies, *_duplicates(connection, rows)])


def find_copies(connection: Connection, wanted: Wanted, *, after: int = 0) -> list[Entry]:
    """Return memories of projects whose text holds everywhere as well."""
    rows = list_copies(connection, wanted, after=after)
    members = members_of(connection, [n for row in rows for n in (row["number"], row["other"])])
    return [
        Entry(
            members=(members[row["number"]], members[row["other"]]),
            reasons=(SAME_EVERYWHERE,),
            said_by="rule",
            choices=("trash",),
            probability=1.0,
        )
        for row in rows
    ]


def find_duplicates(connection: Connection, wanted: Wanted) -> list[Entry]:
    """Return pairs that say much the same."""
    return _duplicates(connection, list_pairs(connection, "duplicate_of", wanted))


def find_conflicts(connection: Connection, wanted: Wanted, *, before: int = LAST) -> list[Entry]:
    """Return pairs that may contradict each other."""
    rows = list_pairs(connection, "possible_conflict", wanted, before=before)
    return _pairs(connection, rows, ("newer", "older"))


def find_replaced(connection: Connection, wanted: Wanted, *, before: int = LAST) -> list[Entry]:
    """Return what rules and judgments replaced."""
    return _pairs(connection, list_replaced(connection, wanted, before=before), ("take-back",))


def read_conflicts(connection: Connection, wanted: Wanted, cursor: str | None) -> Page:
    """Return a page of conflicts that nobody settled, the latest first."""
    return _relations(find_conflicts(connection, wanted, before=_before(cursor)), wanted)


def read_replaced(connection: Connection, wanted: Wanted, cursor: str | None) -> Page:
    """Return a page of what was replaced and nobody has looked at, the latest first."""
    return _relations(find_replaced(connection, wanted, before=_before(cursor)), wanted)


def find_misfiled(connection: Connection, wanted: Wanted, *, before: int = LAST) -> list[Entry]:
    """Return what was judged to belong in another category."""
    return without_dismissed(
        connection, "misfiled", _misfiled(connection, _misfiled_rows(connection, wanted, before))
    )


def read_misfiled(connection: Connection, wanted: Wanted, cursor: str | None) -> Page:
    """Return a page of what belongs elsewhere, the latest judgment first."""
    rows = _misfiled_rows(connection, wanted, _before(cursor))
    entries = without_dismissed(connection, "misfiled", _misfiled(connection, rows))
    return _page(rows, wanted, entries)


def without_dismissed(connection: Connection, which: str, entries: Sequence[Entry]) -> list[Entry]:
    """Leave out what somebody dismissed as it is offered now."""
    numbers = [one.members[0].number for one in entries]
    gone = list_dismissed(connection, which, numbers)
    return [one for one in entries if (one.members[0].number, one.what) not in gone]


def after_number(cursor: str | None) -> int:
    """Return after which memory a page begins."""
    at = _cursor(cursor, "n")
    return at[1] if at else 0


def _misfiled_rows(connection: Connection, wanted: Wanted, before: int) -> list[Row]:
    return list_misfiled(
        connection,
        projects=wanted.projects,
        only=wanted.only,
        most=wanted.most,
        before=before,
    )


def _misfiled(connection: Connection, rows: Sequence[Row]) -> list[Entry]:
    members = members_of(connection, [row["number"] for row in rows])
    names = category_names(connection, [row["goal"] for row in rows])
    return [
        Entry(
            members=(members[row["number"]],),
            reasons=(f"belongs in {names[row['goal']]}",),
            said_by="judge",
            choices=("move",),
            probability=row["probability"],
            said_at_ms=row["judged_at_ms"],
            goal=row["goal"],
            goal_name=names[row["goal"]],
            what=str(row["goal"]),
        )
        for row in rows
    ]


def _duplicates(connection: Connection, rows: Sequence[Row]) -> list[Entry]:
    members = _members(connection, rows)
    return [_entry(row, members, _ways_of(*pair_of(row, members))) for row in rows]


def _ways_of(newer: Member, older: Member) -> tuple[Choice, ...]:
    first = dropped_of(newer, older)
    second: Choice = "trash-older" if first == "trash-newer" else "trash-newer"
    # what holds everywhere is not replaced by what holds in one project, nor the other way round
    same_scope = (newer.is_user_wide, newer.project) == (older.is_user_wide, older.project)
    return (first, second, "supersede") if same_scope else (first, second)


def _pairs(connection: Connection, rows: Sequence[Row], choices: tuple[Choice, ...]) -> list[Entry]:
    members = _members(connection, rows)
    return [_entry(row, members, choices) for row in rows]


def _members(connection: Connection, rows: Sequence[Row]) -> dict[int, Member]:
    numbers = [n for row in rows for n in (row["newer_number"], row["older_number"])]
    return members_of(connection, numbers)


def _entry(row: Row, members: Mapping[int, Member], choices: tuple[Choice, ...]) -> Entry:
    return Entry(
        members=pair_of(row, members),
        reasons=(row["reason"],) if row["reason"] else (),
        said_by=row["said_by"],
        choices=choices,
        relation=row["id"],
        probability=row["probability"],
        said_at_ms=row["created_at_ms"],
    )


def _page(rows: Sequence[Row], wanted: Wanted, entries: Sequence[Entry]) -> Page:
    more = len(rows) >= wanted.most
    return Page(tuple(entries), f"r{rows[-1]['id']}" if more and rows else None)


def _relations(entries: Sequence[Entry], wanted: Wanted) -> Page:
    more = len(entries) >= wanted.most
    return Page(tuple(entries), f"r{entries[-1].relation}" if more and entries else None)


def _before(cursor: str | None) -> int:
    at = _cursor(cursor, "r")
    return at[1] if at else LAST


def _cursor(cursor: str | None, *begins: str) -> tuple[str, int] | None:
    """Return how a cursor begins and the number that follows."""
    if cursor is None:
        return None
    if cursor[:1] not in begins or not is_count(cursor[1:]):
        message = f"the cursor {cursor[:40]!r} is of no such list"
        raise InvalidInput(message, mend="Take the cursor from the page before.")
    return cursor[0], min(int(cursor[1:]), LAST)
