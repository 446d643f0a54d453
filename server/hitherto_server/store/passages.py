"""Passages and their canonical vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

BEHIND_ALL = 2**63 - 1

sql = load_queries("passages")


@dataclass(frozen=True)
class Waiting:
    """A passage that has no vector yet."""

    id: int
    text: str
    project: int


def list_waiting(
    connection: Connection, *, model: str, limit: int, before: int = BEHIND_ALL
) -> list[Waiting]:
    """Return passages without a vector of this model, the newest first, older than `before`."""
    values = {"model": model, "limit": limit, "before": before}
    rows = connection.execute(sql["waiting"], values)
    return [Waiting(row["id"], row["text"], row["project"]) for row in rows]


def count_waiting(connection: Connection, *, model: str) -> int:
    """Return how many passages have no vector of this model."""
    return int(connection.execute(sql["count_waiting"], {"model": model}).fetchone()[0])


def is_unchanged(connection: Connection, passage: Waiting) -> bool:
    """Tell whether the passage still reads as it did when it was taken to be embedded."""
    row = connection.execute(sql["text_of"], {"passage_id": passage.id}).fetchone()
    return row is not None and row["text"] == passage.text


def put_embedding(
    connection: Connection, passage_id: int, *, model: str, dimension: int, vector: bytes
) -> None:
    """Keep a passage's vector (float32, little endian, length 1)."""
    values = {"passage_id": passage_id, "model": model, "dimension": dimension, "vector": vector}
    connection.execute(sql["put_embedding"], values)
