"""What a look for secrets finds: a span, what it is, and how sure that is."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    """Return a value that can be shown to a judge: its first 4, its last 2, its true length.

    Of a short one fewer are shown: never more than half.
    """
    head = min(MASKED_HEAD, len(value) // 3)
    tail = min(MASKED_TAIL, len(value) // 6)
    if len(value) <= MASKED_HEAD + MASKED_TAIL:
        return "*" * len(value)
    return value[:head] + "*" * (len(value) - head - tail) + value[len(value) - tail :]


def disjoint(
    places: Iterable[Finding], rules: Iterable[Finding], names: Iterable[Finding]
) -> list[Finding]:
    """Return findings that do not overlap, in order: what overlaps is one secret.

    Where a place says that a secret ends, a name beside it does not say otherwise.
    """
    placed = [(0, one) for one in places]
    spans = [(one.start, one.end) for one in _joined(placed)]
    named = [(2, one) for one in names if not overlaps(one, spans)]
    return _joined([*placed, *((1, one) for one in rules), *named])


def overlaps(one: Finding, spans: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a finding has a character of one of the spans, which are in order."""
    at = bisect_left(spans, (one.end, 0))
    return at > 0 and spans[at - 1][1] > one.start


def _joined(ranked: Iterable[tuple[int, Finding]]) -> list[Finding]:
    groups: list[list[tuple[int, Finding]]] = []
    end = 0
    for rank, one in sorted(ranked, key=lambda pair: pair[1].start):
        if one.start >= end:
            groups.append([])
        groups[-1].append((rank, one))
        end = max(end, one.end)
    return [_one_of(group) for group in groups]


def _one_of(group: list[tuple[int, Finding]]) -> Finding:
    """Return one finding, of the surest kind; what only chance speaks for adds nothing to it."""
    group = [(rank, one) for rank, one in group if one.named] or group
    _, surest = min(group, key=lambda pair: (not pair[1].certain, pair[0]))
    start, end = min(one.start for _, one in group), max(one.end for _, one in group)
    return replace(surest, start=start, end=end)
