"""What is read to keep a scope's vectors in memory, and how often they changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.store.derived import WHOLE_INDEX, vector_model
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Collection

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("matrices")


class Version(NamedTuple):
    """How often the whole vector index was made anew, and a scope's part of it changed."""

    whole: int
    scope: int


def has_index(connection: Connection, model: str) -> bool:
    """Tell whether the vector index holds this model's vectors: only then changes are counted."""
    return vector_model(connection) == model


def version_of(connection: Connection, scope: int) -> Version:
    """Return the version of one scope's vectors."""
    values = {"whole": WHOLE_INDEX, "scope": scope}
    return Version(*connection.execute(sql["version"], values).fetchone())


def list_passages(connection: Connection, model: str, scope: int, *, most: int) -> dict[int, int]:
    """Return the passages of a scope that have a vector: by id, a number for the memory's text.

    An id alone says little: after an edit the new passages may get the ids of the old ones.
    """
    values = {"model": model, "scope": scope, "most": most}
    rows = connection.execute(sql["passages"], values)
    return {row["id"]: hash(row["content_hash"]) for row in rows}


def list_vectors(connection: Connection, model: str, passages: Collection[int]) -> list[Row]:
    """Return the vectors of passages: passage_id, number, start_char, end_char, vector."""
    values = {"model": model, "passages": json.dumps(list(passages))}
    return connection.execute(sql["vectors"], values).fetchall()
