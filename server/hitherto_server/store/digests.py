"""Digests: what is chosen of a session before a compaction, and whether that happened."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.store.queries import load_queries
from hitherto_server.store.sessions import next_generation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.driver import Connection, Row

ChosenBy = Literal["rule", "judge"]
Items = list[dict[str, Any]]

sql = load_queries("digests")


@dataclass(frozen=True)
class Digest:
    """What is kept of a session at one compaction, as the store has it."""

    number: int
    session_id: str
    generation: int
    """The one that the compaction ended."""
    done_at_ms: int
    chosen_by: ChosenBy
    items: Items | None
    """None: nobody has chosen yet."""
    is_given: bool
    memory_id: str | None


@dataclass(frozen=True)
class Turn:
    """A prompt and the reply to it, as far as they are kept."""

    prompt_id: str
    prompt: str
    reply: str | None
    at_ms: int


def put_waiting(connection: Connection, session_id: str, asked_at_ms: int, items: Items) -> bool:
    """Keep what the rule chose before a compaction; False if a later one is over already."""
    values = {
        "session_id": session_id,
        "asked_at_ms": asked_at_ms,
        "chosen_by": "rule",
        "items": _json(items),
    }
    if _is_past(connection, session_id, asked_at_ms):
        return False
    return bool(connection.execute(sql["put"], values).rowcount == 1)


def choose_again(connection: Connection, session_id: str, asked_at_ms: int, items: Items) -> bool:
    """Take the judged choice instead; False once the compaction is over: it came too late."""
    values = {"session_id": session_id, "asked_at_ms": asked_at_ms, "items": _json(items)}
    return bool(connection.execute(sql["choose_again"], values).rowcount == 1)


def begin_after_compaction(connection: Connection, session_id: str, at_ms: int) -> None:
    """Note by its SessionStart that a compaction happened: what was shown is gone, once."""
    values = {"session_id": session_id, "at_ms": at_ms, "done_by": "start"}
    told = connection.execute(sql["told_by_its_end"], values).fetchone()
    if told is not None:
        connection.execute(sql["mark_started"], {"id": told["id"]})
        return
    if _is_past(connection, session_id, at_ms):
        return
    waiting = connection.execute(sql["waiting"], values).fetchone()
    if waiting is None:
        connection.execute(sql["put_done"], values)
    else:
        connection.execute(sql["done"], {**values, "id": waiting["id"]})
    connection.execute(sql["drop_waiting"], values)
    next_generation(connection, session_id, at_ms)


def end_compaction(connection: Connection, session_id: str, at_ms: int) -> bool:
    """Note by its PostCompact that a compaction happened; False if its start has told of it."""
    values = {"session_id": session_id, "at_ms": at_ms, "done_by": "end"}
    if _is_past(connection, session_id, at_ms):
        return False
    waiting = connection.execute(sql["waiting"], values).fetchone()
    if waiting is None:
        return False
    connection.execute(sql["done"], {**values, "id": waiting["id"]})
    connection.execute(sql["drop_waiting"], values)
    next_generation(connection, session_id, at_ms)
    return True


def last_digest(connection: Connection, session_id: str) -> Digest | None:
    """Return the digest of a session's last compaction."""
    row = connection.execute(sql["of_last"], {"session_id": session_id}).fetchone()
    return None if row is None else _digest(row)


def fill(connection: Connection, number: int, items: Items) -> None:
    """Keep what was chosen for a compaction that nobody had announced."""
    connection.execute(sql["fill"], {"id": number, "items": _json(items)})


def give(connection: Connection, number: int, at_ms: int) -> bool:
    """Note that a digest is given; False if it was before."""
    row = connection.execute(sql["give"], {"id": number, "at_ms": at_ms}).fetchone()
    return row is not None


def take_back(connection: Connection, number: int) -> None:
    """Note that a digest that was given did not arrive."""
    connection.execute(sql["take_back"], {"id": number})


def note_stored(connection: Connection, number: int, memory_id: str) -> None:
    """Note which candidate a digest became."""
    connection.execute(sql["stored"], {"id": number, "memory_id": memory_id})


def list_unstored(connection: Connection, *, most: int) -> list[Digest]:
    """Return digests of compactions that no candidate was made of yet."""
    return [_digest(row) for row in connection.execute(sql["unstored"], {"most": most})]


def list_turns(connection: Connection, session_id: str, until_ms: int) -> list[Turn]:
    """Return what was asked and answered in a session until a time, the oldest first."""
    values = {"session_id": session_id, "until_ms": until_ms}
    return [
        Turn(row["prompt_id"], row["prompt"], row["reply"], row["started_at_ms"])
        for row in connection.execute(sql["turns"], values)
    ]


def list_given_texts(connection: Connection, session_id: str) -> list[tuple[int, str]]:
    """Return what a session was given of memories, and since when: it is nobody's word then."""
    rows = connection.execute(sql["given_texts"], {"session_id": session_id})
    return [(row["at_ms"], row["content"]) for row in rows]


def _is_past(connection: Connection, session_id: str, at_ms: int) -> bool:
    """Tell whether something is older than the last compaction: what is chosen now stands."""
    values = {"session_id": session_id, "at_ms": at_ms}
    return connection.execute(sql["is_past"], values).fetchone() is not None


def _digest(row: Row) -> Digest:
    return Digest(
        number=row["id"],
        session_id=row["session_id"],
        generation=row["generation"],
        done_at_ms=row["done_at_ms"],
        chosen_by=row["chosen_by"],
        items=json.loads(row["items"]),
        is_given=row["given_at_ms"] is not None,
        memory_id=row["memory_id"],
    )


def _json(items: Sequence[dict[str, Any]]) -> str:
    return json.dumps(list(items), ensure_ascii=False)
