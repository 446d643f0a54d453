"""A first look at two texts, cheap enough for each neighbour: do they share enough words at all?"""

from __future__ import annotations

import re
from functools import lru_cache

from hitherto_server.gates.statements.lexicon import FUNCTION, canonical
from hitherto_server.recall.stem import folded, stem

WORD = re.compile(r"[^\W\d_]+")
GLANCED_CHARS = 2_000


def likeness(one: str, other: str) -> float:
    """Return how many words of the shorter text the other one has, as a share."""
    words, others = _words(one), _words(other)
    smaller = min(len(words), len(others))
    return len(words & others) / smaller if smaller else 0.0


@lru_cache(maxsize=256)
def _words(text: str) -> frozenset[str]:
    found = WORD.findall(folded(text[:GLANCED_CHARS]))
    return frozenset(canonical(stem(word)) for word in found if word not in FUNCTION)
