"""The vector index, filled in small steps: while it is, recall scans and nothing waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.store.derived import (
    FILLING,
    VECTOR_TABLE,
    WHOLE_INDEX,
    count_change,
    drop_note,
    note,
    put_vector,
    vector_recipe,
)
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection

STEP = 256

sql = load_queries("filling")


def begin_vectors(connection: Connection, *, model: str, dimension: int, clock: Clock) -> None:
    """Make an empty vector index of a model in place of the one that is there."""
    connection.execute("DROP TABLE IF EXISTS vector")
    connection.execute(VECTOR_TABLE.format(dimension=dimension))
    drop_note(connection, "vector")
    count_change(connection, WHOLE_INDEX)
    # from here on what is written and what is trashed keeps it in step
    note(connection, FILLING, vector_recipe(model, dimension), clock)


def fill_vectors(connection: Connection, *, model: str, after: int) -> int | None:
    """Put the next vectors into the index; returns the last passage, or None behind the last."""
    rows = connection.execute(sql["next"], {"model": model, "after": after, "most": STEP})
    last = None
    for row in rows.fetchall():
        put_vector(connection, row["passage_id"], row["project"], row["vector"])
        last = int(row["passage_id"])
    return last


def finish_vectors(connection: Connection, *, model: str, dimension: int, clock: Clock) -> None:
    """Let recall use the index, now that all is in it."""
    drop_note(connection, FILLING)
    note(connection, "vector", vector_recipe(model, dimension), clock)
