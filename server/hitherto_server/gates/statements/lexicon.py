"""What is known of words: which are the same, opposites, or stand for each other as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.gates.statements import words
from hitherto_server.recall.stem import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHORTEST_DENIED = 4
"""Shorter words are the end of others by chance."""
PREFIXES = ("un", "in", "im", "non", "non-", "dis", "de", "a", "ir")
NO_DENIAL = frozenset(("form", "put", "side", "stall", "sert", "stance", "crease", "dex"))
NO_GROUP: frozenset[int] = frozenset()


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of some words."""
    return frozenset(stem(word) for word in text.split())


NEGATORS = frozenset(words.NEGATORS.split())
FUNCTION = frozenset(words.FUNCTION_WORDS.split())
LOCATING = stems_of(words.LOCATING)
"""What is said after these with `in` or `on` is the value, not where the statement holds."""
PLACES = frozenset(words.PLACES.split())
"""Where a statement holds: one without any of these need not hold, or fail, there."""
CHANGING = stems_of("move migrate switch change port away rename upgrade convert")
SETTING = stems_of(
    "set raise bump increase decrease reduce lower extend shorten upgrade cut grow change move"
)
"""What is done to a value; which of these was done says nothing about what it is."""
TAKING = stems_of("use prefer choose adopt return require")
"""What follows these directly is the value."""
REPLACING = stems_of("replace supersede")
OWNING = stems_of("own oncall lead maintain responsible oncharge")
_GONE = "gone dropped removed retired discontinued abandoned"
GONE = frozenset(_GONE.split())
GIVEN_UP = GONE - {"gone", "removed"} | {"deprecated"}
"""Said of what follows, unless something is done to it."""


def _groups(text: str, between: str = "\n") -> list[list[str]]:
    return [[stem(word) for word in group.split()] for group in text.strip().split(between)]


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _groups(words.OPPOSITE):
        one, other = map(canonical, pair)
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _numbered(groups: Iterable[Iterable[str]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for word in group:
            found.setdefault(canonical(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def canonical(key: str) -> str:
    """Return the stem that stands for all that mean the same."""
    return CANONICAL.get(key, key)


CANONICAL = {word: group[0] for group in _groups(words.SAME) for word in group}
OPPOSITES = _opposites()
ALTERNATIVES = _numbered(_groups(words.ALTERNATIVES, "\n\n"))
CONTRASTS = _numbered(_groups(words.CONTRASTS))


def are_alternatives(one: str, other: str) -> bool:
    """Tell whether one could stand where the other stands, as a value of the same thing."""
    return bool(ALTERNATIVES.get(one, NO_GROUP) & ALTERNATIVES.get(other, NO_GROUP))


def are_contrasted(one: str, other: str) -> bool:
    """Tell whether the two name different places, sides or roles of which both exist."""
    return bool(CONTRASTS.get(one, NO_GROUP) & CONTRASTS.get(other, NO_GROUP))


def without_prefix(word: str) -> Iterator[str]:
    """Return what a word would deny, were its beginning a prefix that denies."""
    for prefix in PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= SHORTEST_DENIED and rest not in NO_DENIAL:
            yield rest
