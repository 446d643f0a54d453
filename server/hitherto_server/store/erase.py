"""Taking a text out of every table, and out of the bytes that a database leaves behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hitherto_server.core.text import content_hash
from hitherto_server.store import signs
from hitherto_server.store.derived import drop_memory, index_memory, index_session
from hitherto_server.store.former import drop_former
from hitherto_server.store.judgments import clear_cache, drop_previews
from hitherto_server.store.memories import find_same, put_passages
from hitherto_server.store.pieces import find_holding, settle_pieces
from hitherto_server.store.projects import USER_WIDE
from hitherto_server.store.queries import load_queries
from hitherto_server.store.relations import forget_reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.memories import Span

ERASED = "[erased]"
LEAST_WORD = 16
"""A shorter word may be in anybody's path or name: `testing` is not erased with a memory of it."""
OF_MEMORIES = frozenset({"memory", "revision"})
DERIVED = ("fulltext", "identifiers", "chunk_words")

sql = load_queries("erase")


def spellings(text: str) -> list[str]:
    """Return the ways in which a text may stand in a column or a file: plain, and within JSON."""
    inside = (json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    return list(dict.fromkeys([text, *inside]))


def texts_of(connection: Connection, number: int) -> list[str]:
    """Return every text that a memory ever had, but those that stand elsewhere by chance."""
    rows = connection.execute(sql["texts_of"], {"number": number})
    return [row[0] for row in rows if " " in row[0] or len(row[0]) >= LEAST_WORD]


def find_numbers(connection: Connection, text: str) -> list[int]:
    """Return the memories that say a text, or said it once."""
    found: dict[int, None] = {}
    for spelled in spellings(text):
        for row in connection.execute(sql["numbers_with"], {"text": spelled}):
            found[row[0]] = None
    return list(found)


def ids_of(connection: Connection, numbers: Sequence[int]) -> list[str]:
    """Return the ids of memories."""
    rows = connection.execute(sql["ids_of"], {"numbers": json.dumps(list(numbers))})
    return [row[0] for row in rows]


def count_rows(connection: Connection, texts: Sequence[str]) -> dict[str, int]:
    """Return how many rows of each table hold one of the texts."""
    counts: dict[str, int] = {}
    for table, columns in _text_columns(connection):
        held = " OR ".join(f'instr("{column}", :text)' for column in columns)
        query = f'SELECT count(*) FROM "{table}" WHERE {held}'  # noqa: S608 - the schema's own names
        for spelled in _all_spellings(texts):
            found = connection.execute(query, {"text": spelled}).fetchone()[0]
            counts[table] = max(counts.get(table, 0), found)
    return {table: count for table, count in counts.items() if count}


def replace_rows(
    connection: Connection, texts: Sequence[str], *, memories: bool, indexed: bool = True
) -> None:
    """Put `[erased]` where one of the texts stands, in every table; or in all but memories."""
    if memories:
        for spelled in _all_spellings(texts):
            connection.execute(sql["replace_in_states"], {"text": spelled, "erased": ERASED})
    asked = _sessions_that_asked(connection, texts) if indexed else ()
    pieces = _pieces_with(connection, texts)
    for table, columns in _text_columns(connection):
        if table in OF_MEMORIES and not memories:
            continue
        for column in columns:
            query = (
                f'UPDATE OR REPLACE "{table}" SET "{column}" = '  # noqa: S608 - as above
                f'replace("{column}", :text, :erased) WHERE instr("{column}", :text)'
            )
            for spelled in _all_spellings(texts):
                connection.execute(query, {"text": spelled, "erased": ERASED})
    for session_id in asked:  # its first prompt stands beside what it stored
        index_session(connection, session_id)
    settle_pieces(connection, pieces, indexed=indexed)


def forget_judgments(connection: Connection, texts: Sequence[str]) -> None:
    """Forget what the log of judgments shows of the texts, and every answer that was kept.

    A preview may hold a piece of a text alone, and a hash of it would let it be guessed.
    """
    drop_previews(connection, texts)
    if connection.execute(sql["table_named"], {"name": "judgment_cache"}).fetchone():
        clear_cache(connection)  # an old backup has none


def delete_memory(connection: Connection, number: int, *, indexed: bool = True) -> None:
    """Delete a memory with all that hangs on it: history, passages, vectors, ledger rows."""
    if indexed:
        drop_memory(connection, number)
    connection.execute(sql["delete_memory"], {"number": number})


def settle(
    connection: Connection,
    number: int,
    splitter: Callable[[str], Sequence[Span]],
    *,
    indexed: bool = True,
) -> None:
    """Bring a memory in step with its changed text; one that has nothing else to say is deleted.

    A copy whose indexes were dropped is not `indexed`.
    """
    row: Row | None = connection.execute(sql["by_number"], {"number": number}).fetchone()
    if row is None:
        return
    content, scope = row["content"], row["project_id"] or USER_WIDE
    twin = find_same(connection, scope, content)
    says_nothing = not content.replace(ERASED, "").strip()
    if says_nothing or (twin is not None and twin["number"] != number):
        delete_memory(connection, number, indexed=indexed)
        return
    forget_reasons(connection, number)
    if indexed:
        drop_memory(connection, number)
    values = {"number": number, "content_hash": content_hash(content)}
    connection.execute(sql["set_hash"], values)
    put_passages(connection, number, tuple(splitter(content)))
    if indexed and row["trashed_at_ms"] is None:
        index_memory(connection, number)


def sweep_remains(connection: Connection) -> None:
    """Rewrite what deleted rows left in the indexes and the file; runs outside a transaction."""
    for table in DERIVED:
        if _exists(connection, table):
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608
    connection.execute("VACUUM")


def truncate_wal(connection: Connection) -> bool:
    """Empty the write-ahead log; False while a reader still needs it."""
    return int(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]) == 0


def drop_derived(connection: Connection) -> None:
    """Drop the derived indexes of a copy: whoever opens it builds them anew."""
    for table in DERIVED:
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    while drop_former(connection):
        pass
    if _exists(connection, "vector_block"):  # a copy may be older
        signs.clear(connection)
    connection.execute("DELETE FROM derived_index")


def number_of(connection: Connection, memory_id: str) -> int | None:
    """Return a memory's number, if it is there."""
    row = connection.execute(sql["number_of"], {"id": memory_id}).fetchone()
    return int(row[0]) if row else None


def _sessions_that_asked(connection: Connection, texts: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for spelled in _all_spellings(texts):
        rows = connection.execute(sql["sessions_that_asked"], {"text": spelled})
        found |= {row["session_id"] for row in rows}
    return found


def _pieces_with(connection: Connection, texts: Sequence[str]) -> set[int]:
    if not _exists(connection, "chunk"):  # a copy may be older
        return set()
    return find_holding(connection, _all_spellings(texts))


def _all_spellings(texts: Sequence[str]) -> list[str]:
    return [spelled for text in texts for spelled in spellings(text)]


def _exists(connection: Connection, table: str) -> bool:
    return connection.execute(sql["table_named"], {"name": table}).fetchone() is not None


def _text_columns(connection: Connection) -> Iterator[tuple[str, list[str]]]:
    """Return every table with columns that hold others' text, whatever a later schema adds."""
    for table in [row[0] for row in connection.execute(sql["tables"])]:
        columns = [row[0] for row in connection.execute(sql["text_columns"], {"table": table})]
        if columns:
            yield table, columns
