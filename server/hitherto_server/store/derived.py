"""The derived indexes: words, identifiers and vectors; rebuilt from the store, never migrated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hitherto_server.core.text import identifiers_in
from hitherto_server.core.words import folded
from hitherto_server.store import signs
from hitherto_server.store.context import CHUNK, context_of
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.driver import Connection, Row

TEXT_INDEXES = "words-6"
WORDS_TOKENIZER = "porter unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''"
"""The vowel signs of many scripts are marks; what words may not differ by, `folded` removed."""
TEXT_TABLES = """
DROP TABLE IF EXISTS {schema}.fulltext;
DROP TABLE IF EXISTS {schema}.identifiers;
CREATE VIRTUAL TABLE {schema}.fulltext USING fts5 (
    body, context,
    content = '', contentless_delete = 1,
    tokenize = '{tokenizer}'
);
CREATE VIRTUAL TABLE {schema}.identifiers USING fts5 (
    names, content = '', contentless_delete = 1, tokenize = 'trigram'
);
"""
TERMS_TABLE = """
CREATE VIRTUAL TABLE IF NOT EXISTS fulltext_terms USING fts5vocab (fulltext, row)
"""
"""A view into the word index: each stem, and how many memories hold it."""
VECTOR_INDEX = "signs-1"
FILL_STEP = 4096
FILLING = "vector filling"
"""Under it the recipe stands of an index that is being filled."""

sql = load_queries("derived")


def prepare_derived(connection: Connection, *, clock: Clock) -> None:
    """Create or rebuild the text indexes if their recipe changed."""
    if recipe_of(connection, "text") != TEXT_INDEXES:
        rebuild_text(connection, clock=clock)
    connection.execute(TERMS_TABLE)


def rebuild_text(connection: Connection, *, clock: Clock) -> int:
    """Build the word and identifier indexes from the store; returns how many memories."""
    owns = not connection.in_transaction
    if owns:
        connection.execute("BEGIN IMMEDIATE")
    create_text_tables(connection, schema="main")
    numbers = [row[0] for row in connection.execute(sql["live_numbers"])]
    for number in numbers:
        index_text(connection, number)
    note(connection, "text", TEXT_INDEXES, clock)
    if owns:
        connection.execute("COMMIT")
    return len(numbers)


def create_text_tables(connection: Connection, *, schema: Literal["main", "temp"]) -> None:
    """Make empty text indexes; while they exist, those in `temp` hide the real ones."""
    for statement in TEXT_TABLES.format(schema=schema, tokenizer=WORDS_TOKENIZER).split(";"):
        if statement.strip():
            connection.execute(statement)


def rebuild_vectors(connection: Connection, *, model: str, dimension: int, clock: Clock) -> int:
    """Build the vector index of a model from the canonical embeddings; returns how many."""
    signs.clear(connection)
    rows = connection.execute(sql["live_embeddings"], {"model": model})
    count = 0
    while some := rows.fetchmany(FILL_STEP):
        put_vectors(connection, some)
        count += len(some)
    drop_note(connection, FILLING)
    note(connection, "vector", vector_recipe(model, dimension), clock)
    return count


def vector_recipe(model: str, dimension: int) -> str:
    """Name the recipe of a vector index."""
    return f"{VECTOR_INDEX}:{model}:{dimension}"


def vector_model(connection: Connection) -> str | None:
    """Return the model whose vectors the index holds, or None if there is no usable index."""
    shape = vector_shape(connection)
    return shape[0] if shape else None


def kept_vectors(connection: Connection) -> str | None:
    """Return the model whose vectors the index is kept in step with, while it is filled too."""
    recipe = recipe_of(connection, "vector") or recipe_of(connection, FILLING)
    return _model_of(recipe)[0] if recipe else None


def vector_shape(connection: Connection) -> tuple[str, int] | None:
    """Return the model and the dimension that the vector index was built for, if it was."""
    recipe = recipe_of(connection, "vector")
    if recipe is None:
        return None
    return _model_of(recipe)


def _model_of(recipe: str) -> tuple[str, int]:
    model, dimension = recipe.split(":", 1)[1].rsplit(":", 1)
    return model, int(dimension)


def index_memory(connection: Connection, number: int) -> None:
    """Bring every derived index in step with one live memory, within the caller's transaction."""
    index_text(connection, number)
    _index_beside(connection, number)
    model = kept_vectors(connection)
    if model is None:
        return
    project = connection.execute(sql["scope_of"], {"number": number}).fetchone()[0]
    rows = connection.execute(sql["embeddings_of"], {"number": number, "model": model}).fetchall()
    signs.put(connection, project, [(row["passage_id"], row["vector"]) for row in rows])


def drop_memory(connection: Connection, number: int) -> None:
    """Take a memory out of every derived index."""
    connection.execute(sql["drop_words"], {"number": number})
    connection.execute(sql["drop_identifiers"], {"number": number})
    if kept_vectors(connection) is not None:
        passages = connection.execute(sql["passages_of"], {"number": number}).fetchall()
        signs.drop(connection, [row["id"] for row in passages])
    _index_beside(connection, number, without=number)  # its row may still be there


def put_vectors(connection: Connection, rows: Iterable[Row]) -> None:
    """Put vectors into the vector index: rows of passage_id, project, vector."""
    by_scope: dict[int, list[tuple[int, bytes]]] = {}
    for row in rows:
        by_scope.setdefault(row["project"], []).append((row["passage_id"], row["vector"]))
    for project, vectors in by_scope.items():
        signs.put(connection, project, vectors)


def index_text(connection: Connection, number: int, *, without: int | None = None) -> None:
    """Bring the text indexes in step with one live memory, as if another were not beside it."""
    row = connection.execute(sql["searchable"], {"number": number}).fetchone()
    connection.execute(
        sql["put_words"],
        {
            "number": number,
            "scope": row["project"],
            "body": folded(row["content"]),
            "context": folded(context_of(row, list_beside(connection, row, without))),
        },
    )
    names = [*identifiers_in(row["content"]), *row["paths"].split()]
    connection.execute(sql["put_identifiers"], {"number": number, "names": " ".join(names)})


def index_session(connection: Connection, session_id: str) -> None:
    """Bring the text indexes in step with what a session was about."""
    rows = connection.execute(sql["of_session"], {"session_id": session_id}).fetchall()
    for row in rows:
        index_text(connection, row["number"])


def list_beside(connection: Connection, row: Row, without: int | None = None) -> list[Row]:
    """Return the chunks around one of a transcript; other memories stand alone."""
    if row["source"] != CHUNK:
        return []
    values = {"number": row["number"], "without": without}
    return connection.execute(sql["beside"], values).fetchall()


def _index_beside(connection: Connection, number: int, *, without: int | None = None) -> None:
    """Tell the chunks around one what stands beside them now."""
    row = connection.execute(sql["source_of"], {"number": number}).fetchone()
    for beside in list_beside(connection, row) if row else ():
        index_text(connection, beside["number"], without=without)


def recipe_of(connection: Connection, name: str) -> str | None:
    """Return the recipe by which an index was built, if it was."""
    row = connection.execute(sql["recipe_of"], {"name": name}).fetchone()
    return str(row[0]) if row else None


def drop_note(connection: Connection, name: str) -> None:
    """Note that there is no such index."""
    connection.execute(sql["drop_recipe"], {"name": name})


def note(connection: Connection, name: str, recipe: str, clock: Clock) -> None:
    """Note by which recipe an index was built."""
    connection.execute(sql["put_recipe"], {"name": name, "recipe": recipe, "at_ms": clock()})
