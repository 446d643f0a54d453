"""The log of judgments, and the answers that need not be asked for again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("judgments")

KEPT_ENTRIES = 20_000
KEPT_ANSWERS = 10_000
GRAM, STRIDE = 24, 12
"""A preview that shares 35 characters with a text has one of its grams whole."""


@dataclass(frozen=True)
class Entry:
    """One judgment, as it is logged. Maps and lists are JSON."""

    id: int
    asked_at_ms: int
    surface: str
    riders: str
    origin: str
    session_id: str | None
    project_id: int | None
    question_hash: str
    preview: str | None
    latency_ms: float
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    answers: str | None = None
    unavailable_reason: str | None = None
    detail: str | None = None
    cached: bool = False
    outcome: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What was done with a judgment."""

    id: int
    outcome: str


@dataclass(frozen=True)
class Cached:
    """An answer that was given, and how long it serves."""

    request_hash: str
    model: str
    calibrated: bool
    answers: str
    answered_at_ms: int
    expires_at_ms: int


Note = Entry | Outcome | Cached


def last_id(connection: Connection) -> int:
    """Return the newest number that the log gave."""
    return int(connection.execute(sql["last_id"]).fetchone()[0])


def put_notes(connection: Connection, notes: Iterable[Note], at_ms: int) -> None:
    """Write what happened, in its order, and forget what is too old."""
    for note in notes:
        name = {Entry: "put_entry", Outcome: "put_outcome", Cached: "put_cached"}[type(note)]
        connection.execute(sql[name], asdict(note))
    connection.execute(sql["prune_log"], {"kept": KEPT_ENTRIES})
    connection.execute(sql["prune_cache"], {"kept": KEPT_ANSWERS, "at_ms": at_ms})


def list_entries(
    connection: Connection,
    *,
    surface: str | None = None,
    session_id: str | None = None,
    origin: str | None = None,
    before_id: int | None = None,
    limit: int = 50,
) -> list[Row]:
    """Return the log, the newest first."""
    values = {
        "surface": surface,
        "session_id": session_id,
        "origin": origin,
        "before_id": before_id,
        "limit": limit,
    }
    return connection.execute(sql["listed"], values).fetchall()


def list_sessions(connection: Connection, limit: int) -> list[Row]:
    """Return the sessions for which something was asked, the latest first."""
    return connection.execute(sql["sessions"], {"limit": limit}).fetchall()


def count_by_surface(connection: Connection, since_ms: int) -> list[Row]:
    """Return how often each surface asked since then, by how that ended."""
    return connection.execute(sql["surfaces"], {"since_ms": since_ms}).fetchall()


def find_cached(connection: Connection, request_hash: str, at_ms: int) -> Row | None:
    """Return the answer that was given to the very same request."""
    values = {"request_hash": request_hash, "at_ms": at_ms}
    row: Row | None = connection.execute(sql["find_cached"], values).fetchone()
    return row


def count_cached(connection: Connection) -> int:
    """Return how many answers are kept."""
    return int(connection.execute(sql["count_cached"]).fetchone()[0])


def clear_cache(connection: Connection) -> int:
    """Forget all answers and return how many they were."""
    return connection.execute(sql["clear_cache"]).rowcount


def drop_previews(connection: Connection, texts: Sequence[str]) -> int:
    """Drop every preview that shows a piece of one of the texts; it may be cut in the middle."""
    pieces = {piece for text in texts for spelled in _spelled(text) for piece in _grams(spelled)}
    shown = connection.execute(sql["previews"]).fetchall()
    found = [row["id"] for row in shown if any(piece in row["preview"] for piece in pieces)]
    connection.executemany(sql["drop_preview"], [{"id": one} for one in found])
    return len(found)


def _spelled(text: str) -> set[str]:
    return {
        text,
        *(json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)),
    }


def _grams(text: str) -> list[str]:
    if len(text) <= GRAM:
        return [text]
    return [text[at : at + GRAM] for at in range(0, len(text) - GRAM + 1, STRIDE)]


def loaded(text: str | None) -> Any:
    """Return a JSON column's value."""
    return None if text is None else json.loads(text)
