"""What a write does in its transaction: stores, answers what is known, replaces what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hitherto_server.core.errors import IdempotencyClash, InvalidInput
from hitherto_server.core.text import content_hash
from hitherto_server.gates.context import said_by
from hitherto_server.gates.filing import check_filing
from hitherto_server.gates.neighbours import Neighbourhood, Subject, say
from hitherto_server.gates.repeats import advice_on, note_on, refuses
from hitherto_server.gates.secrets import without_doubt
from hitherto_server.store.categories import get_leaf
from hitherto_server.store.judged import FIELDS, leave_open
from hitherto_server.store.memories import (
    NewMemory,
    find_by_key,
    find_same,
    first_content,
    get_row,
    insert_memory,
    list_by_state,
)
from hitherto_server.store.neighbours import note_waiting
from hitherto_server.store.projects import USER_WIDE
from hitherto_server.store.relations import find_replacement, relate, undo_replacement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_contract import RememberRequest
    from hitherto_server.gates.repeats import Opinion
    from hitherto_server.store.driver import Connection, Row

TOLD_BY_A_PERSON = "user-told"


@dataclass(frozen=True)
class Written:
    """What a write did, as its transaction saw it."""

    id: str
    revision: int
    stored: bool
    superseded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def write(
    connection: Connection,
    new: NewMemory,
    request: RememberRequest,
    around: Neighbourhood,
    seen: Mapping[str, int],
    *,
    opinion: Opinion | None = None,
    checks: bool = False,
) -> Written:
    """Store the memory unless it is known; runs in the writer's transaction.

    `checks`: whether a judgment is to look at its category later.
    """
    if known := _known(connection, new):
        return _again(connection, known, new, request)
    if opinion is not None and refuses(connection, new.project, opinion):
        return _left_out(new, opinion)
    if request.category is not None:
        new = replace(new, category_id=get_leaf(connection, new.project, request.category))
    older = [_older(connection, one, new, seen.get(one)) for one in request.supersedes]
    new = _after(new, [*older, *_same_state(connection, new, 0)])
    number = insert_memory(connection, new)
    note_unstated(connection, number, request)
    superseded, notes = _replace_all(connection, number, older, new)
    # After what was said of it outright: a rule adds nothing to that.
    subject = Subject(new.project, new.content, number)
    found = say(connection, subject, around, at_ms=new.at_ms)
    note_waiting(connection, new.id, at_ms=new.at_ms)
    if checks:
        check_filing(connection, new.id, at_ms=new.at_ms)
    advice = (advice_on(opinion),) if opinion is not None and opinion.advises else ()
    notes = (*notes, *found, *advice)
    return Written(new.id, 1, stored=True, superseded=superseded, notes=notes)


def _replace_all(
    connection: Connection, number: int, older: Sequence[Row], new: NewMemory
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Supersede what was named, and what had the same state key."""
    named = {row["number"]: row for row in older}
    replaced, notes = _replace(connection, number, list(named.values()), new)
    ruled = [row for row in _same_state(connection, new, number) if row["number"] not in named]
    reason = f"state key {new.state_key}"
    too, more_notes = _replace(connection, number, ruled, new, reason=reason)
    return (*replaced, *too), (*notes, *more_notes)


def note_unstated(connection: Connection, number: int, request: RememberRequest) -> None:
    """Note what the writer left open, so that a judgment may say it and overrides nobody."""
    for one in FIELDS:
        if one not in request.model_fields_set:
            leave_open(connection, number, one)


def _left_out(new: NewMemory, opinion: Opinion) -> Written:
    note = note_on(opinion, told_by_a_person=new.source == TOLD_BY_A_PERSON)
    return Written(opinion.known.id, opinion.known.revision, stored=False, notes=(note,))


def _after(new: NewMemory, older: Sequence[Row]) -> NewMemory:
    """Return the memory as learned after those that it replaces, whatever the clock says."""
    learned_ms = max((row["learned_at_ms"] + 1 for row in older), default=0)
    return replace(new, at_ms=max(new.at_ms, learned_ms))


def _again(connection: Connection, known: Row, new: NewMemory, request: RememberRequest) -> Written:
    """Answer with the memory that says this already; it becomes current if the request says so."""
    number = known["number"]
    if known["trashed_at_ms"] is not None:
        return Written(known["id"], known["revision"], stored=False, notes=("it is in the trash",))
    named = [memory_id for memory_id in request.supersedes if memory_id != known["id"]]
    older = [_older(connection, memory_id, new) for memory_id in dict.fromkeys(named)]
    same_state = _same_state(connection, new, number) if _keeps_state(known, new) else []
    rivals = list({row["number"]: row for row in [*older, *same_state]}.values())
    told = [row for row in rivals if _is_protected(row, new)]
    if rivals and not told:
        # A value went back to what it was: the old statement replaces what had replaced it.
        undo_replacement(connection, number, actor=new.actor, at_ms=new.at_ms)
    # Beside what a person told it is not the current value, so no rule makes it replace others.
    replaced, notes = _replace(connection, number, [*older, *told] if told else rivals, new)
    if newer := find_replacement(connection, number):
        notes = (*notes, f"memory {newer} has replaced it")
    return Written(known["id"], known["revision"], stored=False, superseded=replaced, notes=notes)


def _replace(
    connection: Connection,
    number: int,
    rows: Sequence[Row],
    new: NewMemory,
    *,
    reason: str | None = None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Supersede each but what a person told; return the ids that were, and notes on the others."""
    replaced: dict[str, None] = {}
    notes: dict[str, None] = {}
    for row in rows:
        if _is_protected(row, new):
            notes[_conflict(connection, number, row, new)] = None
        else:
            _supersede(connection, number, row, new, reason=reason)
            replaced[row["id"]] = None
    return tuple(replaced), tuple(notes)


def _older(
    connection: Connection, memory_id: str, new: NewMemory, revision: int | None = None
) -> Row:
    row = get_row(connection, memory_id, revision)
    if (row["project_id"] or USER_WIDE) != new.project:
        # what holds everywhere would be gone from all other projects, and nothing there says why
        message = f"supersedes: memory {memory_id} belongs to another scope"
        raise InvalidInput(message, mend="Replace it by a memory of its own scope, or forget it.")
    return row


def _keeps_state(known: Row, new: NewMemory) -> bool:
    return new.state_key is not None and known["state_key"] == new.state_key


def _is_protected(older: Row, new: NewMemory) -> bool:
    """Tell whether a person said it and something else would replace it."""
    by_a_person = new.source == TOLD_BY_A_PERSON or said_by(new.actor) == "person"
    return older["source"] == TOLD_BY_A_PERSON and not by_a_person


def _known(connection: Connection, new: NewMemory) -> Row | None:
    if new.idempotency_key is not None:
        row = find_by_key(connection, new.project, new.idempotency_key)
        if row is not None and not _was_born_as(connection, row, new.content):
            message = f"the key {new.idempotency_key!r} belongs to memory {row['id']}"
            raise IdempotencyClash(message)
        if row is not None:
            return row
    return find_same(connection, new.project, new.content)


def _was_born_as(connection: Connection, row: Row, content: str) -> bool:
    """Tell whether a memory was first written with this text: it may have been edited since.

    What was judged of a doubtful value may differ from call to call; that makes no other text.
    """
    first = first_content(connection, row)
    if content_hash(first) == content_hash(content):
        return True
    return content_hash(without_doubt(first)) == content_hash(without_doubt(content))


def _same_state(connection: Connection, new: NewMemory, number: int) -> list[Row]:
    if new.state_key is None:
        return []
    return list_by_state(connection, new.project, new.state_key, number)


def _supersede(
    connection: Connection, number: int, older: Row, new: NewMemory, *, reason: str | None = None
) -> None:
    relate(
        connection,
        "supersedes",
        newer=number,
        older=older["number"],
        said_by="rule" if reason else said_by(new.actor),
        at_ms=new.at_ms,
        reason=reason,
    )


def _conflict(connection: Connection, number: int, older: Row, new: NewMemory) -> str:
    by_rule = new.state_key is not None and older["state_key"] == new.state_key
    what = f"state key {new.state_key}" if by_rule else "said to replace it"
    relate(
        connection,
        "possible_conflict",
        newer=number,
        older=older["number"],
        said_by="rule",
        at_ms=new.at_ms,
        reason=f"{what}: the older one was told by a person",
    )
    return f"possible conflict with {older['id']}, which a person told"
