"""What the lists offer: entries, their handles, and what can be done with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.errors import InvalidInput
from hitherto_server.store.cleaning import list_members

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hitherto_server.store.driver import Connection, Row

ListName = Literal["duplicates", "expendable", "misfiled", "replaced", "conflicts", "stale"]
Choice = Literal[
    "trash",
    "trash-newer",
    "trash-older",
    "supersede",  # the newer replaces the older, which stays readable
    "move",
    "take-back",  # the older one is current again
    "newer",  # holds: it replaces the older
    "older",  # holds: the newer goes into the trash
    "confirm",
]
SaidBy = Literal["rule", "judge", "agent", "person"]

MOST_TEXT = 300
HANDLE = re.compile(
    r"(?:r(?P<relation>[0-9]{1,18})@(?P<newer>[0-9]{1,9})\.(?P<older>[0-9]{1,9})"
    r"|(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@(?P<revision>[0-9]{1,9}))"
)


@dataclass(frozen=True)
class Member:
    """A memory as a list shows it."""

    number: int
    id: str
    revision: int
    text: str
    kind: str
    project: str | None
    is_user_wide: bool
    category: str | None
    importance: int
    source: str
    learned_at_ms: int


@dataclass(frozen=True)
class Score:
    """How expendable a memory was judged to be, on levels from 0 on."""

    score: float
    confidence: float
    model: str
    judged_at_ms: int


@dataclass(frozen=True)
class Entry:
    """One thing that a list offers."""

    members: tuple[Member, ...]
    """The memory that it is about, and what it is compared with; of a pair the newer one first."""
    reasons: tuple[str, ...]
    said_by: SaidBy
    choices: tuple[Choice, ...]
    """What can be done with it; the first is what is done unless another is named."""
    relation: int | None = None
    probability: float | None = None
    said_at_ms: int | None = None
    score: Score | None = None
    goal: int | None = None
    """The category where it belongs."""
    goal_name: str | None = None
    what: str = ""
    """What a dismissal is of, beside the memory."""

    @property
    def handle(self) -> str:
        """Name it, at the revisions that are shown: what moves on is not acted upon."""
        if self.relation is None:
            return f"{self.members[0].id}@{self.members[0].revision}"
        newer, older = self.members
        return f"r{self.relation}@{newer.revision}.{older.revision}"


@dataclass(frozen=True)
class Handle:
    """What a caller acts on: a pair by its relation, or a memory by its id, as it was seen."""

    text: str
    relation: int | None
    memory: str | None
    revisions: tuple[int, ...]


def handle_of(text: str) -> Handle:
    """Return what a handle names; without the revisions that were seen it is none."""
    found = HANDLE.fullmatch(text.strip().lower())
    if found is None:
        message = f"{text[:60]!r} is no entry's id"
        raise InvalidInput(message, mend="Take the id from the list, with all that follows its @.")
    if found["relation"] is not None:
        revisions = (int(found["newer"]), int(found["older"]))
        return Handle(found[0], int(found["relation"]), None, revisions)
    return Handle(found[0], None, found["id"], (int(found["revision"]),))


def members_of(connection: Connection, numbers: Iterable[int]) -> dict[int, Member]:
    """Return what is shown of some memories."""
    rows = list_members(connection, dict.fromkeys(numbers))
    return {number: _member(row) for number, row in rows.items()}


def dropped_of(newer: Member, older: Member) -> Choice:
    """Return which of a pair would go: not what a person told, else the older one."""
    told = older.source == "user-told" and newer.source != "user-told"
    return "trash-newer" if told else "trash-older"


def pair_of(row: Row, members: Mapping[int, Member]) -> tuple[Member, Member]:
    """Return the two memories of a relation, the newer one first."""
    return members[row["newer_number"]], members[row["older_number"]]


def _member(row: Row) -> Member:
    return Member(
        number=row["number"],
        id=row["id"],
        revision=row["revision"],
        text=_short(row["content"]),
        kind=row["kind"],
        project=row["project_name"],
        is_user_wide=row["project_id"] is None,
        category=row["category_name"],
        importance=row["importance"],
        source=row["source"],
        learned_at_ms=row["learned_at_ms"],
    )


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MOST_TEXT else f"{words[: MOST_TEXT - 1]}\u2026"
