"""Doing what a list offers, and dismissing it: all of a request in one transaction, or none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, assert_never

from hitherto_server.core.errors import InvalidInput, SupersedesItself, ToldByAPerson
from hitherto_server.gates.context import said_by
from hitherto_server.recall.standings import anchors_of
from hitherto_server.store.cleaning import (
    BY_RULES,
    MACHINES,
    Step,
    decide,
    dissolve,
    put_action,
    relate_once,
)
from hitherto_server.store.memories import change_memory, confirm_memory, get_row, retie, state_of
from hitherto_server.store.relations import would_circle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hitherto_server.cleaning.entries import Choice, Entry, ListName, Member
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.memories import AnchorRow

TOLD = "user-told"


@dataclass(frozen=True)
class Confirmation:
    """A memory's files as they are now, and at which commit."""

    commit: str | None
    anchors: tuple[AnchorRow, ...]


@dataclass(frozen=True)
class Deed:
    """What somebody does with entries of a list."""

    which: ListName
    deed: Literal["apply", "dismiss"]
    actor: str
    at_ms: int
    choice: Choice | None = None
    """None: what each entry has first."""
    confirmations: Mapping[int, Confirmation] | None = None
    """By the numbers of the memories that are to be confirmed."""


@dataclass(frozen=True)
class Done:
    """What was done, and the number by which it can be taken back."""

    action: int
    entries: int
    revisions: Mapping[str, int]
    """What the memories that were changed are at now."""


def act(connection: Connection, deed: Deed, entries: Sequence[Entry]) -> Done:
    """Apply or dismiss entries as they are offered now, and note how it is undone."""
    steps = [step for entry in entries for step in _steps(connection, deed, entry)]
    action = put_action(
        connection, deed.which, deed.deed, steps, actor=deed.actor, at_ms=deed.at_ms
    )
    names = {member.number: member.id for entry in entries for member in entry.members}
    changed = {names[one.number]: one.revision for one in steps if one.what == "change"}
    return Done(action, len(entries), changed)


def _steps(connection: Connection, deed: Deed, entry: Entry) -> Iterator[Step]:
    if deed.deed == "dismiss":
        return _dismissed(connection, deed, entry)
    choice = deed.choice or entry.choices[0]
    if choice not in entry.choices:
        message = f"{entry.handle} offers {', '.join(entry.choices)}, not {choice!r}"
        raise InvalidInput(message)
    return _applied(connection, deed, entry, choice)


def _applied(connection: Connection, deed: Deed, entry: Entry, choice: Choice) -> Iterator[Step]:
    match choice:
        case "trash" | "trash-newer":
            yield from _trash(connection, deed, entry.members[0])
        case "trash-older":
            yield from _trash(connection, deed, entry.members[1])
        case "supersede":
            yield from _replace(connection, deed, entry)
        case "newer" | "older":
            yield from _let_hold(connection, deed, entry, choice)
        case "move":
            yield _move(connection, deed, entry)
        case "take-back":
            yield _take_back(connection, deed, entry)
            yield from _leave_open(connection, deed, entry)
        case "confirm":
            yield _confirm(connection, deed, entry)
        case _:
            assert_never(choice)


def _let_hold(
    connection: Connection, deed: Deed, entry: Entry, choice: Literal["newer", "older"]
) -> Iterator[Step]:
    """Settle a conflict: the newer replaces the older, or goes into the trash."""
    if choice == "newer":
        yield from _replace(connection, deed, entry)
    else:
        yield from _trash(connection, deed, entry.members[0])
    yield _settle(connection, deed, entry)


def _dismissed(connection: Connection, deed: Deed, entry: Entry) -> Iterator[Step]:
    match deed.which:
        case "duplicates" if entry.relation is None:
            yield from _no_copy(connection, deed, entry)
        case "duplicates" | "conflicts":
            yield _take_back(connection, deed, entry)
        case "replaced":
            yield _settle(connection, deed, entry)
        case "expendable" | "misfiled" | "stale":
            about = entry.members[0]
            yield Step("dismiss", about.number, about.revision, detail={"what": entry.what})
        case _:
            assert_never(deed.which)


def _trash(connection: Connection, deed: Deed, member: Member) -> Iterator[Step]:
    row = get_row(connection, member.id)
    if row["trashed_at_ms"] is None:  # another entry of the same request may have had it
        state = replace(state_of(connection, row), trashed_at_ms=deed.at_ms)
        yield _change(connection, deed, row, state, "forget")


def _move(connection: Connection, deed: Deed, entry: Entry) -> Step:
    row = get_row(connection, entry.members[0].id)
    state = replace(state_of(connection, row), category_id=entry.goal)
    return _change(connection, deed, row, state, "edit")


def _change(connection: Connection, deed: Deed, row: Row, state: Any, change: str) -> Step:
    revision = change_memory(
        connection, row, state, change=change, actor=deed.actor, at_ms=deed.at_ms
    )
    return Step("change", row["number"], revision)


def _replace(connection: Connection, deed: Deed, entry: Entry) -> Iterator[Step]:
    """Let the newer one replace the older; what a person told is replaced by a person alone."""
    newer, older = entry.members
    if older.source == TOLD and newer.source != TOLD and said_by(deed.actor) != "person":
        message = f"a person told {older.id}; only a person replaces it"
        raise ToldByAPerson(message)
    if (newer.is_user_wide, newer.project) != (older.is_user_wide, older.project):
        # what holds everywhere would be gone from all other projects, and nothing there says why
        message = f"{newer.id} and {older.id} belong to different scopes"
        raise InvalidInput(message, mend="Put one of them into the trash instead.")
    if would_circle(connection, newer.number, older.number):
        message = f"memory {older.id} already replaces {newer.id}"
        raise SupersedesItself(message)
    relation = relate_once(
        connection,
        "supersedes",
        newer=newer.number,
        older=older.number,
        said_by=said_by(deed.actor),
        at_ms=deed.at_ms,
        reason=f"clean-up of {deed.which}",
    )
    if relation is not None:
        yield Step("relate", newer.number, newer.revision, relation)


def _settle(connection: Connection, deed: Deed, entry: Entry) -> Step:
    relation, newer = _relation_of(entry), entry.members[0]
    decide(connection, relation, deed.at_ms)
    return Step("decide", newer.number, newer.revision, relation)


def _take_back(connection: Connection, deed: Deed, entry: Entry) -> Step:
    relation, (newer, older) = _relation_of(entry), entry.members
    dissolve(connection, relation, actor=_name(deed.actor), at_ms=deed.at_ms)
    beside = {"other": older.number, "other_revision": older.revision}
    return Step("dissolve", newer.number, newer.revision, relation, beside)


def _leave_open(connection: Connection, deed: Deed, entry: Entry) -> Iterator[Step]:
    """Of a state key, two current memories are in conflict until somebody settles it."""
    newer, older = (get_row(connection, one.id) for one in entry.members)
    if newer["state_key"] is None or newer["state_key"] != older["state_key"]:
        return
    relation = relate_once(
        connection,
        "possible_conflict",
        newer=newer["number"],
        older=older["number"],
        said_by=said_by(deed.actor),
        at_ms=deed.at_ms,
        reason=f"state key {newer['state_key']}: both are current",
    )
    if relation is not None:
        yield Step("relate", newer["number"], newer["revision"], relation)


def _no_copy(connection: Connection, deed: Deed, entry: Entry) -> Iterator[Step]:
    """Note of two copies that both are wanted: a relation that was taken back says so."""
    older, newer = sorted(entry.members, key=lambda one: (one.learned_at_ms, one.number))
    relation = relate_once(
        connection,
        "duplicate_of",
        newer=newer.number,
        older=older.number,
        said_by=BY_RULES,
        at_ms=deed.at_ms,
        reason=entry.reasons[0],
    )
    if relation is not None:
        pair = replace(entry, members=(newer, older), relation=relation)
        yield _take_back(connection, deed, pair)


def _confirm(connection: Connection, deed: Deed, entry: Entry) -> Step:
    """Note that it holds for its files as they are now, beside what was noted before."""
    row = get_row(connection, entry.members[0].id)
    number, now = row["number"], (deed.confirmations or {})[row["number"]]
    before = {
        "confirmed_at_ms": row["confirmed_at_ms"],
        "confirmed_commit": row["confirmed_commit"],
        "anchors": [_told(one) for one in anchors_of(connection, [number]).get(number, ())],
    }
    confirm_memory(connection, number, commit=now.commit, at_ms=deed.at_ms)
    retie(connection, row, now.anchors, deed.at_ms)
    return Step("confirm", number, row["revision"], detail=before)


def _told(anchor: Any) -> dict[str, Any]:
    parts = [[part.kind, part.name, part.region_hash] for part in anchor.parts]
    return {
        "path": anchor.path,
        "file_hash": anchor.file_hash,
        "commit": anchor.commit,
        "parts": parts,
    }


def _relation_of(entry: Entry) -> int:
    if entry.relation is None:
        message = f"{entry.handle} is no pair"
        raise InvalidInput(message)
    return entry.relation


def _name(actor: str) -> str:
    return "agent" if actor in MACHINES else actor
