"""Why the last admission gave what it gave: each candidate with its outcome."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hitherto_contract.recall import WhyReply
from hitherto_server.store.ledger import list_last_admission

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection, Row


def explain_last(connection: Connection, session: str | None) -> WhyReply:
    """Return the newest admission, of one session or of all; empty if there was none."""
    rows = list_last_admission(connection, session)
    if not rows:
        return WhyReply(session_id=session, channel=None, at_ms=None, query=None, candidates=[])
    first = rows[0]
    return WhyReply(
        session_id=first["session_id"],
        channel=first["channel"],
        at_ms=first["decided_at_ms"],
        query=first["query"],
        candidates=[_candidate(row) for row in rows],
    )


def _candidate(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "revision": row["revision"],
        "kind": row["kind"],
        "opening": row["opening"],
        "outcome": row["outcome"],
        "reason": row["reason"],
        "standing": row["standing"],
        "scores": json.loads(row["scores"]),
        "tokens": row["tokens"],
    }
