"""How much of a question a text holds, by the same notion of a word as the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.core.words import folded, word_at
from hitherto_server.recall.stem import stem

if TYPE_CHECKING:
    from hitherto_server.recall.query import PreparedQuery

LEAST_PROBE = 2
CHANGED_BY_STEMMING = 2


def occurring(query: PreparedQuery, text: str) -> frozenset[str]:
    """Return which of the query's words and names occur in the folded text."""
    words = (word for word in query.words if _has_word(text, stem(word)))
    names = (name for name in query.names if folded(name) in text)
    return frozenset((*words, *names))


def coverage(query: PreparedQuery, found: frozenset[str]) -> float | None:
    """Return the share of the query's terms that were found, or None if it has no term."""
    terms = len(query.words) + len(query.names)
    return len(found) / terms if terms else None


def whole_names(query: PreparedQuery, text: str) -> frozenset[str]:
    """Return which of the query's names stand in the folded text, not only inside longer ones."""
    return frozenset(name for name in query.names if _stands(text, folded(name)))


def _stands(text: str, name: str) -> bool:
    position = text.find(name)
    while position != -1:
        around = (
            text[position - 1 : position],
            text[position + len(name) : position + len(name) + 1],
        )
        if not any(character.isalnum() or character == "_" for character in around):
            return True
        position = text.find(name, position + 1)
    return False


def _has_word(text: str, wanted: str) -> bool:
    # Stemming changes at most the last letters, so the rest finds the few places to look at:
    # much faster than stemming every word of a long text.
    probe = wanted[: max(LEAST_PROBE, len(wanted) - CHANGED_BY_STEMMING)]
    position = text.find(probe)
    while position != -1:
        if position == 0 or not text[position - 1].isalnum():
            found = word_at(text, position)
            if found is not None and stem(found) == wanted:
                return True
        position = text.find(probe, position + 1)
    return False
