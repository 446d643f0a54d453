"""What a digest becomes once its compaction has happened: a candidate, tied to what was said."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.clock import uuid7
from hitherto_server.core.errors import HithertoError
from hitherto_server.gates.neighbours import Subject, look_by_words
from hitherto_server.gates.promotion import WAITS
from hitherto_server.gates.secrets import redact
from hitherto_server.gates.suspect import is_suspect
from hitherto_server.gates.writing import write
from hitherto_server.sessions.compaction.text import content_of
from hitherto_server.store import digests as store
from hitherto_server.store.history import Evidence, put_support
from hitherto_server.store.memories import NewMemory, get_row
from hitherto_server.store.projects import USER_WIDE
from hitherto_server.store.sessions import find_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.gates.neighbours import Neighbourhood
    from hitherto_server.sessions.moments import Tools
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.history import Trust

IMPORTANCE = 4
"""Below what is stated from now on."""
TRUST: dict[str, Trust] = {"person": "user", "agent": "tool"}

log = logging.getLogger(__name__)


async def store_digests(tools: Tools, digests: Sequence[store.Digest], *, most_others: int) -> None:
    """Keep digests as candidates, each once, and a few others that a kill left without one."""
    others = await tools.store.readers.run(lambda c: store.list_unstored(c, most=most_others))
    wanted = {one.number: one for one in (*digests, *others)}
    for one in wanted.values():
        if one.items and one.memory_id is None:
            try:
                await _store(tools, one)
            except HithertoError as error:
                log.warning("the digest of %s is no candidate: %s", one.session_id, error.message)


async def _store(tools: Tools, digest: store.Digest) -> None:
    session = await tools.store.readers.run(lambda c: find_session(c, digest.session_id))
    if session is None or session["project_id"] is None:
        return  # purged, or in no project
    new = await asyncio.to_thread(_candidate, tools, digest, session)
    subject = Subject(new.project, new.content)
    around = await tools.store.readers.run(lambda c: look_by_words(c, subject))
    await tools.store.writer.run(lambda c: _write(c, digest, new, around))
    tools.writes.on_written()


def _candidate(tools: Tools, digest: store.Digest, session: Row) -> NewMemory:
    content = redact(content_of(digest)).text
    at_ms = tools.clock()
    return NewMemory(
        id=uuid7(at_ms),
        project=session["project_id"] or USER_WIDE,
        content=content,
        kind="note",
        source="compaction",
        actor="hook",
        device=tools.writes.device,
        at_ms=at_ms,
        spans=tuple(tools.writes.splitter(content)),
        tags=("digest",),
        importance=IMPORTANCE,
        tier="candidate",
        held_back_because=WAITS["tool"],
        suspect=is_suspect(content),
        source_ref=f"{digest.session_id}:{digest.generation}",
        idempotency_key=f"compaction:{digest.session_id}:{digest.generation}",
        true_from_ms=digest.done_at_ms,
        session_id=digest.session_id,
        working_dir=session["working_dir"],
    )


def _write(
    connection: Connection, digest: store.Digest, new: NewMemory, around: Neighbourhood
) -> None:
    """Write the candidate and what it was said by; runs in the writer's transaction."""
    if find_session(connection, digest.session_id) is None:
        return  # purged meanwhile
    # built by us: it may be longer than what a caller may send
    request = contract.RememberRequest.model_construct(content=new.content)
    written = write(connection, new, request, around, {})
    if written.stored:
        number = get_row(connection, written.id)["number"]
        for one in digest.items or []:
            evidence = Evidence(
                session_id=digest.session_id,
                body_hash=_digest_of(digest.session_id, one["ref"], one["text"]),
                at_ms=one["at_ms"],
                detail=json.dumps({"happened": one["role"], "message": one["ref"]}),
                sentence=one["text"],
                trust=TRUST[one["role"]],
            )
            put_support(connection, number, evidence, new.at_ms)
    store.note_stored(connection, digest.number, written.id)


def _digest_of(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()
