"""Why the last admission gave what it gave: each candidate with its outcome."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hitherto_contract.recall import GivenSession, WhyReply
from hitherto_server.store import feedback
from hitherto_server.store.ledger import EARLIER, list_last_admission

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.store.driver import Connection, Row


def explain_last(
    connection: Connection, session: str | None, *, floor: float | None = None
) -> WhyReply:
    """Return the newest admission, of one session or of all; empty if there was none."""
    rows = list_last_admission(connection, session)
    if not rows:
        return WhyReply(session_id=session, channel=None, at_ms=None, query=None, candidates=[])
    first = rows[0]
    said = feedback.said_in(connection, first["session_id"])
    numbers = [row["memory_number"] for row in rows if row["memory_number"] is not None]
    counts = feedback.wrong_sessions(connection, numbers)
    return WhyReply(
        session_id=first["session_id"],
        channel=first["channel"],
        at_ms=first["decided_at_ms"],
        query=first["query"],
        floor=floor if first["channel"] == "prompt" else None,
        candidates=[_candidate(row, said, counts) for row in rows if not _is_session(row)],
        earlier_sessions=[
            GivenSession(**json.loads(row["scores"])) for row in rows if _is_session(row)
        ],
    )


def _is_session(row: Row) -> bool:
    return row["memory_number"] is None and row["reason"] == EARLIER


def _candidate(row: Row, said: Mapping[int, Row], counts: Mapping[int, int]) -> dict[str, Any]:
    wrong = said.get(row["memory_number"])
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
        "wrong": None
        if wrong is None
        else {"because": wrong["reason"], "said_at_ms": wrong["said_at_ms"]},
        "wrong_sessions": counts.get(row["memory_number"], 0),
    }
