"""The slot check: do two statements give the same values, and affirm the same things?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from hitherto_server.gates.statements.lexicon import PLACES, SETTING
from hitherto_server.gates.statements.matching import match_words
from hitherto_server.gates.statements.polarity import denied_apart, exchanged
from hitherto_server.gates.statements.quantities import changed_amounts, without_equal
from hitherto_server.gates.statements.reading import Statement, read
from hitherto_server.gates.statements.swaps import Role, Swap, swaps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_server.gates.statements.matching import Matched

Verdict = Literal["same", "value", "unit", "polarity", "subject", "word", "extra"]
"""`word`: one word stands for another in the same sentence, and nobody knows them as the same.
`extra`: one of the two says more: an amount, a name, or several words."""
Difference = tuple[Verdict, str]

LEAST_LIKENESS = 0.15
"""Below it two texts have too few words in common for one to stand in another's place."""
SAYS_MORE = 2
"""So many words that the other has no counterpart to are a detail of their own."""
MOST_SHOWN = 3
SHOWN_CHARS = 40
_LIMITERS = "only except unless some most sometimes usually mostly rarely partly almost"
LIMITERS = frozenset(_LIMITERS.split())

CHANGED = frozenset(("now", "nowadays", "henceforth", "jetzt", "desormais", "ahora"))
"""A statement with one of these says that something is another way than it was."""
NO_RELATION: Difference = ("subject", "about other things")
NO_DIFFERENCE: Difference = ("same", "no slot differs")
SAID_OTHERWISE = "another value or choice, in other words"


@dataclass(frozen=True)
class Comparison:
    """What tells two statements apart, in which slot, and how much of their words they share."""

    verdict: Verdict
    reason: str
    shared: float
    """Share of the shorter one's words that the other has too."""
    likeness: float
    """Shared words of all words."""
    words: int
    """How many words they share, opposites included."""


@dataclass(frozen=True)
class _Both:
    """Two statements, and how their words fit."""

    old: Statement
    new: Statement
    matched: Matched
    swaps: tuple[Swap, ...] = ()


def compare(older: str, newer: str, *, least: float = LEAST_LIKENESS) -> Comparison:
    """Compare two statements slot by slot; the reason tells in words what differs.

    Those that share less than `least` of their words are about other things.
    """
    old, new = read(older), read(newer)
    both = _Both(old, new, match_words(old, new))
    verdict, reason = NO_RELATION
    if both.matched.likeness >= least:
        both = replace(both, swaps=tuple(swaps_of(old, new, both.matched)))
        verdict, reason = next(filter(None, (look(both) for look in LOOKS)), NO_DIFFERENCE)
    return _measured(both, verdict, reason)


def contrast(older: str, newer: str) -> tuple[Literal["value", "polarity"], str]:
    """Say in words what two statements say otherwise of one thing, wherever it stands in them."""
    old, new = read(older), read(newer)
    both = _Both(old, new, match_words(old, new))
    for look in (_replaced, _amounts, _polarity):
        match look(both):
            case ("value" | "unit", reason):
                return "value", reason
            case ("polarity", reason):
                return "polarity", reason
    return "value", SAID_OTHERWISE


def says_more(older: str, newer: str) -> bool:
    """Tell whether the newer statement gives an amount, a name or a detail that the older lacks."""
    old, new = read(older), read(newer)
    matched = match_words(old, new)
    names = [token for token in matched.only_new.values() if token.is_name]
    if names or without_equal(new.amounts, old.amounts):
        return True
    return len(matched.only_new) - len(matched.only_old) >= SAYS_MORE


def _measured(both: _Both, verdict: Verdict, reason: str) -> Comparison:
    """Measure what two statements share, apart from what is a value in them."""
    matched = both.matched
    values = sum(swap.words for swap in both.swaps if swap.role == "value")
    smaller = matched.pairs + min(len(matched.only_old), len(matched.only_new)) - values
    union = matched.pairs + len(matched.only_old) + len(matched.only_new) - 2 * values
    is_value = verdict == "value" and values > 0 and smaller > 0
    return Comparison(
        verdict,
        reason,
        min(matched.pairs / smaller, 1.0) if is_value else matched.shared,
        min(matched.pairs / max(union, 1), 1.0) if is_value else matched.likeness,
        matched.pairs,
    )


def _subject(both: _Both) -> Difference | None:
    if said := _swapped(both, "subject"):
        return "subject", f"about {said}"
    only = (*both.matched.only_old.values(), *both.matched.only_new.values())
    where = [token.shown for token in only if token.plain in PLACES]
    return ("subject", f"only one is about {_listed(where)}") if where else None


def _replaced(both: _Both) -> Difference | None:
    """Name what one statement says was replaced and the other still states."""
    same = both.matched.same
    by_new = [new.shown for old, new in same if new.is_replaced and not old.is_against]
    by_old = [old.shown for old, new in same if old.is_replaced and not new.is_against]
    if by_new and by_old:
        return "polarity", f"exchanged {_listed([*by_new, *by_old])}"
    found = by_new or by_old
    return ("value", f"replaced {_listed(found)}") if found else None


def _amounts(both: _Both) -> Difference | None:
    changed = changed_amounts(both.old.amounts, both.new.amounts)
    if changed is None:
        return None
    if other := _other_word(both):
        return "subject", f"about {other}"
    before, after = changed
    said = f"{_listed([one.shown for one in before])} -> {_listed([one.shown for one in after])}"
    is_unit = len(before) == len(after) == 1 and before[0].differs_by_unit(after[0])
    return ("unit", f"unit changed {said}") if is_unit else ("value", f"value changed {said}")


def _other_word(both: _Both) -> str:
    """Name the words that make another thing of what an amount is of."""
    words = [s for s in both.swaps if s.role == "word" and not {s.old.key, s.new.key} & SETTING]
    return _listed([f"{_cut(s.old.shown)} -> {_cut(s.new.shown)}" for s in words])


def _polarity(both: _Both) -> Difference | None:
    denied = denied_apart(both.old, both.new, both.matched)
    if denied and (other := _other_word(both) or _swapped(both, "value")):
        return "subject", f"about {other}"
    return ("polarity", f"says the opposite of {_listed(denied)}") if denied else None


def _value(both: _Both) -> Difference | None:
    said = _swapped(both, "value")
    if said and (other := _other_word(both)):
        return "subject", f"about {other}"
    return ("value", f"value changed {said}") if said else None


def _exchange(both: _Both) -> Difference | None:
    found = exchanged(both.old, both.new)
    return ("polarity", f"exchanged {_listed(found)}") if found else None


def _word(both: _Both) -> Difference | None:
    said = _swapped(both, "word")
    if said and any(token.plain in CHANGED for token in both.new.tokens):
        return "value", f"value changed {said}"
    return ("word", f"another word {said}") if said else None


def _extra(both: _Both) -> Difference | None:
    """Name an amount, a name or a detail that only one of the two gives."""
    amounts = both.old.amounts, both.new.amounts
    lone = [one.shown for one in (*without_equal(*amounts), *without_equal(*amounts[::-1]))]
    old, new = both.matched.only_old, both.matched.only_new
    only = [*old.values(), *new.values()]
    found = [*lone, *(token.shown for token in only if token.is_name)]
    if not found and not (old and new) and len(only) >= SAYS_MORE:
        found = [token.shown for token in only]
    return ("extra", f"only one says {_listed(found)}") if found else None


def _limited(both: _Both) -> Difference | None:
    """Name what limits one of two statements that are the same word for word."""
    words = [[t.key for t in one.tokens if t.is_word] for one in (both.old, both.new)]
    if words[0] != words[1]:
        return None
    limits = [{t.plain for t in one.tokens} & LIMITERS for one in (both.old, both.new)]
    found = sorted(limits[0] ^ limits[1])
    return ("extra", f"only one says {_listed(found)}") if found else None


LOOKS: tuple[Callable[[_Both], Difference | None], ...] = (
    _subject, _replaced, _amounts, _polarity, _value, _exchange, _word, _extra, _limited,
)  # fmt: skip
"""In this order: what a statement is about comes before what it says."""


def _swapped(both: _Both, role: Role) -> str:
    return _listed(
        [f"{_cut(s.old.shown)} -> {_cut(s.new.shown)}" for s in both.swaps if s.role == role]
    )


def _listed(things: Sequence[str]) -> str:
    return ", ".join(_cut(thing) for thing in list(dict.fromkeys(things))[:MOST_SHOWN])


def _cut(thing: str) -> str:
    # Whole or not at all: of what is erased later, no piece may be left here.
    most = 2 * SHOWN_CHARS if " -> " in thing else SHOWN_CHARS
    return thing if len(thing) <= most else "\u2026"
