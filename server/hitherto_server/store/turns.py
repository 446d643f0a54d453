"""Turns: what a person asked, without its secrets and within a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.derived import index_session
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

sql = load_queries("turns")


@dataclass(frozen=True)
class NewTurn:
    """A prompt as it is kept: redacted and bounded by whoever passes it."""

    session_id: str
    prompt_id: str
    prompt: str
    at_ms: int
    query: str
    """The prompt as the ledger keeps it: shorter."""
    admission: str | None = None
    """What was decided for it, if anything was searched."""


def put_turn(connection: Connection, new: NewTurn) -> None:
    """Keep a prompt, once, and say in the ledger what its admission was asked."""
    connection.execute(sql["put"], vars(new))
    first = connection.execute(sql["first"], {"session_id": new.session_id}).fetchone()
    if first is not None and first["prompt_id"] == new.prompt_id:
        index_session(connection, new.session_id)  # a spooled prompt may come after its memories
    if new.admission is not None:
        connection.execute(sql["fill_query"], {"query": new.query, "admission": new.admission})


def put_reply(
    connection: Connection, session_id: str, prompt_id: str, reply: str, *, at_ms: int
) -> None:
    """Keep what an agent said last to a prompt that is kept; a later stop says it anew."""
    values = {"session_id": session_id, "prompt_id": prompt_id, "reply": reply, "at_ms": at_ms}
    connection.execute(sql["put_reply"], values)


def list_prompts(connection: Connection, session_id: str, prompt_id: str, most: int) -> list[str]:
    """Return what a session was asked as far as it is kept: that prompt, then the latest first."""
    values = {"session_id": session_id, "prompt_id": prompt_id, "most": most}
    return [str(row["prompt"]) for row in connection.execute(sql["prompts"], values)]
