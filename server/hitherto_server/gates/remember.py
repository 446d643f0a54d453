"""The way in: what is stored, what was known already, and what it replaces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.clock import uuid7
from hitherto_server.core.errors import IdempotencyClash, InvalidInput
from hitherto_server.core.text import content_hash, normalised
from hitherto_server.gates.clean import cleaned_by_judgment, tagged
from hitherto_server.gates.context import Place, WriteContext, confined, find_place, said_by, tie
from hitherto_server.gates.filing import check_filing, checks_filing
from hitherto_server.gates.judging import patience_of
from hitherto_server.gates.neighbours import Neighbourhood, Subject, look_by_words, say
from hitherto_server.gates.secrets import without_doubt
from hitherto_server.gates.suspect import is_suspect
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
    from hitherto_server.gates.judging import Patience
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


async def remember(
    context: WriteContext, request: RememberRequest, *, waits: bool = True
) -> contract.Remembered:
    """Store a statement and answer when it is durable; the same statement is stored once.

    Its secrets are taken out first. Who can't wait asks for no judgment.
    """
    place = await find_place(context, request, user_wide=request.scope == "user")
    patience = patience_of(context.judge, request, place.scope or None, waits=waits)
    clean = await cleaned_by_judgment(request, patience)
    tags = tagged(clean.request.tags, clean.kinds)
    reply = await store(context, clean.request.model_copy(update={"tags": tags}), place, patience)
    return reply.model_copy(update={"notes": [*clean.notes, *reply.notes]})


async def store(
    context: WriteContext,
    request: RememberRequest,
    place: Place,
    patience: Patience,
    seen: Mapping[str, int] | None = None,
) -> contract.Remembered:
    """Store a statement that has lost its secrets, unless it is known.

    `seen` refuses it if a memory that it replaces has moved on from that revision.
    """
    files = await confined(request.files, place)
    anchors = await tie(context, request.content, files, place, session_id=request.session_id)
    new = replace(_draft(context, request, place), anchors=anchors)
    subject = Subject(new.project, new.content)
    around = await context.store.readers.run(lambda c: look_by_words(c, subject))
    opinion = await _opinion(context, new, request, around, patience)
    checks = checks_filing(context.judge)
    written = await context.store.writer.run(
        lambda c: write(c, new, request, around, seen or {}, opinion=opinion, checks=checks)
    )
    if written.stored:
        context.on_written()
        context.on_work()
    await _note_outcome(patience, opinion, written)
    return contract.Remembered(
        id=written.id,
        revision=written.revision,
        outcome="stored" if written.stored else "already_known",
        scope=request.scope,
        project=place.project.name if place.project else None,
        superseded=list(written.superseded),
        anchored_files=[anchor.path for anchor in anchors] if written.stored else [],
        notes=[*written.notes, *_unread(files, new, place)],
    )


async def _opinion(
    context: WriteContext,
    new: NewMemory,
    request: RememberRequest,
    around: Neighbourhood,
    patience: Patience,
) -> Opinion | None:
    if patience.origin is None:
        return None
    from hitherto_server.gates.repeats import find_opinion  # its rules: not at start

    return await find_opinion(context, new, request, around, patience)


async def _note_outcome(patience: Patience, opinion: Opinion | None, written: Written) -> None:
    if opinion is None:
        return
    outcome = {
        "decision": "stored" if written.stored else "not stored",
        "memory": written.id,
        "candidate": opinion.known.id,
        "repeats": opinion.is_repeat,
    }
    await patience.judge.note_outcome(opinion.log_id, outcome)


def _draft(context: WriteContext, request: RememberRequest, place: Place) -> NewMemory:
    at_ms = context.clock()
    content = request.content.strip()
    return NewMemory(
        id=uuid7(at_ms),
        project=place.scope,
        content=content,
        kind=request.kind,
        source=request.source,
        actor=request.actor,
        device=context.device,
        at_ms=at_ms,
        spans=tuple(context.splitter(content)),
        tags=tuple(tidied(request.tags)),
        importance=request.importance,
        suspect=is_suspect(content),
        source_ref=request.source_ref,
        idempotency_key=request.idempotency_key,
        state_key=request.state_key,
        true_from_ms=request.true_from_ms,
        true_until_ms=request.true_until_ms,
        session_id=request.session_id,
        commit=place.head.commit,
        branch=place.head.branch,
        working_dir=request.project_dir,
    )


def tidied(tags: Sequence[str]) -> list[str]:
    """Return tags as they are kept: in one spelling, each once."""
    return list(dict.fromkeys(normalised(tag) for tag in tags))


def _unread(files: list[str], new: NewMemory, place: Place) -> list[str]:
    """Say which of the files that were named show nothing that could be compared later."""
    if place.project is None and files:
        return ["a user-wide memory is not tied to files"]
    read = {anchor.path for anchor in new.anchors if anchor.file_hash is not None}
    return [
        f"{path} was not read: it is gone, private or too large"
        for path in files
        if path not in read
    ]


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
    if opinion is not None and _repeats(connection, new, opinion):
        return _left_out(new, opinion)
    if request.category is not None:
        new = replace(new, category_id=get_leaf(connection, new.project, request.category))
    older = [_older(connection, one, new, seen.get(one)) for one in request.supersedes]
    new = _after(new, [*older, *_same_state(connection, new, 0)])
    named = {row["number"]: row for row in older}
    number = insert_memory(connection, new)
    note_unstated(connection, number, request)
    replaced, notes = _replace(connection, number, list(named.values()), new)
    ruled = [row for row in _same_state(connection, new, number) if row["number"] not in named]
    reason = f"state key {new.state_key}"
    too, more_notes = _replace(connection, number, ruled, new, reason=reason)
    # After what was said of it outright: a rule adds nothing to that.
    subject = Subject(new.project, new.content, number)
    found = say(connection, subject, around, at_ms=new.at_ms)
    note_waiting(connection, new.id, at_ms=new.at_ms)
    if checks:
        check_filing(connection, new.id, at_ms=new.at_ms)
    notes = (*notes, *more_notes, *found, *_advice(opinion))
    return Written(new.id, 1, stored=True, superseded=(*replaced, *too), notes=notes)


def note_unstated(connection: Connection, number: int, request: RememberRequest) -> None:
    """Note what the writer left open, so that a judgment may say it and overrides nobody."""
    for one in FIELDS:
        if one not in request.model_fields_set:
            leave_open(connection, number, one)


def _repeats(connection: Connection, new: NewMemory, opinion: Opinion) -> bool:
    """Tell whether a judgment refuses the statement, and the memory is still what was judged."""
    from hitherto_server.gates.repeats import is_still_there

    return opinion.refuses and is_still_there(connection, new.project, opinion.known)


def _left_out(new: NewMemory, opinion: Opinion) -> Written:
    from hitherto_server.gates.repeats import note_on

    note = note_on(opinion, told_by_a_person=new.source == TOLD_BY_A_PERSON)
    return Written(opinion.known.id, opinion.known.revision, stored=False, notes=(note,))


def _advice(opinion: Opinion | None) -> tuple[str, ...]:
    from hitherto_server.gates.repeats import advice_on

    if opinion is None or opinion.calibrated or not opinion.is_repeat:
        return ()
    return (advice_on(opinion),)


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
