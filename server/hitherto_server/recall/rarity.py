"""Which of a question's words are worth asking the word index of a large store."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.recall.stem import stem
from hitherto_server.store.neighbours import newest_number
from hitherto_server.store.rarity import count_holders

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.store.driver import Connection

LARGE = 20_000
"""Memories; in smaller stores every word is asked."""
MOST_HOLDERS = 20_000
"""BM25 reads each word's holders in the whole store, a tenth of a microsecond each."""
FRESH_S = 3600.0
"""How long a count is believed: it only decides what is left out."""


@dataclass
class Rarity:
    """Knows how many memories hold a word, counted when it is first asked for."""

    most_holders: int = MOST_HOLDERS
    large: int = LARGE
    _counted: dict[str, tuple[float, int]] = field(default_factory=dict)

    def rarest(self, connection: Connection, words: Sequence[str]) -> tuple[str, ...]:
        """Return the words in their order, without the commonest if together they are held often.

        What every fifth memory holds says little about which one is meant, and costs the most.
        """
        if len(words) <= 1 or not self.is_large(connection):
            return tuple(words)
        kept = self.within_budget(self._holders(connection, words))
        return tuple(word for word in words if word in kept)

    def is_large(self, connection: Connection) -> bool:
        """Tell whether a store is so large that what finds little isn't asked."""
        return newest_number(connection) >= self.large

    def within_budget(self, held: Mapping[str, int]) -> frozenset[str]:
        """Choose the rarest of some words, given how many memories hold each: at least one.

        A word that nothing holds finds nothing, and takes no other one's place.
        """
        kept: list[str] = []
        total = 0
        for word in sorted(filter(held.get, held), key=held.__getitem__):
            total += held[word]
            if total > self.most_holders and kept:
                break
            kept.append(word)
        return frozenset(kept)

    def _holders(self, connection: Connection, words: Sequence[str]) -> dict[str, int]:
        now = time.monotonic()
        stems = {word: stem(word) for word in words}
        stale = [one for one in stems.values() if not self._is_fresh(one, now)]
        if stale:
            found = count_holders(connection, stale)
            self._counted.update({one: (now, found.get(one, 0)) for one in stale})
        return {word: self._counted[one][1] for word, one in stems.items()}

    def _is_fresh(self, one: str, now: float) -> bool:
        return one in self._counted and now - self._counted[one][0] < FRESH_S
