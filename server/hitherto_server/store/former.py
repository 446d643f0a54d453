"""The vector index of earlier versions, a table of sqlite-vec: removed without that extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection

TABLES = ("vector_vector_chunks00", "vector_rowids", "vector_chunks", "vector_info")
"""What the extension kept its rows in; the first holds nearly all of it."""
UNNAME = """
DELETE FROM sqlite_schema
WHERE type = 'table' AND name = 'vector' AND sql LIKE 'CREATE VIRTUAL TABLE vector USING vec0%'
"""
"""No named query: nothing can be said of it while the schema is protected."""
STEP = 8
"""Rows a step, each of 128 vectors."""

sql = load_queries("former")


def drop_former(connection: Connection) -> bool:
    """Remove a step of the former index; returns whether there is more of it."""
    if connection.execute(sql["declared"]).fetchone():
        # DROP TABLE would need the extension, for nothing but to drop the tables below
        connection.execute("PRAGMA writable_schema = ON")
        try:
            connection.execute(UNNAME)
        finally:
            connection.execute("PRAGMA writable_schema = RESET")
        return True
    for table in TABLES:
        if _is_there(connection, table):
            cut = f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} LIMIT {STEP})"  # noqa: S608
            if table != TABLES[0] or connection.execute(cut).rowcount == 0:
                connection.execute(f"DROP TABLE {table}")
            return True
    return False


def _is_there(connection: Connection, table: str) -> bool:
    return connection.execute(sql["table_named"], {"name": table}).fetchone() is not None
