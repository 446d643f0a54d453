"""The vector index, filled in small steps: while it is, recall scans and nothing waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.store import signs
from hitherto_server.store.derived import (
    FILLING,
    drop_note,
    note,
    put_vectors,
    vector_recipe,
)
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection

STEP = 1024

sql = load_queries("filling")


def begin_vectors(connection: Connection, *, model: str, dimension: int, clock: Clock) -> None:
    """Make an empty vector index of a model in place of the one that is there."""
    signs.clear(connection)
    drop_note(connection, "vector")
    # from here on what is written and what is trashed keeps it in step
    note(connection, FILLING, vector_recipe(model, dimension), clock)


def fill_vectors(connection: Connection, *, model: str, after: int) -> int | None:
    """Put the next vectors into the index; returns the last passage, or None behind the last."""
    values = {"model": model, "after": after, "most": STEP}
    rows = connection.execute(sql["next"], values).fetchall()
    put_vectors(connection, rows)
    return int(rows[-1]["passage_id"]) if rows else None


def finish_vectors(connection: Connection, *, model: str, dimension: int, clock: Clock) -> None:
    """Let recall use the index, now that all is in it."""
    drop_note(connection, FILLING)
    note(connection, "vector", vector_recipe(model, dimension), clock)
