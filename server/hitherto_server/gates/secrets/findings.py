"""What a look for secrets finds: a span, what it is, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MASKED_HEAD, MASKED_TAIL = 4, 2


@dataclass(frozen=True)
class Finding:
    """A span of a text that is a secret, or may be one."""

    start: int
    end: int
    kind: str
    certain: bool = True
    named: bool = True
    """Its place or its name says that it is a secret; else only its randomness does."""


def entropy_of(value: str) -> float:
    """Return the Shannon entropy of a value's characters, in bits a character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


def masked(value: str) -> str:
    """Return a value that can be shown to a judge: its first 4, its last 2, its true length."""
    if len(value) <= MASKED_HEAD + MASKED_TAIL:
        return "*" * len(value)
    hidden = "*" * (len(value) - MASKED_HEAD - MASKED_TAIL)
    return value[:MASKED_HEAD] + hidden + value[-MASKED_TAIL:]


def disjoint(*looks: Iterable[Finding]) -> list[Finding]:
    """Return findings that do not overlap, in order: the first look's and the longer one stays."""
    kept: list[Finding] = []
    ranked = [(rank, found) for rank, look in enumerate(looks) for found in look]
    ranked.sort(key=lambda one: (not one[1].certain, one[0], one[1].start - one[1].end))
    for _, one in ranked:
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda found: found.start)
