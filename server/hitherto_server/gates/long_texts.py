"""Long texts are compared by what differs: of two notes that share most sentences, few are left."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hitherto_server.gates.slots import NO_DIFFERENCE, NO_RELATION, SAYS_MORE, Comparison, compare
from hitherto_server.gates.statements.reading import MOST_CHARS, read
from hitherto_server.recall.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from hitherto_server.gates.slots import Difference

WORD = re.compile(r"[^\W_]+")
BOTH_SAY_MORE = "each says what the other does not"
ONLY_ONE_SAYS_MORE: Difference = ("extra", "only one says more")


@dataclass(frozen=True)
class Rests:
    """What only one of two texts says, sentence by sentence, and how many words both say."""

    older: str
    newer: str
    common_words: int

    @property
    def is_read_whole(self) -> bool:
        """Whether the slot check reads to the end of both."""
        return max(len(self.older), len(self.newer)) <= MOST_CHARS

    @property
    def words(self) -> int:
        """How many words the longer one has."""
        return max(_count(self.older), _count(self.newer))


def is_long(older: str, newer: str) -> bool:
    """Tell whether the slot check would read only the beginning of one of them."""
    return max(len(older), len(newer)) > MOST_CHARS


def rests_of(older: str, newer: str) -> Rests:
    """Take away the sentences that both texts have, wherever they stand."""
    before, after = ({_key(one): one for one in sentences_of(text)} for text in (older, newer))
    common = before.keys() & after.keys()
    words = sum(_count(before[key]) for key in common)
    return Rests(_without(before, common), _without(after, common), words)


def compare_long(rests: Rests) -> Comparison:
    """Compare two long texts by their rests, measured as the whole texts share words."""
    if not rests.is_read_whole:
        # what lies behind the part that is read may differ
        compared = compare(rests.older, rests.newer)
        same = replace(compared, verdict="extra", reason=BOTH_SAY_MORE)
        return same if compared.verdict == "same" else compared
    if not (rests.older and rests.newer):
        return _one_sided(rests)
    compared = compare(rests.older, rests.newer)
    if (compared.verdict, compared.reason) == NO_RELATION:  # one sentence for another
        compared = replace(compared, verdict="extra", reason=BOTH_SAY_MORE)
    return _measured(compared, rests) if compared.verdict in {"same", "word", "extra"} else compared


def _one_sided(rests: Rests) -> Comparison:
    lone = read(rests.older or rests.newer)
    names = any(token.is_name for token in lone.words.values())
    says_more = names or bool(lone.amounts) or len(lone.words) >= SAYS_MORE
    verdict, reason = ONLY_ONE_SAYS_MORE if says_more else NO_DIFFERENCE
    return _measured(Comparison(verdict, reason, 0.0, 0.0, 0), rests)


def _measured(compared: Comparison, rests: Rests) -> Comparison:
    """Count the sentences that both have among the words that they share."""
    common, rest = rests.common_words, rests.words
    whole = max(common + rest, 1)
    return replace(
        compared,
        shared=(common + compared.shared * rest) / whole,
        likeness=(common + compared.likeness * rest) / whole,
        words=common + compared.words,
    )


def _without(sentences: dict[str, str], common: AbstractSet[str]) -> str:
    return "\n".join(one for key, one in sentences.items() if key not in common)


def _key(sentence: str) -> str:
    return " ".join(sentence.split()).rstrip(".;")


def _count(text: str) -> int:
    return len(WORD.findall(text))
