"""Removing what was kept of sessions: their prompts, events, ledger and all that hangs on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hitherto_server.store.derived import index_session
from hitherto_server.store.memories import change_memory, state_of
from hitherto_server.store.pieces import (
    close_transcripts,
    drop_pieces,
    find_of_sessions,
    list_places,
)
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

sql = load_queries("purge")

# of each kind the query `counts` has a count; support refers to events, and a turn to its session
ORDER = (
    "turns",
    "support",
    "events",
    "evidence",
    "ledger",
    "feedback",
    "obligations",
    "digests",
    "approvals",
    "judgments",
    "shown",
    "worth",
    "cost",
    "loops",
    "sessions",
)

IsInside = Callable[[str], bool]


@dataclass(frozen=True)
class Kept:
    """What a purge is about: sessions, single events of others, and memories learned there."""

    sessions: tuple[str, ...]
    events: tuple[int, ...] = ()
    memories: tuple[int, ...] = ()
    evidence: tuple[int, ...] = ()
    """Single edits of others."""
    pieces: tuple[int, ...] = ()
    """Of what was said in them, and by others in a folder or of its files."""

    def values(self) -> dict[str, str]:
        """Return it as the queries take it."""
        return {
            "sessions": json.dumps(self.sessions),
            "events": json.dumps(self.events),
            "evidence": json.dumps(self.evidence),
        }


def find_of_session(connection: Connection, session_id: str) -> Kept:
    """Return what is kept of one session."""
    pieces = tuple(find_of_sessions(connection, [session_id]))
    return Kept((session_id,), memories=_stored_by(connection, (session_id,)), pieces=pieces)


def find_of_folder(connection: Connection, is_inside: IsInside) -> Kept:
    """Return what is kept of the sessions that ran in a folder, and of its files elsewhere."""
    known: dict[str, bool] = {}

    def inside(path: str) -> bool:
        if path not in known:
            known[path] = is_inside(path)
        return known[path]

    def numbers(query: str) -> list[int | str]:
        return [number for number, path in connection.execute(sql[query]) if inside(path)]

    sessions = tuple(str(one) for one in numbers("session_folders"))
    events = tuple(int(one) for one in numbers("event_files"))
    evidence = tuple(int(one) for one in numbers("evidence_files"))
    written = [int(one) for one in numbers("memory_folders")]
    memories = tuple(dict.fromkeys([*_stored_by(connection, sessions), *written]))
    named = (number for number, path in list_places(connection) if inside(path))
    pieces = dict.fromkeys([*find_of_sessions(connection, sessions), *named])
    return Kept(sessions, events, memories, evidence, tuple(pieces))


def _stored_by(connection: Connection, sessions: tuple[str, ...]) -> tuple[int, ...]:
    rows = connection.execute(sql["memories_of"], {"sessions": json.dumps(sessions)})
    return tuple(row["number"] for row in rows)


def count(connection: Connection, kept: Kept) -> dict[str, int]:
    """Return how many rows of each kind a removal takes, and how many memories were learned."""
    counts: dict[str, int] = dict(connection.execute(sql["counts"], kept.values()).fetchone())
    return {**counts, "memories": len(kept.memories), "pieces": len(kept.pieces)}


def remove(connection: Connection, kept: Kept, *, at_ms: int) -> None:
    """Remove all but the memories; what transcripts hold of it by now is never read again."""
    drop_pieces(connection, kept.pieces)
    close_transcripts(connection, at_ms=at_ms, sessions=kept.sessions)
    for kind in ORDER:
        connection.execute(sql[f"drop_{kind}"], kept.values())
    for session_id in kept.sessions:  # its first prompt stood beside what it stored
        index_session(connection, session_id)


def overwrite_deleted(connection: Connection) -> None:
    """Have what is freed from now on overwritten; runs outside a transaction."""
    connection.execute("PRAGMA secure_delete = ON")


def trash(connection: Connection, kept: Kept, *, actor: str, at_ms: int) -> int:
    """Put the memories that were learned there into the trash and return how many that were."""
    trashed = 0
    for number in kept.memories:
        row = connection.execute(sql["row"], {"number": number}).fetchone()
        if row is None or row["trashed_at_ms"] is not None:
            continue
        state = replace(state_of(connection, row), trashed_at_ms=at_ms)
        change_memory(connection, row, state, change="forget", actor=actor, at_ms=at_ms)
        trashed += 1
    return trashed
