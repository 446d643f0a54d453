"""How many stems of one text another has, also as the beginning of longer ones."""

from __future__ import annotations

SAME_BEGINNING = 5


def share(wanted: frozenset[str], there: frozenset[str]) -> float:
    """Return which part of some stems is there, 0 to 1; of none, none is."""
    return shared(wanted, there) / len(wanted) if wanted else 0.0


def shared(wanted: frozenset[str], there: frozenset[str]) -> int:
    """Return how many of some stems are there."""
    return sum(one in there or any(is_same(one, other) for other in there) for one in wanted)


def is_same(one: str, other: str) -> bool:
    """Tell whether two stems are of one word, as those of a compound and its beginning are."""
    return one == other or (
        min(len(one), len(other)) >= SAME_BEGINNING
        and one[:SAME_BEGINNING] == other[:SAME_BEGINNING]
    )
