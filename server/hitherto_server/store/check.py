"""Whether the derived indexes say what the store says; what differs, `hitherto reindex` mends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_server.store import signs
from hitherto_server.store.derived import create_text_tables, index_text, vector_model
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection

MOST_NAMED = 5
TEXT_INDEXES = ("fulltext", "identifiers")

sql = load_queries("check")


def disagreements(connection: Connection) -> list[str]:
    """Return where a database contradicts itself, in words; a sound one gives an empty list.

    Needs a connection that may write: the indexes are built anew, in temporary tables.
    """
    connection.execute("BEGIN")  # one snapshot: a server may be writing
    try:
        return _found(connection)
    finally:
        connection.execute("ROLLBACK")


def _found(connection: Connection) -> list[str]:
    found = [f"integrity: {said}" for (said,) in _rows(connection, "integrity") if said != "ok"]
    for table, row, parent, _ in _rows(connection, "broken_references"):
        found.append(f"{table} row {row} refers to a {parent} that is not there")
    for number, revision in _rows(connection, "headless"):
        found.append(f"memory {number} has no true copy of its revision {revision}")
    return [*found, *_text_disagreements(connection), *_vector_disagreements(connection)]


def _text_disagreements(connection: Connection) -> list[str]:
    """Compare every term that the indexes hold with those of indexes built anew."""
    create_text_tables(connection, schema="temp")
    try:
        for (number,) in _rows(connection, "live_numbers"):
            index_text(connection, number)
        return [said for table in TEXT_INDEXES for said in _term_disagreements(connection, table)]
    finally:
        for table in TEXT_INDEXES:
            connection.execute(f"DROP TABLE temp.{table}")


def _term_disagreements(connection: Connection, table: str) -> list[str]:
    held, wanted = (_terms(connection, schema, table) for schema in ("main", "temp"))
    pairs = (("has terms too many", held - wanted), ("lacks terms", wanted - held))
    return [
        f"{table} {what} of memories {_named(doc for _, doc, *_ in terms)}"
        for what, terms in pairs
        if terms
    ]


def _terms(connection: Connection, schema: str, table: str) -> set[tuple[Any, ...]]:
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.terms USING fts5vocab({schema}, {table}, instance)"
    )
    try:
        rows = connection.execute(
            'SELECT term, doc & 0xFFFFFFFF, doc, col, "offset" FROM temp.terms'
        )
        return {tuple(row) for row in rows}
    finally:
        connection.execute("DROP TABLE temp.terms")


def _vector_disagreements(connection: Connection) -> list[str]:
    model = vector_model(connection)
    if model is None:
        return []
    held = signs.list_held(connection)
    rows = _rows(connection, "wanted_vectors", model=model)
    codes = signs.codes_of([(passage, vector) for passage, _, vector in rows])
    wanted = {
        (passage, project, code) for (passage, project, _), code in zip(rows, codes, strict=True)
    }
    differing = {passage for passage, _, _ in held ^ wanted}
    return [f"the vectors of passages {_named(differing)} differ"] if differing else []


def _rows(connection: Connection, name: str, **values: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(sql[name], values)]


def _named(numbers: Iterable[int]) -> str:
    ordered = sorted(set(numbers))
    more = f" and {len(ordered) - MOST_NAMED} more" if len(ordered) > MOST_NAMED else ""
    return ", ".join(map(str, ordered[:MOST_NAMED])) + more
