"""What a bench asks and hears: a case is one item as its surface asks about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface


@dataclass(frozen=True)
class Label:
    """What a person says of one thing, and of which item it is part."""

    id: str
    """Of the item; it deals the item to a half."""
    aspect: str
    hard: bool
    expected: str
    grade: float | None = None
    """Its place on the levels of a score."""


@dataclass(frozen=True)
class Said:
    """What was said of one thing; all None: nothing was, or it was undecided."""

    label: str | None = None
    chance: float | None = None
    """How probable `of` was said to be."""
    of: str | None = None
    grade: float | None = None
    """The level that it was said to be on."""
    order: float | None = None
    """Where it ranks, if no level was said: the first has the most."""


UNSAID = Said()


class Ask(Protocol):
    """Asks on behalf of a bench; None: no judgment came, and that was counted."""

    async def __call__(self, state: Any, questions: Mapping[str, Question]) -> Answers | None: ...


@dataclass(frozen=True)
class Case:
    """One request as the surface makes it, and what a person says of what it is about."""

    labels: tuple[Label, ...]
    judge: Callable[[Ask, Mapping[str, float]], Awaitable[Sequence[Said]]]
    """Asks with the thresholds in force, and returns what was said of each label."""


@dataclass(frozen=True)
class Aspect:
    """One thing that a surface says: its labels, and the one that counts for precision."""

    name: str
    labels: tuple[str, ...]
    positive: str | None = None
    """None: all labels count alike."""
    also_said: tuple[str, ...] = ()
    """What may be said and is never right."""


@dataclass(frozen=True)
class Trial:
    """How a surface is measured; its code is in the module that makes it."""

    surface: Surface
    sets: tuple[str, ...]
    aspects: tuple[Aspect, ...]
    cases: Callable[[], list[Case]]
    """Makes the labelled cases anew."""
