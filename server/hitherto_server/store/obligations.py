"""Obligations: what a session owes until it is done, and the blocks that it was held up with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.store.evidence import NewEvidence, put_evidence
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.store.driver import Connection

HOOK = "hook"
"""Who writes what the client's events bring by themselves: that is nobody's lesson."""
Owed = Literal["store", "check", "fix"]
"""To store what was learned, to run what was claimed, to keep how a failure was mended."""
OWED: tuple[Owed, ...] = ("store", "check", "fix")
STORED: tuple[Owed, ...] = ("store", "fix")
"""What any memory write of the session satisfies."""
PUT_RIGHT, SAID_AGAIN = "shown or put right", "said again"
DECLINED, MOVED_ON, LATE, ENDED = "declined", "moved on", "late", "session ended"
UNMET = frozenset({SAID_AGAIN, DECLINED, MOVED_ON, LATE, ENDED})
"""How an obligation ends without being done; a memory's id says that it was stored."""

sql = load_queries("obligations")


@dataclass(frozen=True)
class Obligation:
    """Something that a session owes."""

    number: int
    kind: Owed
    subject: str
    detail: dict[str, Any]
    """Words and ids: `why`, `clears`; no text that has not lost its secrets."""
    generation: int
    raised_at_ms: int
    blocks: int
    """How often a stop was held up for it."""


def raise_obligation(
    connection: Connection,
    session_id: str,
    kind: Owed,
    subject: str,
    *,
    detail: Mapping[str, Any],
    at_ms: int,
) -> None:
    """Note that a session owes something; while that is open, a second time changes nothing."""
    values = {
        "session_id": session_id,
        "kind": kind,
        "subject": subject,
        "detail": json.dumps(dict(detail), ensure_ascii=False),
        "at_ms": at_ms,
    }
    connection.execute(sql["raise"], values)


def clear_obligations(
    connection: Connection,
    session_id: str,
    kinds: Sequence[Owed] = OWED,
    *,
    by: str,
    at_ms: int,
    subject: str | None = None,
) -> int:
    """Note that what was owed until then is done and return how much that was."""
    values = {
        "session_id": session_id,
        "kinds": json.dumps(kinds),
        "subject": subject,
        "by": by,
        "at_ms": at_ms,
    }
    return connection.execute(sql["clear"], values).rowcount


def open_obligations(
    connection: Connection, session_id: str, kinds: Sequence[Owed] = OWED
) -> list[Obligation]:
    """Return what a session owes, the oldest first."""
    values = {"session_id": session_id, "kinds": json.dumps(kinds)}
    return [
        Obligation(
            number=row["id"],
            kind=row["kind"],
            subject=row["subject"],
            detail=json.loads(row["detail"]),
            generation=row["generation"],
            raised_at_ms=row["raised_at_ms"],
            blocks=row["blocks"],
        )
        for row in connection.execute(sql["open"], values)
    ]


def note_memory(
    connection: Connection, session_id: str | None, memory_id: str, *, actor: str, at_ms: int
) -> None:
    """Note, in the transaction of a memory's write, that its session has stored something."""
    if session_id is None or actor == HOOK:
        return
    written = NewEvidence(
        session_id=session_id,
        prompt_id="",
        call_id=f"{memory_id} {at_ms}",
        kind="memory",
        subject=memory_id,
        at_ms=at_ms,
    )
    put_evidence(connection, written)
    clear_obligations(connection, session_id, STORED, by=memory_id, at_ms=at_ms)


def take_block(
    connection: Connection,
    session_id: str,
    subject: str,
    *,
    detail: Mapping[str, Any],
    at_ms: int,
    most: int,
) -> bool:
    """Take the one block of a prompt (or of a subagent); False where there is none left."""
    values = {
        "session_id": session_id,
        "subject": subject,
        "detail": json.dumps(dict(detail), ensure_ascii=False),
        "at_ms": at_ms,
        "most": most,
    }
    return bool(connection.execute(sql["block"], values).rowcount == 1)


def give_back_block(connection: Connection, session_id: str, subject: str) -> None:
    """Note that a block was not delivered: the prompt still has it."""
    connection.execute(sql["unblock"], {"session_id": session_id, "subject": subject})


def has_block(connection: Connection, session_id: str, subject: str) -> bool:
    """Tell whether a prompt (or a subagent) has had its block."""
    values = {"session_id": session_id, "subject": subject}
    return connection.execute(sql["has_block"], values).fetchone() is not None


def count_block(connection: Connection, session_id: str, kind: Owed, subject: str) -> None:
    """Note that an open obligation held its session up."""
    values = {"session_id": session_id, "kind": kind, "subject": subject}
    connection.execute(sql["count_block"], values)


@dataclass(frozen=True)
class Asked:
    """How often a session was asked to store something, and how often it did not."""

    times: int = 0
    declined: int = 0


def asked_to_store(connection: Connection, session_id: str) -> Asked:
    """Return how often a session was asked to store something."""
    row = connection.execute(sql["asked"], {"session_id": session_id}).fetchone()
    return Asked(row["asked"], row["declined"])


def raised_for(connection: Connection, session_id: str, subject: str) -> dict[Owed, str | None]:
    """Return what was raised for a prompt, and what cleared it."""
    values = {"session_id": session_id, "subject": subject, "kinds": json.dumps(OWED)}
    return {row["kind"]: row["cleared_by"] for row in connection.execute(sql["of_prompt"], values)}
