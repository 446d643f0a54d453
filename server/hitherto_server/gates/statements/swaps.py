"""Which word stands where the other statement has another, and what it is there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from hitherto_server.gates.statements.lexicon import (
    FUNCTION,
    LOCATING,
    OWNING,
    TAKING,
    are_alternatives,
    are_contrasted,
    canonical,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hitherto_server.gates.statements.matching import Matched
    from hitherto_server.gates.statements.reading import Statement
    from hitherto_server.gates.statements.token import Token

Role = Literal["subject", "value", "word", "wording"]
"""What the statement is about; what it says of it; one word for another; looser rewording."""

MOST_ALIGNED = 250
"""What aligning takes grows with the cube of the words where they repeat."""
SCOPE_BEFORE = frozenset(
    ("for", "of", "during", "when", "while", "within", "if", "until", "unless", "fur", "pour")
)
PLACE_BEFORE = frozenset(("in", "on", "at", "by", "im", "dans", "en"))
VALUE_BEFORE = frozenset(("to", "from", "with", "via", "through", "into", "as", "per"))
BEING = frozenset(("is", "are", "be", "was", "were"))
ARTICLES = frozenset(("a", "an", "the", "our", "its", "this"))


@dataclass(frozen=True)
class Swap:
    """A word of the older statement and what stands in its place in the newer one."""

    old: Token
    new: Token
    role: Role
    words: int = 1
    """How many words stand there on the side that has more."""


@dataclass(frozen=True)
class _Place:
    """Where a swapped span stands in the older statement."""

    tokens: Sequence[Token]
    start: int
    end: int
    is_lone: bool
    """One word for one word, or the only place where the two statements differ."""

    def ends_with(self, token: Token) -> bool:
        """Tell whether a word of the span is the last of its clause."""
        at = self.tokens.index(token, self.start)
        rest = self.tokens[at + 1 : at + 2]
        return not rest or rest[0].clause != token.clause


def swaps_of(old: Statement, new: Statement, matched: Matched) -> Iterator[Swap]:
    """Return which words stand in the place of others, and as what."""
    done: set[str] = set()
    spans = list(_spans(old, new, matched))
    is_edit = len(spans) == 1 and _is_all_else_equal(old, new, spans[0])
    for span in spans:
        place = _Place(old.tokens, span.start, span.end, span.is_lone or is_edit)
        a, b = _heads(span.left, span.right)
        yield Swap(a, b, _role(a, b, place), max(len(span.left), len(span.right)))
        done |= {t.key for t in (*span.left, *span.right)}
    yield from _known_swaps(matched, done)


@dataclass(frozen=True)
class _Span:
    """A stretch of the older statement, and the words that differ in it and in its place."""

    start: int
    end: int
    left: list[Token]
    right: list[Token]
    is_lone: bool


def _spans(old: Statement, new: Statement, matched: Matched) -> Iterator[_Span]:
    one = [t.key for t in old.tokens[:MOST_ALIGNED]]
    other = [t.key for t in new.tokens[:MOST_ALIGNED]]
    # A word that stands twice on one side and once on the other is one too many there.
    fewer, more = Counter(one) - Counter(other), Counter(other) - Counter(one)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        left = [t for t in old.tokens[i:i_end] if t.is_word and t.key in fewer]
        right = [t for t in new.tokens[j:j_end] if t.is_word and t.key in more]
        left = [t for t in left if t.key in matched.only_old or t.key in new.words]
        right = [t for t in right if t.key in matched.only_new or t.key in old.words]
        if tag == "replace" and left and right:
            yield _Span(i, i_end, left, right, is_lone=i_end - i == j_end - j == 1)


def _is_all_else_equal(old: Statement, new: Statement, span: _Span) -> bool:
    """Tell whether only this was edited: all other words and amounts are there in their order."""
    before = [t.key for t in old.tokens if not t.is_function and t not in span.left]
    after = [t.key for t in new.tokens if not t.is_function and t not in span.right]
    return before == after


def _heads(left: Sequence[Token], right: Sequence[Token]) -> tuple[Token, Token]:
    """Return the words that stand for each other: known ones, else the last of each."""
    for told in (are_contrasted, are_alternatives):
        for a in left:
            for b in right:
                if told(a.key, b.key):
                    return a, b
    return left[-1], right[-1]


def _known_swaps(matched: Matched, done: set[str]) -> Iterator[Swap]:
    """Return what stands for each other wherever it stands: two databases, two places."""
    for key, token in matched.only_old.items():
        for other_key, other in matched.only_new.items():
            if key in done or other_key in done:
                continue
            if are_contrasted(key, other_key):
                yield Swap(token, other, "subject")
            elif are_alternatives(key, other_key):
                yield Swap(token, other, "value")


def _role(old: Token, new: Token, place: _Place) -> Role:
    """Say what a swapped word is to its sentence, by what it is and what stands around it."""
    if are_contrasted(old.key, new.key) or {old.key[:1], new.key[:1]} == {"#"}:
        return "subject"
    opening = _role_in_front(old, new, place)
    if opening is not None:
        return opening
    governor = _governor(place)
    if governor in SCOPE_BEFORE and _is_modifier(old, place):
        return "subject"  # for Python functions
    if are_alternatives(old.key, new.key) or (place.is_lone and _is_taken(place)):
        return "value"
    role = _role_behind(governor, old, place)
    if role == "wording" or (_is_modifier(old, place) and not (old.is_name or new.is_name)):
        return "word" if place.is_lone else "wording"
    return role


def _role_in_front(old: Token, new: Token, place: _Place) -> Role | None:
    """Return the role of a word before which its sentence names nothing."""
    sentence = [(i, t) for i, t in enumerate(place.tokens) if t.sentence == old.sentence]
    if any(t.is_word or t.amount for i, t in sentence if i < place.start):
        return None
    are_people = old.shown[:1].isupper() and new.shown[:1].isupper()
    if are_people and any(t.key in OWNING for i, t in sentence if i >= place.end):
        return "value"  # who owns it is what is said
    return None if old.key in LOCATING else "subject"


def _is_taken(place: _Place) -> bool:
    return place.start > 0 and canonical(place.tokens[place.start - 1].key) in TAKING


def _is_modifier(old: Token, place: _Place) -> bool:
    follower = place.tokens[place.end] if place.end < len(place.tokens) else None
    return follower is not None and follower.is_word and follower.clause == old.clause


def _governor(place: _Place) -> str | None:
    """Return the function word that a span hangs on, articles and the like passed over."""
    for token in reversed(place.tokens[: place.start]):
        if token.plain not in ARTICLES:
            return token.plain if token.plain in FUNCTION else None
    return None


def _role_behind(governor: str | None, old: Token, place: _Place) -> Role:
    if governor in SCOPE_BEFORE:
        return "subject"
    if governor in PLACE_BEFORE:
        words = [t for t in place.tokens[: place.start] if t.is_word]
        return "value" if words and words[-1].key in LOCATING else "subject"
    if governor in BEING:  # `is red` says a value, `is painted by hand` says something else
        return "value" if place.ends_with(old) else "wording"
    return "value" if governor in VALUE_BEFORE else "wording"
