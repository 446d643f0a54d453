"""The way in: a statement loses its secrets, finds its place and files, and is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.clock import uuid7
from hitherto_server.core.text import normalised
from hitherto_server.gates.clean import cleaned_by_judgment, tagged
from hitherto_server.gates.context import Place, WriteContext, confined, find_place, tie
from hitherto_server.gates.filing import checks_filing
from hitherto_server.gates.judging import patience_of
from hitherto_server.gates.neighbours import Subject, look_by_words
from hitherto_server.gates.repeats import begin_vectors, find_opinion
from hitherto_server.gates.suspect import is_suspect
from hitherto_server.gates.writing import write
from hitherto_server.store.memories import NewMemory
from hitherto_server.store.obligations import note_memory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_contract import RememberRequest
    from hitherto_server.gates.judging import Patience
    from hitherto_server.gates.neighbours import Neighbourhood
    from hitherto_server.gates.repeats import Opinion
    from hitherto_server.gates.writing import Written
    from hitherto_server.store.driver import Connection


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


@dataclass(frozen=True)
class _Looked:
    """What is known of a statement before it is written."""

    new: NewMemory
    unread: tuple[str, ...]
    around: Neighbourhood
    opinion: Opinion | None


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
    looked = await _look(context, request, place, patience)
    opinion, checks = looked.opinion, checks_filing(context.judge)
    put = partial(write, new=looked.new, request=request, around=looked.around, seen=seen or {})

    def job(connection: Connection) -> Written:
        done = put(connection, opinion=opinion, checks=checks)
        # said again, it is as well kept as if it were new
        note_memory(
            connection, request.session_id, done.id, actor=request.actor, at_ms=context.clock()
        )
        return done

    written = await context.store.writer.run(job)
    if written.stored:
        context.on_written()
    if written.stored and checks:
        context.on_work()
    if opinion is not None:
        outcome = opinion.outcome(written.id, stored=written.stored)
        await patience.judge.note_outcome(opinion.log_id, outcome)
    return _reply(request, place, looked, written)


async def _look(
    context: WriteContext, request: RememberRequest, place: Place, patience: Patience
) -> _Looked:
    """Tie a statement to its files, and find what is near it; its vectors are made meanwhile."""
    files = await confined(request.files, place)
    new = draft(context, request, place)
    begun = begin_vectors(context, new, request, patience)
    anchors = await tie(context, request.content, files, place, session_id=request.session_id)
    new, subject = replace(new, anchors=anchors), Subject(new.project, new.content)
    around = await context.store.readers.run(lambda c: look_by_words(c, subject))
    opinion = await find_opinion(context, new, around, begun, patience)
    return _Looked(new, tuple(_unread(files, new, place)), around, opinion)


def _reply(
    request: RememberRequest, place: Place, looked: _Looked, written: Written
) -> contract.Remembered:
    return contract.Remembered(
        id=written.id,
        revision=written.revision,
        outcome="stored" if written.stored else "already_known",
        scope=request.scope,
        project=place.project.name if place.project else None,
        superseded=list(written.superseded),
        anchored_files=[anchor.path for anchor in looked.new.anchors] if written.stored else [],
        notes=[*written.notes, *looked.unread],
    )


def draft(context: WriteContext, request: RememberRequest, place: Place) -> NewMemory:
    """Return a statement as the store takes it, without its files."""
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
