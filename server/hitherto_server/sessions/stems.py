"""What a text is about, as the rules compare it with another: the stems of its own words."""

from __future__ import annotations

from hitherto_server.core.words import FUNCTION_WORDS, folded, words_in
from hitherto_server.recall.stem import stem
from hitherto_server.recall.stop_words import STOP_WORDS

UNSAID = STOP_WORDS | frozenset(FUNCTION_WORDS.split())
"""What no text is about, in any of the languages that are read."""


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text's own words."""
    # `queued` and `queue` have two stems but for the `e`
    words = (word for word in words_in(folded(text)) if word not in UNSAID)
    return frozenset(stem(word).removesuffix("e") for word in words)
