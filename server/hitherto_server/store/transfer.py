"""The rows behind an export: read as what they mean, without a number of the database."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hitherto_server.store.driver import Connection

sql = load_queries("transfer")

Line = dict[str, Any]
Path = list[str]


@dataclass(frozen=True)
class Chosen:
    """What of a store is meant: one project (its number) or all, with or without the trash."""

    project: int | None = None
    trashed: bool = True

    def values(self) -> dict[str, int | None]:
        """Return it as the queries take it."""
        return {"project": self.project, "trashed": int(self.trashed)}


def list_lines(connection: Connection, chosen: Chosen) -> Iterator[Line]:
    """Return a store line by line, in the order in which it can be taken in."""
    categories = _Categories(connection)
    yield from (
        {"type": "project", **_but(row, "id")} for row in _all(connection, "projects", chosen)
    )
    yield from categories.lines(chosen)
    yield from _sessions(connection, chosen)
    for row in _all(connection, "events", chosen):
        yield {"type": "event", **_booled(row, "spooled"), "detail": json.loads(row["detail"])}
    yield from _memories(connection, chosen, categories)
    for kind, query in (("relation", "relations"), ("feedback", "feedback"), ("quiet", "quiet")):
        yield from ({"type": kind, **row} for row in _all(connection, query, chosen))


def count_left_out(connection: Connection, chosen: Chosen) -> int:
    """Return how many memories in the trash are not meant."""
    return int(connection.execute(sql["left_out"], chosen.values()).fetchone()[0])


def revisions_of(connection: Connection, number: int) -> list[Line]:
    """Return the history of one memory, as an export has it."""
    categories = _Categories(connection)
    return _revisions(connection, number, categories)


def list_unsettled(connection: Connection) -> list[str]:
    """Return the memories that a merge found changed on both sides and nobody has looked at."""
    return [row[0] for row in connection.execute(sql["unsettled"])]


class _Categories:
    """Names each category by its way from the top."""

    def __init__(self, connection: Connection) -> None:
        self._rows = {row["id"]: dict(row) for row in connection.execute(sql["categories"])}

    def path(self, number: int | None) -> Path | None:
        names: Path = []
        while number is not None and (row := self._rows.get(number)) is not None:
            names.insert(0, row["name"])
            number = row["parent_id"]
        return names or None

    def lines(self, chosen: Chosen) -> Iterator[Line]:
        for number, row in sorted(
            self._rows.items(), key=lambda one: (self._depth(one[0]), one[0])
        ):
            if chosen.project is not None and row["project_id"] != chosen.project:
                continue
            kept = _but(row, "id", "parent_id", "project_id", "name")
            yield {"type": "category", **kept, "path": self.path(number)}

    def _depth(self, number: int) -> int:
        return len(self.path(number) or ())


def _sessions(connection: Connection, chosen: Chosen) -> Iterator[Line]:
    for row in _all(connection, "sessions", chosen):
        turns = _beside(connection, "turns", id=row["id"])
        yield {"type": "session", **_booled(row, "paused"), "turns": turns}


def _memories(connection: Connection, chosen: Chosen, categories: _Categories) -> Iterator[Line]:
    for row in _all(connection, "memories", chosen):
        number = row["number"]
        yield {
            "type": "memory",
            **_booled(_but(row, "number", "category_id"), "suspect"),
            "category": categories.path(row["category_id"]),
            "tags": json.loads(row["tags"]),
            "revisions": _revisions(connection, number, categories),
            "anchors": [
                {**_but(one, "id"), "parts": _beside(connection, "parts", id=one["id"])}
                for one in _beside(connection, "anchors", number=number)
            ],
            "supports": _beside(connection, "supports", number=number),
            "verdicts": _beside(connection, "verdicts", number=number),
            "uses": _beside(connection, "uses", number=number),
            "merge_conflicts": _beside(connection, "merge_conflicts", number=number),
        }


def _revisions(connection: Connection, number: int, categories: _Categories) -> list[Line]:
    return [
        {**one, "state": _state(json.loads(one["state"]), categories)}
        for one in _beside(connection, "revisions", number=number)
    ]


def _state(kept: Mapping[str, Any], categories: _Categories) -> Line:
    state = {**kept, "tags": json.loads(kept["tags"]), "suspect": bool(kept.get("suspect"))}
    state["category"] = categories.path(state.pop("category_id"))
    return state


def _all(connection: Connection, query: str, chosen: Chosen) -> Iterator[Line]:
    return (dict(row) for row in connection.execute(sql[query], chosen.values()))


def _beside(connection: Connection, query: str, **values: Any) -> list[Line]:
    return [dict(row) for row in connection.execute(sql[query], values)]


def _but(row: Mapping[str, Any], *names: str) -> Line:
    return {name: value for name, value in row.items() if name not in names}


def _booled(row: Mapping[str, Any], name: str) -> Line:
    return {**row, name: bool(row[name])}
