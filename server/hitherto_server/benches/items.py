"""What a careful person says of each item of the labelled sets, and in which half it is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

Half = Literal["development", "test"]
Relation = Literal["duplicate", "conflicting", "related", "unrelated"]
Urgency = Literal["must", "should", "consider", "skip"]


def half_of(name: str) -> Half:
    """Deal an item to a half by the hash of its id; rules are never fitted to the test half."""
    first = hashlib.sha256(name.encode()).digest()[0]
    return "development" if first % 2 else "test"


@dataclass(frozen=True)
class Note:
    """A memory's text and its day."""

    content: str
    recorded_on: str


@dataclass(frozen=True)
class Pair:
    """Two memories, what they are to each other, and whether the later replaces the earlier."""

    id: str
    hard: bool
    older: Note
    newer: Note
    relation: Relation
    supersedes: bool


@dataclass(frozen=True)
class Repeat:
    """A statement and a known memory: do they say the same?"""

    id: str
    hard: bool
    older: str
    newer: str
    same: bool


@dataclass(frozen=True)
class Told:
    """A memory of a file, and whether it still holds beside the file's present content."""

    content: str
    holds: bool
    hard: bool


@dataclass(frozen=True)
class ChangedFile:
    """A file as it was when its memories were written, and as it is now."""

    id: str
    path: str
    before: str
    after: str
    memories: tuple[Told, ...]


@dataclass(frozen=True)
class Graded:
    """A memory and how much it matters to a request, 0 to 4."""

    content: str
    grade: int
    hard: bool


@dataclass(frozen=True)
class Request:
    """A prompt or question with memories that may matter to it."""

    id: str
    request: str
    candidates: tuple[Graded, ...]


@dataclass(frozen=True)
class Worth:
    """A memory with its importance (1 to 10), its expendability (0 to 4), and its life so far."""

    id: str
    hard: bool
    content: str
    kind: str
    importance: int
    expendability: int
    written_importance: int
    times_recalled: int
    age_days: int
    duplicates_another: bool


@dataclass(frozen=True)
class Kind:
    """A memory, its kind and its importance."""

    id: str
    hard: bool
    content: str
    kind: str
    importance: int


@dataclass(frozen=True)
class Past:
    """A request, and whether it is about how things were."""

    id: str
    hard: bool
    request: str
    about_the_past: bool


@dataclass(frozen=True)
class RanCommand:
    """A command of an iteration."""

    line: str
    exit_code: int
    failed: bool
    tail: str


@dataclass(frozen=True)
class LoopState:
    """A loop at the end of an iteration, and whether its task is wholly done."""

    id: str
    hard: bool
    task: str
    message: str
    journal: tuple[str, ...]
    commands: tuple[RanCommand, ...]
    done: bool


@dataclass(frozen=True)
class Valued:
    """A text with a value in it that is a credential, or only looks like one."""

    id: str
    hard: bool
    text: str
    value: str
    secret: bool


@dataclass(frozen=True)
class Filed:
    """A memory, the category where it was filed, and where it belongs (None: in none of them)."""

    id: str
    hard: bool
    content: str
    filed_under: str
    right: str | None
    categories: tuple[str, ...]


@dataclass(frozen=True)
class Prompted:
    """A prompt: how much it depends on the past, and what it shows beside that."""

    id: str
    hard: bool
    project: str
    request: str
    urgency: Urgency
    asks_about_a_session: bool
    lasting_preference: bool


@dataclass(frozen=True)
class Boundary:
    """A prompt after work that nobody stored: does it begin another task?"""

    id: str
    hard: bool
    earlier_request: str
    files: tuple[str, ...]
    stopped: bool
    """Whether the agent had stopped by itself."""
    request: str
    new_task: bool
