"""Where a text may be cut: sentences, lines, and code blocks that stay whole."""

from __future__ import annotations

import re

FENCED = re.compile(r"^```.*?(?:^```[^\n]*$|\Z)\n?", re.DOTALL | re.MULTILINE)
BREAK = re.compile(
    r"""
      \n+                                              # a line ends
    | (?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!etc\.)["')\]]*[ \t]+(?=["'`(\[A-Z0-9-])
    | (?<=[\u3002\uff01\uff1f])                        # no space follows these
    """,
    re.VERBOSE,
)

Span = tuple[int, int]


def sentence_spans(text: str) -> list[Span]:
    """Return spans that cover the text: sentences and lines, each code block as one."""
    spans: list[Span] = []
    position = 0
    for block in FENCED.finditer(text):
        spans += _prose_spans(text, position, block.start())
        spans.append((block.start(), block.end()))
        position = block.end()
    return spans + _prose_spans(text, position, len(text))


def sentences_of(text: str) -> list[str]:
    """Return the sentences themselves, without the spaces around them."""
    pieces = (text[start:end].strip() for start, end in sentence_spans(text))
    return [one for one in pieces if one]


def _prose_spans(text: str, start: int, end: int) -> list[Span]:
    spans: list[Span] = []
    for found in BREAK.finditer(text, start, end):
        if found.end() > start:
            spans.append((start, found.end()))
            start = found.end()
    if start < end:
        spans.append((start, end))
    return spans
