"""How likely is it that a turn is worth a memory? What its message tells, weighed by a fit."""

from __future__ import annotations

import re
from math import exp, log1p
from typing import TYPE_CHECKING

from hitherto_server.core.commands import checks_nothing, checks_of
from hitherto_server.sessions.stop.telling_words import (
    DEALT,
    LIMIT,
    NOT_DONE,
    OUTSIDE,
    SEEKS,
    SYMPTOM,
    WARNS,
)
from hitherto_server.sessions.stop.worth_weights import LEAST, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.store.evidence import Evidence

LEAST_WORDS = 4
MOST_COUNTED = 3
"""A fourth sentence of the same form says no more than a third."""
MOST_NUMBERS = 6
MOST_WORDS = 60
USUAL = 8
"""Of a longer message what is counted is that of so many sentences, the rest being alike."""
NUMBER = re.compile(r"(?<![\w.-])\d[\d.,]*")
TELLING = (LIMIT, OUTSIDE, WARNS)


def features_of(
    found: Sequence[str], turn: Evidence, asked: str, plain: int
) -> Mapping[str, float]:
    """Return what is weighed of a message's sentences, a turn and its prompt, by name.

    `plain`, 0 to 2: the message names a cause or a decision outright; a failure was mended.
    """
    told = [one for one in found if not one.endswith("?") and words_of(one) >= LEAST_WORDS]
    numbers = sum(len(NUMBER.findall(one)) for one in found)
    return {
        "words": log1p(min(_words_told(found), MOST_WORDS)),
        "limit": _count(told, LIMIT),
        "outside": _count(told, OUTSIDE),
        "warns": _count(told, WARNS),
        "dealt": sum(bool(DEALT.search(one)) for one in found) / max(1, len(found)),
        "not_done": float(any(NOT_DONE.search(one) for one in found)),
        "seeks": float(SEEKS.search(asked) is not None),
        "symptom": float(SYMPTOM.search(asked) is not None),
        "numbers": float(min(numbers, MOST_NUMBERS)),
        "probed": float(min(sum(_probes(one.line) for one in turn.commands), MOST_COUNTED)),
        "plain": float(plain),
    }


def is_worth(features: Mapping[str, float]) -> bool:
    """Tell whether a turn is worth a memory by the fitted weights."""
    total = WEIGHTS["bias"] + sum(WEIGHTS[name] * value for name, value in features.items())
    return 1 / (1 + exp(-total)) >= LEAST


def most_telling(found: Sequence[str]) -> str | None:
    """Return the sentence with the most forms of telling, the longest of these."""
    return max(found, key=lambda one: (_forms(one), len(one)), default=None)


def words_of(sentence: str) -> int:
    """Return how many words a sentence has."""
    return len(re.findall(r"\w+", sentence))


def _forms(sentence: str) -> int:
    return sum(bool(one.search(sentence)) for one in TELLING)


def _words_told(found: Sequence[str]) -> int:
    """Return how many words there are beside those that only say what was changed."""
    return sum(words_of(one) for one in found if not DEALT.search(one))


def _count(told: Sequence[str], wording: re.Pattern[str]) -> float:
    count = sum(bool(wording.search(one)) for one in told)
    return min(count * min(1.0, USUAL / max(1, len(told))), float(MOST_COUNTED))


def _probes(line: str) -> bool:
    """Tell whether a command asks something of what runs: it is neither a look nor a check."""
    return not checks_of(line) and not checks_nothing(line)
