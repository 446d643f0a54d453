"""A very large store out of a large one: each memory several times, with another number in it.

Writing a memory takes milliseconds, most of them for what its indexes take from its text. A copy
holds the same words but for its number, so that is worked out once for all copies.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.core.clock import now_ms
from hitherto_server.core.text import content_hash
from hitherto_server.store import derived
from hitherto_server.store.driver import open_raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np

    from hitherto_server.store.driver import Connection

    MakeVectors = Callable[[int, int], np.ndarray]

STEP = 2_000
CACHE_KIB = 1024 * 1024
OFFSETS = {
    "memory": {"number": "memories"},
    "revision": {"memory_number": "memories"},
    "anchor": {"id": "anchors", "memory_number": "memories"},
    "passage": {"id": "passages", "memory_number": "memories"},
}
"""The tables that a memory has rows in, and what tells the rows of a copy from its model's."""


@dataclass
class Told:
    """A connection that also keeps what the text indexes are told of a memory."""

    connection: Connection
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def execute(self, statement: str, values: Any = ()) -> Any:
        """Keep what is inserted, pass on what is asked."""
        if statement.lstrip().upper().startswith("INSERT"):
            self.said.append((statement, values))
            return None
        return self.connection.execute(statement, values)


def grow(database: Path, copies: int, vectors: MakeVectors) -> None:
    """Add so many copies of each memory, with vectors and indexes."""
    with closing(open_raw(database)) as connection:
        for pragma in ("foreign_keys = OFF", "synchronous = OFF", f"cache_size = -{CACHE_KIB}"):
            connection.execute(f"PRAGMA {pragma}")
        connection.create_function("hash_of", 1, content_hash, deterministic=True)
        shape = derived.vector_shape(connection)
        assert shape is not None
        steps = _steps(connection)
        offsets = _offsets(connection)
        for first, last in steps:
            connection.execute("BEGIN")
            for copy in range(1, copies + 1):
                moved = {name: copy * offset for name, offset in offsets.items()}
                _copy_rows(connection, first, last, moved)
            _copy_words(connection, first, last, offsets["memories"], copies)
            connection.execute("COMMIT")
        _embed(connection, offsets["passages"], vectors, shape)
        connection.execute("BEGIN")
        derived.rebuild_vectors(connection, model=shape[0], dimension=shape[1], clock=now_ms)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _steps(connection: Connection) -> list[tuple[int, int]]:
    newest = connection.execute("SELECT max(number) FROM memory").fetchone()[0]
    return [(first, min(first + STEP - 1, newest)) for first in range(1, newest + 1, STEP)]


def _offsets(connection: Connection) -> dict[str, int]:
    asked = {"memories": "number) FROM memory", "anchors": "id) FROM anchor"}
    asked["passages"] = "id) FROM passage"
    return {
        name: connection.execute(f"SELECT max({what}").fetchone()[0] for name, what in asked.items()
    }


def _copy_rows(connection: Connection, first: int, last: int, moved: dict[str, int]) -> None:
    for table, keys in OFFSETS.items():
        number = "number" if table == "memory" else "memory_number"
        columns = [row["name"] for row in connection.execute(f"PRAGMA table_info({table})")]
        made = {
            **{column: column for column in columns},
            **_changed(columns, number, moved["memories"]),
            **{column: f"{column} + {moved[name]}" for column, name in keys.items()},
        }
        connection.execute(
            f"INSERT INTO {table} ({', '.join(made)}) SELECT {', '.join(made.values())}"
            f" FROM {table} WHERE {number} BETWEEN ? AND ?",
            (first, last),
        )


def _changed(columns: list[str], number: str, moved: int) -> dict[str, str]:
    """Return what a copy says instead: its text ends with a number of its own."""
    if "content" not in columns:
        return {}
    # the note's number is one less than the memory's
    text = f"substr(content, 1, instr(content, ' (note ')) || '(note ' || ({number} - 1 + {moved})"
    changed = {"content": f"{text} || ')'"}
    if "content_hash" in columns:
        changed["content_hash"] = f"hash_of({text} || ')')"
        changed["id"] = f"substr(id, 1, 24) || printf('%012x', {number} + {moved})"
    return changed


def _copy_words(connection: Connection, first: int, last: int, memories: int, copies: int) -> None:
    told = Told(connection)
    for number in range(first, last + 1):
        told.said.clear()
        if connection.execute("SELECT 1 FROM memory WHERE number = ?", (number,)).fetchone():
            derived.index_text(told, number)
        for copy in range(1, copies + 1):
            moved = number + copy * memories
            for statement, values in told.said:
                connection.execute(statement, _renumbered(values, number, moved))


def _renumbered(values: dict[str, Any], number: int, moved: int) -> dict[str, Any]:
    before, after = f"note {number - 1}", f"note {moved - 1}"
    renamed = {
        name: value.replace(before, after) if isinstance(value, str) else value
        for name, value in values.items()
    }
    return {**renamed, "number": moved}


def _embed(
    connection: Connection, passages: int, vectors: MakeVectors, shape: tuple[str, int]
) -> None:
    for first, last in _ranges(connection, passages):
        made = vectors(first, last - first)
        rows = [
            (first + place, *shape, vector.tobytes())
            for place, vector in enumerate(made.astype("<f4"))
        ]
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO embedding (passage_id, model, dimension, vector) VALUES (?, ?, ?, ?)", rows
        )
        connection.execute("COMMIT")


def _ranges(connection: Connection, passages: int) -> Iterator[tuple[int, int]]:
    """Yield the passages of the copies, some thousand at a time."""
    end = connection.execute("SELECT max(id) FROM passage").fetchone()[0] + 1
    for first in range(passages + 1, end, STEP):
        yield first, min(first + STEP, end)
