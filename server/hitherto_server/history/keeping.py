"""What was found becomes candidates, by the one way in, each with what shows that it was said.

An import and the mining of a session keep alike: the same words of the same message, once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.clock import uuid7
from hitherto_server.core.git import Head
from hitherto_server.core.text import normalised
from hitherto_server.gates.context import Place, tie
from hitherto_server.gates.neighbours import Subject, look_by_words
from hitherto_server.gates.promotion import WAITS
from hitherto_server.gates.suspect import is_suspect
from hitherto_server.gates.writing import write
from hitherto_server.store import history as rows
from hitherto_server.store.candidates import hold
from hitherto_server.store.memories import (
    NewMemory,
    change_memory,
    find_same,
    get_row,
    state_of,
)
from hitherto_server.store.projects import USER_WIDE

if TYPE_CHECKING:
    from hitherto_contract.words import Source
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.gates.neighbours import Neighbourhood
    from hitherto_server.history.findings import Finding, Support
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.memories import AnchorRow
    from hitherto_server.store.projects import Project

PLAIN_ID = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z_.-]{0,99}")
SAME_MOMENT_MS = 60_000
IMPORTANCE = 4
"""Below what is stated from now on: a session's start has room for five."""
MOST_CHARS = 4000
FILES_SESSION = "client-files"
"""Stands for a session where a file speaks."""


@dataclass(frozen=True)
class Ready:
    """A finding as it is to be written, and what is near it."""

    finding: Finding
    new: NewMemory
    around: Neighbourhood


@dataclass(frozen=True)
class Way:
    """By which way findings come in: what they are said to come from, and who writes them."""

    source: Source
    actor: str
    tags: tuple[str, ...]


IMPORTED = Way("import", rows.ACTOR, ("import",))
MINED = Way("transcript", "session", ())


async def made_ready(
    context: WriteContext, finding: Finding, project: Project | None, way: Way = IMPORTED
) -> Ready:
    """Return a finding as the store takes it: with its files, passages and neighbours."""
    content = finding.content.strip()[:MOST_CHARS]
    place = Place(project, Head(None, None))
    anchors = await tie(context, content, finding.files, place)
    new = NewMemory(
        id=uuid7(context.clock()),
        project=place.scope,
        content=content,
        kind=finding.kind,
        source=way.source,
        actor=way.actor,
        device=context.device,
        at_ms=finding.at_ms,
        spans=tuple(context.splitter(content)),
        anchors=await asyncio.to_thread(_untouched, anchors, place, finding.at_ms),
        tags=(*way.tags, *finding.tags),
        importance=IMPORTANCE,
        tier="candidate",
        held_back_because=WAITS[finding.trust],
        suspect=is_suspect(content),
        source_ref=_reference(finding),
        idempotency_key=_key(finding),
        true_from_ms=finding.at_ms,
        session_id=None if finding.session_id is None else _plain(finding.session_id),
        working_dir=finding.folder,
    )
    subject = Subject(new.project, new.content)
    around = await context.store.readers.run(lambda c: look_by_words(c, subject))
    return Ready(finding, new, around)


def keep(
    connection: Connection, import_id: int | None, ready: list[Ready], at_ms: int
) -> Counter[str]:
    """Write what is new of a file and return what became of each; runs in the writer's job.

    Without an import's number it was mined: what lies in the trash stays there then, whoever
    put it there.
    """
    return Counter(_keep_one(connection, import_id, one, at_ms) for one in ready)


def _keep_one(connection: Connection, import_id: int | None, one: Ready, at_ms: int) -> str:
    new = one.new
    trashed = rows.find_trashed(connection, new.project, new.content)
    if trashed is not None and (trashed["undone_at_ms"] is None or import_id is None):
        return "in the trash"  # a person put it there
    if _is_everywhere(connection, new, import_id):
        return "known already"
    is_said = find_same(connection, new.project, new.content) is not None
    if trashed is not None and import_id is not None and not is_said:
        state = replace(state_of(connection, trashed), trashed_at_ms=None)
        change_memory(connection, trashed, state, change="restore", actor=rows.ACTOR, at_ms=at_ms)
        hold(connection, trashed["number"], WAITS[one.finding.trust])
        rows.put_memory(connection, trashed["number"], import_id, at_ms)
        _support(connection, trashed["number"], one, at_ms)
        return "stored"
    # built by us: what lost a secret may have grown beyond what a caller may send
    request = contract.RememberRequest.model_construct(content=new.content)
    written = write(connection, new, request, one.around, {})
    row = get_row(connection, written.id)
    number = row["number"]
    # what was mined waits as a candidate: a yes to an import is a yes to it too
    is_taken_over = row["source"] == MINED.source and row["tier"] == "candidate"
    if import_id is not None and (written.stored or is_taken_over):
        rows.put_memory(connection, number, import_id, at_ms)
    elif not written.stored and not rows.is_imported(connection, number):
        return "known already"
    _support(connection, number, one, at_ms)
    return "stored" if written.stored else "said before"


def _is_everywhere(connection: Connection, new: NewMemory, import_id: int | None) -> bool:
    """Tell whether it is a user-wide memory, or was one that a person let go while it was mined."""
    if find_same(connection, USER_WIDE, new.content) is not None:
        return new.project != USER_WIDE
    return import_id is None and rows.find_trashed(connection, USER_WIDE, new.content) is not None


def _support(connection: Connection, number: int, one: Ready, at_ms: int) -> None:
    session_id, folder = one.new.session_id, one.new.working_dir
    if session_id is not None and folder is not None:
        rows.begin_past_session(
            connection,
            session_id,
            project=one.new.project,
            working_dir=folder,
            at_ms=one.finding.support[0].at_ms,
        )
    for support in one.finding.support:
        evidence = _evidence(support, session_id or FILES_SESSION)
        rows.put_support(connection, number, evidence, at_ms)


def _evidence(support: Support, session_id: str) -> rows.Evidence:
    message = _plain(support.message_id)
    return rows.Evidence(
        session_id=session_id,
        body_hash=_digest(support.happened, message, support.sentence),
        at_ms=support.at_ms,
        detail=json.dumps({"happened": support.happened, "message": message}),
        sentence=support.sentence[:MOST_CHARS],
        trust=support.trust,
    )


def _untouched(anchors: tuple[AnchorRow, ...], place: Place, at_ms: int) -> tuple[AnchorRow, ...]:
    """Keep the ties to files that are as they were then: the others are no witness today."""
    if place.project is None:
        return ()
    root = place.project.root
    kept = []
    for anchor in anchors:
        try:
            changed_ms = (root / anchor.path).stat().st_mtime_ns // 1_000_000
        except OSError:
            continue
        if changed_ms <= at_ms + SAME_MOMENT_MS:
            kept.append(anchor)
    return tuple(kept)


def _reference(finding: Finding) -> str:
    where = "file" if finding.session_id is None else _plain(finding.session_id)
    return f"claude-code:{where}:{_plain(finding.support[0].message_id)}"


def _key(finding: Finding) -> str:
    # a resumed session carries the messages of the one before: the message counts, not its file
    said = normalised(finding.content)
    return f"history:{_digest(finding.support[0].message_id, said)[:40]}"


def _plain(name: str) -> str:
    """Return a client's id as it may be kept: whatever else stands in its place is hashed."""
    return name if PLAIN_ID.fullmatch(name) else _digest(name)[:32]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()
