"""Which words two statements share, which are opposites, and which only one has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.gates.statements.lexicon import OPPOSITES, without_prefix

if TYPE_CHECKING:
    from hitherto_server.gates.statements.reading import Statement
    from hitherto_server.gates.statements.token import Token

Pair = tuple["Token", "Token"]
"""A word of the older statement and its counterpart in the newer one."""


@dataclass(frozen=True)
class Matched:
    """The words of two statements, told apart."""

    same: tuple[Pair, ...]
    opposite: tuple[Pair, ...]
    only_old: dict[str, Token]
    only_new: dict[str, Token]

    @property
    def pairs(self) -> int:
        return len(self.same) + len(self.opposite)

    @property
    def shared(self) -> float:
        """The share of the shorter one's words that the other has too."""
        smaller = self.pairs + min(len(self.only_old), len(self.only_new))
        return self.pairs / smaller if smaller else 0.0

    @property
    def likeness(self) -> float:
        """The share that both have of all words."""
        union = self.pairs + len(self.only_old) + len(self.only_new)
        return self.pairs / union if union else 1.0


def match_words(old: Statement, new: Statement) -> Matched:
    """Pair the words of two statements, each once."""
    only_old = {key: token for key, token in old.words.items() if key not in new.words}
    only_new = {key: token for key, token in new.words.items() if key not in old.words}
    same = [(old.words[key], new.words[key]) for key in old.words if key in new.words]
    opposite: list[Pair] = []
    for found, pairs in ((same, _one_names), (opposite, _opposites)):
        for one, other in pairs(only_old, only_new):
            if one.key in only_old and other.key in only_new:
                found.append((one, other))
                del only_old[one.key], only_new[other.key]
    return Matched(tuple(same), tuple(opposite), only_old, only_new)


def _one_names(old: dict[str, Token], new: dict[str, Token]) -> list[Pair]:
    """Return the names of which one is the end of the other: `app.py` and `src/app.py`."""
    names = [token for token in new.values() if token.is_name]
    return [(a, b) for a in old.values() if a.is_name for b in names if _are_one(a.key, b.key)]


def _are_one(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) < len(long) and long.endswith(short) and long[-len(short) - 1] in "./:#"


def _opposites(old: dict[str, Token], new: dict[str, Token]) -> list[Pair]:
    """Return the words of which one denies what the other says."""
    known = [
        (token, new[key]) for token in old.values() for key in OPPOSITES.get(token.key, ())
        if key in new
    ]  # fmt: skip
    before = {token.plain: token for token in old.values()}
    after = {token.plain: token for token in new.values()}
    denies = [(before[a], after[b]) for a in before for b in without_prefix(a) if b in after]
    denied = [(before[b], after[a]) for a in after for b in without_prefix(a) if b in before]
    return [*known, *denies, *denied]
