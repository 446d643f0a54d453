"""What Hitherto gave a session is nobody's word in it: it is taken out of what was said there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.core.words import folded, words_in
from hitherto_server.recall.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterable

FRAMED = re.compile(r"<([a-z]+[_-][a-z_-]*)(?:\s[^>]{0,300})?>.*?(?:</\1>|\Z)", re.DOTALL)
"""A block of ours (`<hitherto-memories>`) or of the client's (`<system-reminder>`)."""
LINE_OF_OURS = re.compile(
    r"^[^\w\[]*(?:hitherto\s*)?\[(?:judged|rule)\].*$|^.*\bhook additional context:.*$"
    r"|^\s*Stop hook feedback:.*$|^.*blocking error from command:.*$"
    r"|^\s*Hitherto(?: is paused\b|:).*$",
    re.MULTILINE | re.IGNORECASE,
)
"""A nudge, a notice, or the reason of a block."""
FEWEST_WORDS = 4
SAME_SHARE = 0.85
"""So much of a sentence's words within one memory: it says it again."""


def without_injected(text: str) -> str:
    """Return a text without blocks and lines of ours."""
    return LINE_OF_OURS.sub("", FRAMED.sub("\n", text)).strip()


def without_repeats(text: str, given: Iterable[str]) -> str:
    """Return an agent's words without the sentences that only repeat what it was given."""
    texts = list(given)
    if not texts:
        return text
    wholes = [_words(one) for one in texts]
    parts = [_words(one[a:b]) for one in texts for a, b in sentence_spans(one)]
    parts = [one for one in parts if len(one) > FEWEST_WORDS]
    spans = sentence_spans(text)
    return "".join(text[a:b] for a, b in spans if not _repeats(text[a:b], wholes, parts)).strip()


def _repeats(sentence: str, wholes: list[frozenset[str]], parts: list[frozenset[str]]) -> bool:
    """Tell whether a sentence lies within what was given, or holds one that was given."""
    words = _words(sentence)
    if len(words) < FEWEST_WORDS:
        return False
    if any(len(words & one) >= SAME_SHARE * len(words) for one in wholes):
        return True
    return any(len(words & one) >= SAME_SHARE * len(one) for one in parts)


def _words(text: str) -> frozenset[str]:
    return frozenset(words_in(folded(text)))
