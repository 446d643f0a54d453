"""The slot check: do two statements give the same values, and affirm the same things?"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from hitherto_server.gates.statements.lexicon import (
    ALTERNATIVES,
    FUNCTION,
    LOCATING,
    OPPOSITES,
    OWNING,
    PLACE_BEFORE,
    SCOPE_BEFORE,
    VALUE_BEFORE,
    are_alternatives,
    are_contrasted,
    without_prefix,
)
from hitherto_server.gates.statements.reading import Statement, Token, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hitherto_server.gates.statements.quantities import Quantity

Verdict = Literal["same", "value", "unit", "polarity", "subject", "word", "extra"]
"""`word`: one word stands for another in the same sentence, and nobody knows them as the same.
`extra`: one of the two says more: an amount, a name, or several words."""
Role = Literal["value", "subject", "word", "wording"]

MOST_DENIED_APART = 0.5
LEAST_LIKENESS = 0.15
"""Below it two texts have too few words in common for one to stand in another's place."""
MOST_SHOWN = 3
SAYS_MORE = 2
"""So many words that the other has no counterpart to are a detail of their own."""


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
class _Swap:
    """A word of the older statement and what stands in its place in the newer one."""

    old: Token
    new: Token
    role: Role


@dataclass(frozen=True)
class _Matched:
    """Which words of two statements are the same, and which are opposites."""

    same: tuple[tuple[Token, Token], ...]
    opposite: tuple[tuple[Token, Token], ...]
    only_old: dict[str, Token]
    only_new: dict[str, Token]


def compare(older: str, newer: str) -> Comparison:
    """Compare two statements slot by slot; the reason tells in words what differs."""
    old, new = read(older), read(newer)
    matched = _match(old, new)
    pairs = len(matched.same) + len(matched.opposite)
    smaller = min(len(old.words), len(new.words))
    union = len(old.words) + len(new.words) - pairs
    shared = pairs / smaller if smaller else 0.0
    likeness = pairs / union if union else 1.0
    if likeness < LEAST_LIKENESS:
        return Comparison("subject", "about other things", shared, likeness, pairs)
    verdict, reason = _verdict(old, new, matched, list(_swaps(old, new, matched)))
    return Comparison(verdict, reason, shared, likeness, pairs)


def _match(old: Statement, new: Statement) -> _Matched:
    only_old = {key: token for key, token in old.words.items() if key not in new.words}
    only_new = {key: token for key, token in new.words.items() if key not in old.words}
    same = [(old.words[key], new.words[key]) for key in old.words if key in new.words]
    opposite: list[tuple[Token, Token]] = []
    for found, pairs in ((same, _one_names), (opposite, _opposites)):
        for one, other in pairs(only_old, only_new):
            if one.key in only_old and other.key in only_new:
                found.append((one, other))
                del only_old[one.key], only_new[other.key]
    return _Matched(tuple(same), tuple(opposite), only_old, only_new)


def _one_names(old: dict[str, Token], new: dict[str, Token]) -> list[tuple[Token, Token]]:
    names = [token for token in new.values() if token.is_name]
    more = [token for token in old.values() if token.is_name]
    return [(one, other) for one in more for other in names if _are_one_name(one, other)]


def _opposites(old: dict[str, Token], new: dict[str, Token]) -> list[tuple[Token, Token]]:
    """Return the words of which one denies what the other says."""
    found = [
        (token, new[other])
        for key, token in old.items()
        for other in OPPOSITES.get(key, ())
        if other in new
    ]
    by_word = {token.shown.lower(): token for token in old.values()}
    by_new_word = {token.shown.lower(): token for token in new.values()}
    for word, token in by_word.items():
        found += [
            (token, by_new_word[bare]) for bare in without_prefix(word) if bare in by_new_word
        ]
    for word, token in by_new_word.items():
        found += [(by_word[bare], token) for bare in without_prefix(word) if bare in by_word]
    return found


def _are_one_name(one: Token, other: Token) -> bool:
    """Tell whether one is the end of the other: `app.py` and `src/app.py`."""
    short, long = sorted((one.key, other.key), key=len)
    return len(short) < len(long) and long.endswith(short) and long[-len(short) - 1] in "./:#"


def _verdict(
    old: Statement, new: Statement, matched: _Matched, swaps: Sequence[_Swap]
) -> tuple[Verdict, str]:
    amounts = _changed_amounts(old, new)
    subjects = [swap for swap in swaps if swap.role == "subject"]
    if subjects:
        return "subject", f"about {_pairs(subjects)}"
    if replaced := _replaced(matched):
        return replaced
    if amounts is not None:
        before, after = amounts
        is_unit = len(before) == len(after) == 1 and before[0].differs_by_unit(after[0])
        changed = f"{_amounts(before)} -> {_amounts(after)}"
        return (
            ("unit", f"unit changed {changed}")
            if is_unit
            else ("value", f"value changed {changed}")
        )
    if denied := _denied_apart(old, new, matched):
        return "polarity", f"says the opposite: {denied}"
    if values := [swap for swap in swaps if swap.role == "value"]:
        return "value", f"value changed {_pairs(values)}"
    if exchanged := _exchanged(old, new):
        return "polarity", f"exchanged: {exchanged}"
    if words := [swap for swap in swaps if swap.role == "word"]:
        return "word", f"another word: {_pairs(words)}"
    if extra := _extra(old, new, matched):
        return "extra", f"only one names {extra}"
    return "same", "no slot differs"


def _replaced(matched: _Matched) -> tuple[Verdict, str] | None:
    """Name what one statement says was replaced and the other still states."""
    by_new = [new.shown for old, new in matched.same if new.is_replaced and not old.is_against]
    by_old = [old.shown for old, new in matched.same if old.is_replaced and not new.is_against]
    if by_new and by_old:
        return "polarity", f"exchanged: {_listed([*by_new, *by_old])}"
    return ("value", f"replaced: {_listed(by_new or by_old)}") if by_new or by_old else None


def _changed_amounts(
    old: Statement, new: Statement
) -> tuple[list[Quantity], list[Quantity]] | None:
    """Return the amounts that differ, if both statements have one of a kind that the other lacks."""
    only_old = _without_equal(old.amounts, new.amounts)
    only_new = _without_equal(new.amounts, old.amounts)
    for before in only_old:
        alike = [after for after in only_new if _are_comparable(before, after)]
        if alike:
            return only_old, only_new
    return None


def _without_equal(amounts: Sequence[Quantity], others: Sequence[Quantity]) -> list[Quantity]:
    left = list(others)
    found = []
    for amount in amounts:
        twin = next((other for other in left if amount.equals(other)), None)
        if twin is None:
            found.append(amount)
        else:
            left.remove(twin)
    return found


def _are_comparable(one: Quantity, other: Quantity) -> bool:
    kinds = {one.dimension, other.dimension}
    return len(kinds) == 1 or "number" in kinds or kinds <= {"version", "code", "date", "clock"}


def _denied_apart(old: Statement, new: Statement, matched: _Matched) -> str | None:
    """Name what one affirms and the other denies."""
    apart = [(a, b) for a, b in matched.same if a.is_against != b.is_against]
    apart += [(a, b) for a, b in matched.opposite if a.is_against == b.is_against]
    if (order := _order(old, new)) is not None and not apart:
        return order
    if not apart:
        return None
    if old.negators == new.negators and not matched.opposite and _deny_the_same(matched, apart):
        return None
    return _listed([a.shown if a.key == b.key else f"{a.shown} / {b.shown}" for a, b in apart])


def _deny_the_same(matched: _Matched, apart: Sequence[tuple[Token, Token]]) -> bool:
    """Tell whether both deny one thing, and only how much around it goes along differs."""
    both = any(a.is_denied and b.is_denied for a, b in matched.same)
    one_way = len({a.is_against for a, _ in apart}) == 1
    return (both and one_way) or len(apart) < MOST_DENIED_APART * len(matched.same)


def _order(old: Statement, new: Statement) -> str | None:
    """Tell whether one says `before` where the other says `after`, of the same two things."""
    sides = [_sides(one) for one in (old, new)]
    if sides[0] is None or sides[1] is None:
        return None
    (first, then), (other_first, other_then) = sides
    straight = len(first & other_first) + len(then & other_then)
    crossed = len(first & other_then) + len(then & other_first)
    return "before / after" if crossed > straight else None


def _sides(statement: Statement) -> tuple[set[str], set[str]] | None:
    """Return what comes first and what comes then, where a statement says so once."""
    tokens = statement.tokens
    at = [i for i, token in enumerate(tokens) if token.shown.lower() in {"before", "after"}]
    if len(at) != 1 or statement.negators:
        return None
    here = tokens[at[0]]
    if at[0] == 0:  # "After the deploy, run X"
        inner = {t.key for t in tokens if t.is_word and t.clause == here.clause}
        outer = {t.key for t in tokens if t.is_word and t.clause != here.clause}
    else:
        outer = {t.key for t in tokens[: at[0]] if t.is_word}
        inner = {t.key for t in tokens[at[0] :] if t.is_word and t.sentence == here.sentence}
    return (outer, inner) if here.shown.lower() == "before" else (inner, outer)


def _exchanged(old: Statement, new: Statement) -> str | None:
    """Name two words that changed places while all others stayed."""
    before = [token.key for token in old.tokens]
    after = [token.key for token in new.tokens]
    if len(before) != len(after):
        return None
    moved = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    both = 2
    if (
        len(moved) != both
        or before[moved[0]] != after[moved[1]]
        or before[moved[1]] != after[moved[0]]
    ):
        return None
    return f"{old.tokens[moved[0]].shown} / {old.tokens[moved[1]].shown}"


def _extra(old: Statement, new: Statement, matched: _Matched) -> str | None:
    """Name an amount or a name that only one of the two gives."""
    lone = _without_equal(old.amounts, new.amounts) + _without_equal(new.amounts, old.amounts)
    names = [t.shown for t in (*matched.only_old.values(), *matched.only_new.values()) if t.is_name]
    found = [*(amount.shown for amount in lone), *names]
    if not found and not (matched.only_old and matched.only_new):
        more = [t.shown for t in (*matched.only_old.values(), *matched.only_new.values())]
        found = more if len(more) >= SAYS_MORE else []
    return _listed(found) if found else None


def _swaps(old: Statement, new: Statement, matched: _Matched) -> Iterator[_Swap]:
    """Return which words stand in the place of others, and as what."""
    done: set[str] = set()
    one, other = old.tokens, new.tokens
    matcher = SequenceMatcher(None, [t.key for t in one], [t.key for t in other], autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag != "replace":
            continue
        left = [t for t in one[i:i_end] if t.key in matched.only_old]
        right = [t for t in other[j:j_end] if t.key in matched.only_new]
        if not left or not right:
            continue
        a, b = _heads(left, right)
        role = _role(one, i, i_end, other, j, j_end, a, b)
        is_lone = i_end - i == j_end - j == 1
        yield _Swap(a, b, "word" if role == "wording" and is_lone else role)
        done |= {t.key for t in (*left, *right)}
    yield from _known_swaps(matched, done)


def _heads(left: Sequence[Token], right: Sequence[Token]) -> tuple[Token, Token]:
    """Return the words that stand for each other: known ones, else the last of each."""
    for told in (are_contrasted, are_alternatives):
        for a in left:
            for b in right:
                if told(a.key, b.key):
                    return a, b
    return left[-1], right[-1]


def _known_swaps(matched: _Matched, done: set[str]) -> Iterator[_Swap]:
    """Return what stands for each other wherever it stands: two databases, two places."""
    for key, token in matched.only_old.items():
        for other_key, other in matched.only_new.items():
            if key in done or other_key in done:
                continue
            if are_contrasted(key, other_key):
                yield _Swap(token, other, "subject")
            elif are_alternatives(key, other_key):
                yield _Swap(token, other, "value")


def _role(
    one: Sequence[Token], i: int, i_end: int, other: Sequence[Token], j: int, j_end: int,
    old: Token, new: Token,
) -> Role:  # fmt: skip
    """Say what a swapped word is to its sentence, by what stands around it."""
    follows = one[i_end].is_word if i_end < len(one) and one[i_end].clause == old.clause else False
    opens = not any(t.is_word or t.amount for t in one[:i] if t.sentence == old.sentence)
    if are_contrasted(old.key, new.key):
        return "subject"
    if opens and any(t.key in OWNING for t in one[i_end:] if t.sentence == old.sentence):
        return "value"
    if opens and old.key not in LOCATING:
        return "subject"
    if are_alternatives(old.key, new.key):
        return "value"
    before = one[i - 1] if i else None
    governor = _governor(one, i)
    if before is None or governor is None:
        return "wording"
    if follows and not (old.is_name or new.is_name):
        return "wording"
    return _role_after(governor, one[:i], old, new)


def _governor(tokens: Sequence[Token], at: int) -> str | None:
    """Return the function word that a span hangs on, articles and the like passed over."""
    for token in reversed(tokens[:at]):
        word = token.shown.lower()
        if word in {"a", "an", "the", "our", "its", "this"}:
            continue
        return word if word in FUNCTION else None
    return None


def _role_after(governor: str, before: Sequence[Token], old: Token, new: Token) -> Role:
    if governor in SCOPE_BEFORE:
        return "subject"
    if governor in PLACE_BEFORE:
        words = [t for t in before if t.is_word]
        return "value" if words and words[-1].key in LOCATING else "subject"
    if governor in VALUE_BEFORE:
        return "value"
    return "wording"


def _pairs(swaps: Sequence[_Swap]) -> str:
    return _listed([f"{swap.old.shown} -> {swap.new.shown}" for swap in swaps])


def _amounts(amounts: Sequence[Quantity]) -> str:
    return _listed([amount.shown for amount in amounts])


def _listed(things: Sequence[str]) -> str:
    return ", ".join(list(dict.fromkeys(things))[:MOST_SHOWN])
