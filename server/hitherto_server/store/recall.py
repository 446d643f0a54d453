"""What recall reads; each function is one query of `recall.sql`, or two."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("recall")


def find_words(
    connection: Connection, match: str, scopes: Iterable[int], *, most: int
) -> dict[int, float]:
    """Return memories of some scopes by the BM25 of a full text expression, best first.

    How rare a word is counts the whole store, so that what scopes give can be compared.
    """
    found: list[tuple[float, int]] = []
    for scope in scopes:
        values = {"match": match, "scope": scope, "most": most}
        rows = connection.execute(sql["words"], values)
        found += [(row["score"], row["number"]) for row in rows]
    return {number: score for score, number in sorted(found, reverse=True)[:most]}


def find_holding(
    connection: Connection, match: str, scopes: Iterable[int], *, most: int
) -> list[int]:
    """Return memories of some scopes that fit a full text expression, in no order."""
    found: list[int] = []
    for scope in scopes:
        values = {"match": match, "scope": scope, "most": most - len(found)}
        found += [row["number"] for row in connection.execute(sql["holding"], values)]
    return found


def find_named(
    connection: Connection, match: str, scopes: Sequence[int], *, most: int
) -> list[int]:
    """Return the memories that hold an identifier, or a longer one around it."""
    rows = connection.execute(
        sql["named"], {"match": match, "scopes": json.dumps(scopes), "most": most}
    )
    return [row["number"] for row in rows]


def list_vectors(connection: Connection, model: str, scopes: Sequence[int]) -> list[Row]:
    """Return every stored vector within the scopes: number, start_char, end_char, vector."""
    values = {"model": model, "scopes": json.dumps(scopes)}
    return connection.execute(sql["scan"], values).fetchall()


def list_vectors_of(connection: Connection, model: str, numbers: Iterable[int]) -> list[Row]:
    """Return the stored vectors of some memories: number, start_char, end_char, vector."""
    values = {"model": model, "numbers": json.dumps(list(numbers))}
    return connection.execute(sql["vectors_of"], values).fetchall()


def find_anchored(
    connection: Connection, paths: Sequence[str], scopes: Sequence[int], *, most: int
) -> dict[int, str]:
    """Return the memories that are tied to one of the files, each with that file."""
    values = {"paths": json.dumps(paths), "scopes": json.dumps(scopes), "most": most}
    return {row["number"]: row["path"] for row in connection.execute(sql["anchored"], values)}


def find_by_id(connection: Connection, memory_id: str, scopes: Sequence[int]) -> list[int]:
    """Return the memory of that id, if it lies within the scopes."""
    values = {"id": memory_id, "scopes": json.dumps(scopes)}
    return [row["number"] for row in connection.execute(sql["by_id"], values)]


def find_by_id_prefix(
    connection: Connection, prefix: str, scopes: Sequence[int], *, most: int
) -> list[int]:
    """Return the memories whose id begins with the prefix."""
    values = {
        "prefix": prefix,
        "beyond": prefix + "g",  # after every hexadecimal digit and '-'
        "scopes": json.dumps(scopes),
        "most": most,
    }
    return [row["number"] for row in connection.execute(sql["by_id_prefix"], values)]


def list_states(
    connection: Connection, numbers: Iterable[int], scopes: Sequence[int]
) -> dict[int, Row]:
    """Return what decides whether memories may be shown; those of other scopes are left out."""
    values = {"numbers": json.dumps(list(numbers)), "scopes": json.dumps(scopes)}
    return {row["number"]: row for row in connection.execute(sql["states"], values)}


def list_texts(connection: Connection, numbers: Iterable[int]) -> dict[int, Row]:
    """Return what is shown of some memories."""
    values = {"numbers": json.dumps(list(numbers))}
    return {row["number"]: row for row in connection.execute(sql["texts"], values)}


def list_anchors(
    connection: Connection, numbers: Iterable[int]
) -> tuple[list[Row], dict[int, list[Row]]]:
    """Return the anchors of some memories, and the parts of each anchor by its id."""
    values = {"numbers": json.dumps(list(numbers))}
    anchors = connection.execute(sql["anchors_of"], values).fetchall()
    parts: dict[int, list[Row]] = {}
    if anchors:
        for row in connection.execute(sql["parts_of"], values):
            parts.setdefault(row["anchor_id"], []).append(row)
    return anchors, parts


def list_conflicts(connection: Connection, numbers: Iterable[int]) -> dict[int, list[str]]:
    """Return the memories that some memories may contradict: their ids, and in what."""
    found: dict[int, list[str]] = {}
    values = {"numbers": json.dumps(list(numbers))}
    for row in connection.execute(sql["conflicts_of"], values):
        age = "newer" if row["is_newer"] else "older"
        said = f"{row['other']} ({age}: {row['reason']})" if row["reason"] else row["other"]
        found.setdefault(row["number"], []).append(said)
    return found


def list_for_brief(connection: Connection, scopes: Sequence[int], *, most: int) -> list[int]:
    """Return the memories that a session should know from the start, the most important first."""
    values = {"scopes": json.dumps(scopes), "most": most}
    return [row["number"] for row in connection.execute(sql["brief"], values)]


def list_actors(connection: Connection, scopes: Iterable[int], *, most: int) -> list[str]:
    """Return who said what the scopes hold, each once."""
    found = []
    for scope in scopes:
        values = {"project": scope or None, "most": most}
        found += [row["actor"] for row in connection.execute(sql["actors"], values)]
    return list(dict.fromkeys(found))


def find_project_name(connection: Connection, project: int) -> str | None:
    """Return what a project is called; None of the user-wide scope."""
    row = connection.execute(sql["project_name"], {"project": project}).fetchone()
    return None if row is None else str(row["name"])


def list_actors_of(connection: Connection, numbers: Iterable[int]) -> dict[int, str]:
    """Return who said each of some memories."""
    values = {"numbers": json.dumps(list(numbers))}
    return {row["number"]: row["actor"] for row in connection.execute(sql["actors_of"], values)}


def find_chunks(connection: Connection, numbers: Iterable[int]) -> set[int]:
    """Return which of some memories were cut from a transcript."""
    if connection.execute(sql["any_chunk"]).fetchone() is None:
        return set()  # most stores have none, and the rest takes a third of a millisecond
    values = {"numbers": json.dumps(list(numbers))}
    return {row["number"] for row in connection.execute(sql["chunks"], values)}
