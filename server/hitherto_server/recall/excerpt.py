"""What of a memory is shown: whole sentences around the query's terms, within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.core.words import folded
from hitherto_server.recall.coverage import occurring
from hitherto_server.recall.sentences import Span, sentence_spans

if TYPE_CHECKING:
    from hitherto_server.recall.query import PreparedQuery

BYTES_A_TOKEN = 3
GAP = "…"
MOST_SENTENCES = 400


def tokens_of(text: str) -> int:
    """Return a conservative estimate: the real number of tokens is not larger, as a rule."""
    return -(-len(text.encode()) // BYTES_A_TOKEN)


def excerpt_of(
    content: str, query: PreparedQuery, *, budget: int, around: Span | None = None
) -> str:
    """Return the content, or what of it is nearest to the query's terms, within `budget` tokens."""
    content = content.strip()
    if tokens_of(content) <= budget:
        return content
    spans = sentence_spans(content)[:MOST_SENTENCES]
    centre = _best(content, spans, query, around)
    first, last = _grown(content, spans, centre, budget)
    text = content[spans[first][0] : spans[last][1]].strip()
    text = _shortened(text, budget)
    opening = f"{GAP} " if first > 0 else ""
    closing = f" {GAP}" if last < len(spans) - 1 and not text.endswith(GAP) else ""
    return f"{opening}{text}{closing}"


def _best(content: str, spans: list[Span], query: PreparedQuery, around: Span | None) -> int:
    def score(index: int) -> tuple[int, bool, int]:
        start, end = spans[index]
        terms = len(occurring(query, folded(content[start:end])))
        inside = around is not None and around[0] <= start < around[1]
        return terms, inside, -index

    return max(range(len(spans)), key=score)


def _grown(content: str, spans: list[Span], centre: int, budget: int) -> tuple[int, int]:
    first = last = centre
    room = budget - 2 * tokens_of(f" {GAP}")
    while True:
        for candidate in ((first, last + 1), (first - 1, last)):
            low, high = candidate
            if low < 0 or high >= len(spans):
                continue
            if tokens_of(content[spans[low][0] : spans[high][1]]) <= room:
                first, last = candidate
                break
        else:
            return first, last


def _shortened(text: str, budget: int) -> str:
    room = budget - 2 * tokens_of(f" {GAP}")
    if tokens_of(text) <= room:
        return text
    cut = text.encode()[: max(room, 1) * BYTES_A_TOKEN].decode(errors="ignore")
    whole = cut.rsplit(None, 1)[0] if " " in cut else cut
    return f"{whole} {GAP}"
