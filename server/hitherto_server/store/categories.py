"""Categories: a tree for each scope; its leaves hold memories, what has children holds none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.errors import InvalidInput, NotFound
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hitherto_server.store.driver import Connection, Row

SEPARATOR = "/"
MOST_LISTED = 20
LAST = 2**62

sql = load_queries("categories")


@dataclass(frozen=True)
class Category:
    """A category, by its way from the top."""

    id: int
    parent: int | None
    path: tuple[str, ...]
    memories: int
    """Live ones that are filed in it."""
    trashed_at_ms: int | None
    is_live: bool
    """Neither it nor what holds it is in the trash."""
    has_children: bool
    """Live ones: then it holds no memory itself."""

    @property
    def name(self) -> str:
        return SEPARATOR.join(self.path)

    @property
    def is_leaf(self) -> bool:
        """Whether memories can be filed in it."""
        return self.is_live and not self.has_children


def list_categories(connection: Connection, project: int, *, counts: bool = True) -> list[Category]:
    """Return every category of a scope (0: user-wide), a container before what it holds.

    Without `counts`, which read an index of all that is filed, each seems to hold no memory.
    """
    values = {"project": project, "counts": counts}
    rows = {row["id"]: row for row in connection.execute(sql["all"], values)}
    ways = {number: _way(rows, number) for number in rows}
    holding = {row["parent_id"] for number, row in rows.items() if _is_live(rows, ways[number])}
    found = [
        Category(
            id=number,
            parent=row["parent_id"],
            path=tuple(rows[one]["name"] for one in ways[number]),
            memories=row["memories"],
            trashed_at_ms=row["trashed_at_ms"],
            is_live=_is_live(rows, ways[number]),
            has_children=number in holding,
        )
        for number, row in rows.items()
    ]
    return sorted(found, key=lambda one: one.path)


def list_leaves(connection: Connection, project: int) -> list[Category]:
    """Return the categories of a scope in which memories can be filed."""
    return [one for one in list_categories(connection, project, counts=False) if one.is_leaf]


def get_leaf(connection: Connection, project: int, name: str) -> int:
    """Return the number of the category in which memories are filed under a name or a path."""
    leaves = list_leaves(connection, project)
    found = named(leaves, name)
    if found is None:
        known = [one.name for one in leaves]
        listed = ", ".join(known[:MOST_LISTED]) + (", …" if len(known) > MOST_LISTED else "")
        message = f"there is no category {name!r}; there are: {listed or 'none'}"
        raise InvalidInput(message)
    return found.id


def find_leaf_name(connection: Connection, row: Row) -> str | None:
    """Return the path of a memory's category, if memories can still be filed there."""
    if row["category_id"] is None:
        return None
    leaves = list_leaves(connection, row["project_id"] or 0)
    return next((one.name for one in leaves if one.id == row["category_id"]), None)


def get_category(connection: Connection, project: int, name: str) -> Category:
    """Return the category of a name or a path, also one that is in the trash."""
    known = list_categories(connection, project)
    found = named([one for one in known if one.is_live], name) or named(known, name)
    if found is None:
        message = f"there is no category {name!r}"
        raise NotFound(message, mend="Look at the list of the categories, or add it first.")
    return found


def named(categories: Sequence[Category], name: str) -> Category | None:
    """Return the category of a path, or the only one of that name; two of it are an error."""
    for one in categories:
        if one.name == name:
            return one
    found = [one for one in categories if one.path[-1] == name]
    if len(found) > 1:
        message = f"{name!r} names more than one category: {', '.join(one.name for one in found)}"
        raise InvalidInput(message, mend="Name it by its path.")
    return found[0] if found else None


def insert_category(
    connection: Connection, project: int, parent: int | None, name: str, *, at_ms: int
) -> int:
    """Write a category and return its number."""
    values = {"project": project, "parent": parent, "name": name, "at_ms": at_ms}
    return int(connection.execute(sql["insert"], values).fetchone()[0])


def rename_category(connection: Connection, number: int, name: str) -> None:
    """Give a category another name; the index rows of its memories carry the old one."""
    connection.execute(sql["rename"], {"id": number, "name": name})


def trash_category(connection: Connection, number: int, at_ms: int | None) -> None:
    """Put a category into the trash, or (None) take it out."""
    connection.execute(sql["trash"], {"id": number, "at_ms": at_ms})


def list_held(connection: Connection, number: int, *, after: int, most: int) -> list[int]:
    """Return live memories of a category, by their numbers."""
    values = {"id": number, "after": after, "most": most}
    return [row["number"] for row in connection.execute(sql["held"], values)]


def find_filed(connection: Connection, memory_id: str) -> Row | None:
    """Return a live memory with where it is filed."""
    row: Row | None = connection.execute(sql["filed"], {"id": memory_id}).fetchone()
    return row


def list_misfiled(
    connection: Connection,
    *,
    projects: Iterable[int] | None = None,
    only: Iterable[int] | None = None,
    most: int = 50,
    before: int = LAST,
) -> list[Row]:
    """Return what was judged to belong elsewhere: verdict id, memory number, goal, probability."""
    values = {
        "projects": None if projects is None else json.dumps(list(projects)),
        "only": None if only is None else json.dumps(list(only)),
        "most": most,
        "before": before,
    }
    return connection.execute(sql["misfiled"], values).fetchall()


def _way(rows: Mapping[int, Row], number: int) -> list[int]:
    """Return the numbers from the top down to a category."""
    way = [number]
    while (parent := rows[way[0]]["parent_id"]) in rows and parent not in way:
        way.insert(0, parent)
    return way


def _is_live(rows: Mapping[int, Row], way: Sequence[int]) -> bool:
    return all(rows[number]["trashed_at_ms"] is None for number in way)
