"""Changing what is known: edit, supersede, confirm, undo, forget, restore."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, assert_never

from hitherto_contract import Remembered, RememberRequest
from hitherto_server.core.errors import AlreadyKnown, InvalidInput, NothingToUndo
from hitherto_server.gates.clean import cleaned, cleaned_by_judgment, tagged
from hitherto_server.gates.context import confined, find_place, place_in, still_there, tie
from hitherto_server.gates.filing import check_filing, checks_filing
from hitherto_server.gates.judging import patience_of
from hitherto_server.gates.neighbours import Subject, look_by_words, say
from hitherto_server.gates.promotion import admit_confirmed, admit_restated
from hitherto_server.gates.remember import store, tidied
from hitherto_server.gates.suspect import is_suspect
from hitherto_server.store.categories import find_leaf_name, get_leaf
from hitherto_server.store.judged import FIELDS, note_stated
from hitherto_server.store.memories import (
    State,
    change_memory,
    confirm_memory,
    earlier_state,
    find_same,
    get_row,
    list_by_state,
    retie,
    state_of,
)
from hitherto_server.store.neighbours import find_subject, note_waiting
from hitherto_server.store.obligations import note_memory
from hitherto_server.store.projects import USER_WIDE
from hitherto_server.store.recall import list_anchors
from hitherto_server.store.relations import find_replacement, undo_supersessions, withdraw

if TYPE_CHECKING:
    from hitherto_contract import ForgetRequest, ReflectRequest
    from hitherto_server.gates.clean import Cleaned
    from hitherto_server.gates.context import Place, WriteContext
    from hitherto_server.gates.judging import Patience
    from hitherto_server.gates.neighbours import Neighbourhood
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.memories import AnchorRow


async def reflect(context: WriteContext, request: ReflectRequest) -> Remembered:
    """Change one memory as the request says and answer when the change is durable."""
    look = partial(get_row, memory_id=request.id, expected_revision=request.expected_revision)
    row = await context.store.readers.run(look)
    patience = patience_of(context.judge, request, row["project_id"])
    clean = await cleaned_by_judgment(request, patience)
    if patience.has_asked:  # who named no revision means the memory as it is after that
        row = await context.store.readers.run(look)
    reply = await _reflect(context, _with_tag(clean, row), row, patience)
    return reply.model_copy(update={"notes": [*clean.notes, *reply.notes]})


def _with_tag(clean: Cleaned[ReflectRequest], row: Row) -> ReflectRequest:
    """Return the request, with the tag that says that its text lost a secret."""
    if not clean.kinds:
        return clean.request
    tags = json.loads(row["tags"]) if clean.request.tags is None else clean.request.tags
    return clean.request.model_copy(update={"tags": tagged(tags, clean.kinds)})


async def _reflect(
    context: WriteContext, request: ReflectRequest, row: Row, patience: Patience
) -> Remembered:
    match request.action:
        case "edit":
            return await _edit(context, request, row)
        case "supersede":
            return await _supersede(context, request, row, patience)
        case "confirm":
            return await _confirm(context, request, row)
        case "undo":
            return await _undo(context, request, row)
        case _:
            assert_never(request.action)


async def forget(context: WriteContext, request: ForgetRequest) -> Remembered:
    """Put a memory into the trash, out of every recall."""
    request = cleaned(request).request
    at_ms = context.clock()

    def job(connection: Connection) -> Remembered:
        row = get_row(connection, request.id, request.expected_revision)
        if row["trashed_at_ms"] is not None:
            return _reply(row, row["revision"], notes=["it was in the trash already"])
        state = replace(state_of(connection, row), trashed_at_ms=at_ms)
        revision = change_memory(
            connection, row, state, change="forget", actor=request.actor, at_ms=at_ms
        )
        return _reply(row, revision)

    return await context.store.writer.run(job)


async def restore(context: WriteContext, request: ForgetRequest) -> Remembered:
    """Take a memory out of the trash; if its text was stored anew since, say by which id."""
    request = cleaned(request).request
    at_ms = context.clock()

    def job(connection: Connection) -> Remembered:
        row = get_row(connection, request.id, request.expected_revision)
        if row["trashed_at_ms"] is None:
            return _reply(row, row["revision"], notes=["it was not in the trash"])
        state = replace(state_of(connection, row), trashed_at_ms=None)
        refuse_rival(connection, row, state)
        revision = change_memory(
            connection, row, state, change="restore", actor=request.actor, at_ms=at_ms
        )
        note_waiting(connection, row["id"], at_ms=at_ms)
        return _reply(row, revision)

    reply = await context.store.writer.run(job)
    context.on_written()
    return reply


async def _edit(context: WriteContext, request: ReflectRequest, seen: Row) -> Remembered:
    content = (request.content or seen["content"]).strip()
    anchors = await _retied(context, request, seen, content) if _reties(request) else None
    at_ms = context.clock()
    around = await _look_around(context, seen, content)
    checks = _is_filed_anew(request) and checks_filing(context.judge)

    def job(connection: Connection) -> Remembered:
        row = _untrashed(connection, request.id, seen["revision"])
        spans = tuple(context.splitter(content)) if content != row["content"] else None
        state = _edited(connection, row, request, content)
        refuse_rival(connection, row, state)
        admit_restated(connection, row)
        change = partial(change_memory, change="edit", actor=request.actor, at_ms=at_ms)
        revision = change(connection, row, state, anchors=anchors, spans=spans)
        for one in (name for name in FIELDS if name in request.model_fields_set):
            note_stated(connection, row["number"], one)
        if checks:
            check_filing(connection, row["id"], at_ms=at_ms)
        note_memory(connection, request.session_id, row["id"], actor=request.actor, at_ms=at_ms)
        return _reply(row, revision, notes=_said_anew(connection, row, content, around, at_ms))

    reply = await context.store.writer.run(job)
    context.on_written()
    if checks:
        context.on_work()
    return reply


def _untrashed(connection: Connection, memory_id: str, revision: int) -> Row:
    row = get_row(connection, memory_id, revision)
    if row["trashed_at_ms"] is not None:
        message = f"memory {memory_id} is in the trash"
        raise InvalidInput(message, mend="Restore it first.")
    return row


def _is_filed_anew(request: ReflectRequest) -> bool:
    return request.content is not None or request.category is not None


def _reties(request: ReflectRequest) -> bool:
    return request.content is not None or request.files is not None


async def _retied(
    context: WriteContext, request: ReflectRequest, seen: Row, content: str
) -> tuple[AnchorRow, ...]:
    place = await _place_of(context, request, seen)
    if request.files is None:
        files = (await context.store.readers.run(lambda c: state_of(c, seen))).files
    else:
        files = await confined(request.files, place)
    return await tie(context, content, files, place)


def _edited(connection: Connection, row: Row, request: ReflectRequest, content: str) -> State:
    state = state_of(connection, row)
    category = state.category_id
    if request.category is not None:
        category = get_leaf(connection, row["project_id"] or USER_WIDE, request.category)
    return replace(
        state,
        content=content,
        suspect=is_suspect(content),
        kind=request.kind or state.kind,
        tags=state.tags if request.tags is None else json.dumps(tidied(request.tags)),
        importance=request.importance or state.importance,
        category_id=category,
        state_key=request.state_key or state.state_key,
    )


async def _supersede(
    context: WriteContext, request: ReflectRequest, seen: Row, patience: Patience
) -> Remembered:
    """Store the new statement beside the old one, which stays readable."""
    old, category = await context.store.readers.run(
        lambda c: (state_of(c, seen), find_leaf_name(c, seen))
    )
    place = await _place_of(context, request, seen)
    # not validated again: what lost a secret may have grown beyond what a caller may send
    newer = RememberRequest.model_construct(
        project_dir=str(place.project.root) if place.project else request.project_dir,
        session_id=request.session_id,
        actor=request.actor,
        content=request.content or "",
        kind=request.kind or seen["kind"],
        scope="user" if place.project is None else "project",
        tags=json.loads(old.tags) if request.tags is None else request.tags,
        files=old.files if request.files is None else request.files,
        importance=request.importance or old.importance,
        state_key=request.state_key or old.state_key,
        category=request.category or category,
        supersedes=[request.id],
    )
    return await store(context, newer, place, patience, {request.id: seen["revision"]})


async def _confirm(context: WriteContext, request: ReflectRequest, seen: Row) -> Remembered:
    """Note that the memory holds for the files as they are now; its text stays as it is."""
    place = await _place_of(context, request, seen)
    tied, _ = await context.store.readers.run(lambda c: list_anchors(c, [seen["number"]]))
    files = await still_there(tied, place, context.read)  # what is gone no longer speaks against it
    anchors = await tie(context, seen["content"], files, place)
    at_ms = context.clock()

    def job(connection: Connection) -> Remembered:
        row = get_row(connection, request.id, seen["revision"])
        confirm_memory(connection, row["number"], commit=place.head.commit, at_ms=at_ms)
        if place.project is not None:
            retie(connection, row, anchors, at_ms)
        revision = admit_confirmed(connection, row, actor=request.actor, at_ms=at_ms)
        return _reply(row, revision, notes=[f"confirmed at {place.head.commit or 'now'}"])

    return await context.store.writer.run(job)


async def _undo(context: WriteContext, request: ReflectRequest, seen: Row) -> Remembered:
    """Give the memory the state before its last change; take back what a new one replaced."""
    at_ms = context.clock()
    before = await context.store.readers.run(lambda c: earlier_state(c, seen))
    if before is None:
        return await context.store.writer.run(lambda c: _undo_birth(c, request, at_ms))
    changed = before.content != seen["content"]
    around = await _look_around(context, seen, before.content)
    anchors = await _tied_as(context, request, seen, before)

    def job(connection: Connection) -> Remembered:
        row = get_row(connection, request.id, request.expected_revision)
        if before.trashed_at_ms is None:
            refuse_rival(connection, row, before)
        revision = change_memory(
            connection,
            row,
            before,
            change="undo",
            actor=request.actor,
            at_ms=at_ms,
            anchors=anchors,
            spans=tuple(context.splitter(before.content)) if changed else None,
        )
        notes = _said_anew(connection, row, before.content, around, at_ms)
        return _reply(row, revision, notes=notes)

    reply = await context.store.writer.run(job)
    context.on_written()
    return reply


async def _tied_as(
    context: WriteContext, request: ReflectRequest, seen: Row, before: State
) -> tuple[AnchorRow, ...] | None:
    """Return the anchors of an earlier state, if its text or its files are others."""
    now = await context.store.readers.run(partial(state_of, row=seen))
    if (before.content, before.files) == (now.content, now.files):
        return None
    place = await _place_of(context, request, seen)
    return await tie(context, before.content, before.files, place)


async def _look_around(context: WriteContext, seen: Row, content: str) -> Neighbourhood | None:
    """Return what is near the text that a memory is to have, if that is another one."""
    if content == seen["content"]:
        return None
    subject = Subject(seen["project_id"] or USER_WIDE, content, seen["number"])
    return await context.store.readers.run(lambda c: look_by_words(c, subject))


def _said_anew(
    connection: Connection, row: Row, content: str, around: Neighbourhood | None, at_ms: int
) -> list[str]:
    """Take back what rules said of the text before, and say what they say of this one."""
    if around is None:
        return []
    withdraw(connection, row["number"], at_ms=at_ms)
    note_waiting(connection, row["id"], at_ms=at_ms)
    if find_subject(connection, row["id"]) is None:
        return []
    subject = Subject(row["project_id"] or USER_WIDE, content, row["number"])
    return list(say(connection, subject, around, at_ms=at_ms))


def _undo_birth(connection: Connection, request: ReflectRequest, at_ms: int) -> Remembered:
    """Undo a memory that replaced others: they are current again, it goes into the trash."""
    row = get_row(connection, request.id, request.expected_revision)
    taken_back = undo_supersessions(connection, row["number"], actor=request.actor, at_ms=at_ms)
    if not taken_back:
        message = f"memory {request.id} has no earlier state and replaced nothing"
        raise NothingToUndo(message)
    state = replace(state_of(connection, row), trashed_at_ms=at_ms)
    revision = change_memory(
        connection, row, state, change="undo", actor=request.actor, at_ms=at_ms
    )
    return _reply(row, revision, notes=[f"{taken_back} replaced memories are current again"])


async def _place_of(context: WriteContext, request: ReflectRequest, row: Row) -> Place:
    """Return where the memory is checked: the caller's folder, else where it was written."""
    if row["project_id"] is None:
        folder = request.project_dir or row["working_dir"]
        return await find_place(
            context, request.model_copy(update={"project_dir": folder}), user_wide=True
        )
    for folder in filter(None, (request.project_dir, row["working_dir"])):
        # looked up anew: another repository may have taken the folder
        project = await context.projects.find(folder, within_s=0)
        if project is None or project.number != row["project_id"]:
            continue
        if await asyncio.to_thread(project.root.is_dir):
            return await place_in(project)
    message = "the memory belongs to another project, whose folder is not there"
    raise InvalidInput(message, mend="Call from that project's folder.")


def refuse_rival(connection: Connection, row: Row, state: State) -> None:
    """Refuse a state that another live memory has already: the same text, or the same state key."""
    scope, number = row["project_id"] or USER_WIDE, row["number"]
    twin = find_same(connection, scope, state.content)
    if twin is not None and twin["number"] != number:
        message = f"memory {twin['id']} says the very same"
        raise AlreadyKnown(message)
    if state.state_key is None or find_replacement(connection, number) is not None:
        return
    if holders := list_by_state(connection, scope, state.state_key, number):
        message = f"memory {holders[0]['id']} is the current one of {state.state_key!r}"
        raise AlreadyKnown(message, mend="Supersede that memory, or forget it first.")


def _reply(row: Row, revision: int, *, notes: list[str] | None = None) -> Remembered:
    return Remembered(
        id=row["id"],
        revision=revision,
        outcome="stored",
        scope="user" if row["project_id"] is None else "project",
        project=None,
        notes=notes or [],
    )
