"""Cutting a memory into the passages that are embedded."""

from __future__ import annotations

from hitherto_server.recall.sentences import Span, sentence_spans

LONGEST = 700


def split(content: str) -> list[Span]:
    """Return the spans of the passages: whole sentences or blocks, covering all the content."""
    passages: list[Span] = []
    for start, end in _short_enough(content, sentence_spans(content)):
        if passages and end - passages[-1][0] <= LONGEST:
            passages[-1] = (passages[-1][0], end)
        else:
            passages.append((start, end))
    return passages


def _short_enough(content: str, spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for span_start, end in spans:
        start = span_start
        while end - start > LONGEST:
            cut = _cut(content, start)
            found.append((start, cut))
            start = cut
        found.append((start, end))
    return found


def _cut(content: str, start: int) -> int:
    """Return where to cut a piece that is too long: after a line, else a word, else anywhere."""
    limit = start + LONGEST
    for mark in ("\n", " "):
        at = content.rfind(mark, start + LONGEST // 2, limit)
        if at != -1:
            return at + 1
    return limit
