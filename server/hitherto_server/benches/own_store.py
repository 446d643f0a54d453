"""A person's own memories as cases: nobody labelled them, so rule and judge are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.benches import pairs, texts
from hitherto_server.benches.items import Filed, Kind, Note, Pair, Past, Repeat
from hitherto_server.core.clock import date_of
from hitherto_server.core.errors import InvalidInput
from hitherto_server.gates.neighbours import Subject, look_by_meaning, look_by_words
from hitherto_server.recall.query import prepare
from hitherto_server.store.benches import list_leaves, sample_memories, sample_prompts
from hitherto_server.store.neighbours import list_live

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hitherto_server.benches.trial import Case
    from hitherto_server.gates.neighbours import Neighbour
    from hitherto_server.store.benches import Order
    from hitherto_server.store.driver import Connection, Row


@dataclass(frozen=True)
class Wanted:
    """Which memories of whose project."""

    project: int
    limit: int
    sample: Order
    model: str | None
    """The embedding model whose vectors are searched, if there is one."""


def own_cases(connection: Connection, surface: str, wanted: Wanted) -> list[Case]:
    """Return cases of a project's memories; what is expected of each is what the rule says."""
    make = MADE.get(surface)
    if make is None:
        message = f"{surface} can be compared on labelled sets only"
        raise InvalidInput(message, mend=f"On the own store: {', '.join(MADE)}.")
    return list(make(connection, wanted))


def _relations(connection: Connection, wanted: Wanted) -> Iterator[Case]:
    return map(pairs.relation_case, _pairs(connection, wanted))


def _supersession(connection: Connection, wanted: Wanted) -> Iterator[Case]:
    """Yield pairs of different days, of which the rule keeps both."""
    for pair in _pairs(connection, wanted):
        if pair.older.recorded_on < pair.newer.recorded_on:
            yield pairs.supersession_case(pair)


def _pairs(connection: Connection, wanted: Wanted) -> Iterator[Pair]:
    for row, near, other in _near(connection, wanted):
        newer, older = sorted((row, other), key=lambda one: one["learned_at_ms"], reverse=True)
        yield Pair(
            id=f"{row['id']}-{near.id}",
            hard=False,
            older=Note(older["content"], date_of(older["learned_at_ms"])),
            newer=Note(newer["content"], date_of(newer["learned_at_ms"])),
            relation=pairs.KINSHIP[near.finding.kinship],
            supersedes=False,
        )


def _duplicates(connection: Connection, wanted: Wanted) -> Iterator[Case]:
    for row, near, content in _near(connection, wanted):
        is_same = near.finding.kinship == "duplicate"
        repeat = Repeat(
            row["id"], hard=False, older=content["content"], newer=row["content"], same=is_same
        )
        yield pairs.duplicate_case(repeat)


def _near(connection: Connection, wanted: Wanted) -> Iterator[tuple[Row, Neighbour, Row]]:
    """Yield memories, each beside the one that the rules hold to be nearest."""
    for row in _memories(connection, wanted):
        subject = Subject(wanted.project, row["content"], row["number"])
        if wanted.model is None:
            around = look_by_words(connection, subject)
        else:
            around = look_by_meaning(connection, subject, wanted.model)
        others = [one for one in around.near if one.number != row["number"]]
        live = list_live(connection, [one.number for one in others[:1]], wanted.project)
        if live:
            yield row, others[0], live[0]


def _kinds(connection: Connection, wanted: Wanted) -> Iterator[Case]:
    for row in _memories(connection, wanted):
        said = Kind(
            row["id"],
            hard=False,
            content=row["content"],
            kind=row["kind"],
            importance=row["importance"],
        )
        yield texts.worth_case(said)


def _categories(connection: Connection, wanted: Wanted) -> Iterator[Case]:
    leaves = list_leaves(connection, wanted.project)
    for row in _memories(connection, wanted):
        if row["category"] in leaves:
            filed = row["category"]
            yield texts.category_case(
                Filed(
                    row["id"],
                    hard=False,
                    content=row["content"],
                    filed_under=filed,
                    right=filed,
                    categories=leaves,
                )
            )


def _prompts(connection: Connection, wanted: Wanted) -> Iterator[Case]:
    found = sample_prompts(connection, wanted.project, sample=wanted.sample, most=wanted.limit)
    for row in found:
        is_past = prepare(row["prompt"]).is_about_the_past
        yield texts.past_case(
            Past(str(row["id"]), hard=False, request=row["prompt"], about_the_past=is_past)
        )


def _memories(connection: Connection, wanted: Wanted) -> list[Row]:
    return sample_memories(connection, wanted.project, sample=wanted.sample, most=wanted.limit)


MADE: dict[str, Callable[[Connection, Wanted], Iterator[Case]]] = {
    "relations": _relations,
    "supersession": _supersession,
    "duplicate-gate": _duplicates,
    "importance-kind": _kinds,
    "category-check": _categories,
    "historical-query": _prompts,
}
