"""What two freely worded statements are likely to be to each other, where no slot rule is sure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.gates.kinship_weights import WITH_MEANING, WORDS_ONLY
from hitherto_server.gates.slots import NO_RELATION
from hitherto_server.gates.statements.lexicon import are_alternatives
from hitherto_server.gates.statements.matching import match_words
from hitherto_server.gates.statements.quantities import changed_amounts, without_equal
from hitherto_server.gates.statements.reading import read
from hitherto_server.gates.statements.stances import changes, denies, permits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.gates.slots import Comparison
    from hitherto_server.gates.statements.matching import Matched
    from hitherto_server.gates.statements.reading import Statement

NEAR_FROM = 0.60
"""From this cosine on each step counts anew."""
MOST_APART = 0.40
"""Of the shared words; if more are denied by one side alone, the two don't say the same."""
MOST_LONGER = 1.7
"""So many times the words of the other one say more than it does."""
AROUND = 3
"""So many tokens on either side of an amount say what it is of."""
MOST_NAMES, MOST_AMOUNTS, MOST_CHANGES, MOST_OPPOSITES = 3, 2, 2, 2
"""What is counted no further."""


@dataclass(frozen=True)
class Features:
    """What tells duplicates and contradictions from mere neighbours; 0 to 1 but for logarithms."""

    common: float
    """Logarithm of one more than the words that both have."""
    shorter: float
    """Logarithm of one more than the words of the shorter one: in long texts more is shared."""
    longer: float
    covered: float
    """The share of the older one's words that the newer one has."""
    covering: float
    """The share of the newer one's words that the older one has."""
    names: float
    amounts_same: float
    amounts_changed: float
    """1 if each side has an amount of a kind that the other gives otherwise."""
    amounts_close: float
    """1 if, moreover, both say one word near an amount."""
    amounts_left: float
    """1 if the older one gives an amount that the newer one lacks."""
    amounts_added: float
    changes: float
    """How often the newer one says that something is no longer what it was."""
    changes_before: float
    both_deny: float
    permission: float
    """1 if only one says that something may be done."""
    apart: float
    """The share of the words that both have and one of them denies."""
    opposites: float
    alternatives: float
    """1 if each side has a word that could stand in the other's place as a value."""
    subject: float
    """1 if the slot check names another subject."""
    cosine: float | None = None
    near: float | None = None
    """What the cosine has above `NEAR_FROM`."""


class Columns(NamedTuple):
    """What each feature counts for one answer, against neither of the two."""

    duplicate: Mapping[str, float]
    contradiction: Mapping[str, float]


class Weights(NamedTuple):
    """The columns for a pair with a cosine, and for one without."""

    with_meaning: Columns
    words_only: Columns


SHIPPED = Weights(Columns(*WITH_MEANING), Columns(*WORDS_ONLY))


@dataclass(frozen=True)
class Likelihood:
    """How probable it is that a statement repeats another one, or contradicts it."""

    duplicate: float
    contradiction: float


def likelihood(features: Features, weights: Weights = SHIPPED) -> Likelihood:
    """Weigh what two statements share; by words alone where no vector speaks."""
    columns = weights.words_only if features.cosine is None else weights.with_meaning
    duplicate, contradiction = (math.exp(_sum(features, column)) for column in columns)
    whole = 1 + duplicate + contradiction
    return Likelihood(duplicate / whole, contradiction / whole)


def is_barred(older: str, newer: str) -> bool:
    """Tell whether two statements cannot say the same, whatever else speaks for it.

    One allows or states what the other denies, gives another amount, or says much more.
    """
    old, new = read(older), read(newer)
    fewer, more = sorted((len(old.words), len(new.words)))
    if more > MOST_LONGER * fewer or changed_amounts(old.amounts, new.amounts) is not None:
        return True
    denied, denied_now = denies(older, old), denies(newer, new)
    allowed = permits(older) and not denied and denied_now
    allowed_now = permits(newer) and not denied_now and denied
    return allowed or allowed_now or _apart(match_words(old, new)) > MOST_APART


def measured(older: str, newer: str, compared: Comparison, cosine: float | None) -> Features:
    """Return the features of a pair."""
    old, new = read(older), read(newer)
    matched = match_words(old, new)
    names = sum(a.is_name or b.is_name for a, b in matched.same)
    left, added = without_equal(old.amounts, new.amounts), without_equal(new.amounts, old.amounts)
    is_changed = changed_amounts(old.amounts, new.amounts) is not None
    return Features(
        common=math.log1p(matched.pairs),
        shorter=math.log1p(min(len(old.words), len(new.words))),
        longer=math.log1p(max(len(old.words), len(new.words))),
        covered=matched.pairs / max(len(old.words), 1),
        covering=matched.pairs / max(len(new.words), 1),
        names=_counted(names, MOST_NAMES),
        amounts_same=_counted(len(old.amounts) - len(left), MOST_AMOUNTS),
        amounts_changed=float(is_changed),
        amounts_close=float(is_changed and bool(_around_amounts(old) & _around_amounts(new))),
        amounts_left=float(bool(left)),
        amounts_added=float(bool(added)),
        changes=_counted(changes(newer), MOST_CHANGES),
        changes_before=_counted(changes(older), MOST_CHANGES),
        both_deny=float(denies(older, old) and denies(newer, new)),
        permission=float(permits(older) != permits(newer)),
        apart=_apart(matched),
        opposites=_counted(len(matched.opposite), MOST_OPPOSITES),
        alternatives=float(_has_alternatives(matched)),
        subject=float(_is_named_subject(compared)),
        cosine=cosine,
        near=None if cosine is None else max(cosine - NEAR_FROM, 0.0),
    )


def _sum(features: Features, weights: Mapping[str, float]) -> float:
    return sum(
        weight if name == "bias" else weight * float(getattr(features, name))
        for name, weight in weights.items()
    )


def _counted(number: int, most: int) -> float:
    return min(number, most) / most


def _around_amounts(statement: Statement) -> set[str]:
    tokens = statement.tokens
    at = (place for place, token in enumerate(tokens) if token.amount is not None)
    near = (tokens[max(place - AROUND, 0) : place + AROUND + 1] for place in at)
    return {token.key for some in near for token in some if token.is_word}


def _apart(matched: Matched) -> float:
    apart = sum(a.is_against != b.is_against for a, b in matched.same)
    return apart / max(len(matched.same), 1)


def _has_alternatives(matched: Matched) -> bool:
    return any(are_alternatives(a, b) for a in matched.only_old for b in matched.only_new)


def _is_named_subject(compared: Comparison) -> bool:
    found = compared.verdict, compared.reason
    return compared.verdict == "subject" and found != NO_RELATION
