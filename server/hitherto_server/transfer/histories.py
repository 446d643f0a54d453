"""Two histories of one memory that become one: pure decisions over their revisions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Revision = Mapping[str, Any]

MERGE = "merge"
"""The actor of what a merge itself had to say: it adds nothing to what was said before."""
STATE = ("kind", "tags", "importance", "category", "state_key", "trashed_at_ms", "files", "suspect")


@dataclass(frozen=True)
class Merged:
    """What is to be written after the history here, so that it holds both."""

    missing: tuple[Revision, ...] = ()
    """The other side's revisions that are not here, the oldest first."""
    restated: Revision | None = None
    """The state that is newest, where it is not the last of those: it is said once more."""
    is_conflict: bool = False
    """Whether both sides changed the memory, to something else."""
    there_wins: bool = False

    @property
    def is_known(self) -> bool:
        """Whether there is nothing new in the other history."""
        return not self.missing


def merge_histories(here: Sequence[Revision], there: Sequence[Revision]) -> Merged:
    """Join two histories: nothing is lost of either, and what was said last holds."""
    known, theirs = {mark(one) for one in here}, {mark(one) for one in there}
    missing = tuple(one for one in there if mark(one) not in known)
    same_now = state_of(here[-1]) == state_of(there[-1])
    if not missing or (same_now and all(one["actor"] == MERGE for one in missing)):
        return Merged()
    both_moved = not known <= theirs
    last_here, last_there = here[-1], there[-1]
    there_wins = not both_moved or _order(last_there) > _order(last_here)
    winner = last_there if there_wins else last_here
    differs = state_of(missing[-1]) != state_of(winner)
    return Merged(
        missing,
        restated=winner if differs else None,
        is_conflict=both_moved and not same_now,
        there_wins=there_wins,
    )


def mark(one: Revision) -> str:
    """Return what makes a revision the same one on both sides."""
    return json.dumps([one["change"], one["actor"], one["changed_at_ms"], state_of(one)])


def state_of(one: Revision) -> list[Any]:
    """Return what a memory was at a revision, as it can be compared."""
    state = one["state"]
    return [one["content"], *(state.get(name) for name in STATE)]


def _order(one: Revision) -> tuple[int, str]:
    return one["changed_at_ms"], mark(one)
