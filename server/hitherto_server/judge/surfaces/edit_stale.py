"""Whether a session's edit made a memory of that file untrue: `stale-check`'s question."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.text import identifiers_in
from hitherto_server.judge.surface import Surface
from hitherto_server.judge.surfaces.stale_check import (
    BAND,
    KEY,
    QUESTION,
    Pair,
    decide,
    questions_for,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["KEY", "SURFACE", "Pair", "Touched", "decide", "questions_for", "ranked", "state_of"]

MOST_JUDGED = 3
QUIET_S = 15.0
TOGETHER = 2
MOST_TEXT_CHARS = 40_000
MOST_NAMES = 400
REMOVED_COUNTS = 3
"""A name that an edit took away says more than one that stands in what it touched."""


@dataclass(frozen=True)
class Touched:
    """The identifiers of the text that an edit replaced, and of the text that took its place."""

    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()

    @classmethod
    def of(cls, before: str, after: str) -> Touched:
        """Read the identifiers out of an edit's two texts."""
        return cls(_names(before), _names(after))

    def __or__(self, other: Touched) -> Touched:
        """Join two edits of a burst."""
        return Touched(self.before | other.before, self.after | other.after)

    @property
    def removed(self) -> frozenset[str]:
        return self.before - self.after


def ranked(memories: Mapping[int, Sequence[str]], touched: Touched) -> list[int]:
    """Return memories by what an edit touched or removed of the names they hold, most first."""
    weights: Counter[int] = Counter()
    for number, names in memories.items():
        held = {_last(name) for name in names}
        weights[number] = len(held & (touched.before | touched.after))
        weights[number] += REMOVED_COUNTS * len(held & touched.removed)
    return sorted(memories, key=lambda number: -weights[number])


def _names(text: str) -> frozenset[str]:
    return frozenset(_last(name) for name in identifiers_in(text[:MOST_TEXT_CHARS])[:MOST_NAMES])


def _last(name: str) -> str:
    return name.replace("::", ".").rpartition(".")[2] or name


SURFACE = Surface(
    name="edit-stale",
    version=1,
    asks="Does the memory still describe the file that a session has just edited?",
    moment=(
        "After an edit, once the session left that file alone for 15 s; beside everything else, "
        "two at a time, at most 3 memories, and never twice for the same content and revision."
    ),
    sends="What `stale-check` sends.",
    timeout_s=3.0,
    thresholds={"holds_from": 0.6, "stale_below": 0.4},
    action=(
        "As `stale-check`, with `holds_from` and `stale_below` of its own; of a memory that is "
        "judged stale the session is told once. An uncalibrated answer does nothing."
    ),
    fallback="The comparison of the parts that the memory names in the file.",
    effect="acts",
    samples={KEY: QUESTION},
    band=BAND,
    shows_text=False,
)
