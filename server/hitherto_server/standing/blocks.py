"""What code without a grammar here defines, as far as its indentation shows it."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from hitherto_server.standing.definitions import Definition
from hitherto_server.standing.keys import TOKEN, leveled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LINE_CHARS = 1000
MAX_BLOCKS = 9
# a line that sets or opens the name: a few words before it, and a sign or the end after it
NOT_OPENING = r"(?!(?:return|await|throw|yield|echo|if|while|for|case|else|new)\b)"
BEFORE = rf"^[ \t]*{NOT_OPENING}(?:[\w@<>\[\],*&.?:-]+[ \t]+){{0,5}}[*&]?"
AFTER = r"(?!\w)[ \t]*(?:[(\[{<:=]|\?=|\+=|$|extends\b|implements\b|do\b|is\b|as\b)"


class BlockSource:
    """Lines that seem to define a name, each with the deeper lines that follow it."""

    broken = False
    definitions: tuple[Definition, ...] = ()

    def __init__(self, text: str) -> None:
        self._text = text

    def find(self, path: tuple[str, ...]) -> tuple[Definition, ...]:
        """Find the blocks that this name opens; owners are not told apart here."""
        opening = re.compile(f"{BEFORE}{re.escape(path[-1])}{AFTER}", re.MULTILINE)
        return tuple(
            Definition(path, "block", match.start(), self._end(match.start()))
            for match in islice(self._openings(opening, path[-1]), MAX_BLOCKS)
        )

    def tokens(
        self,
        definition: Definition,
        without: Iterable[Definition] = (),  # noqa: ARG002 - no block is known to hold another
    ) -> Iterator[str]:
        """Spell a block as tokens under their level."""
        for line in leveled(self._text[definition.start : definition.end]):
            yield from TOKEN.findall(line)
            yield "\n"

    def _openings(self, opening: re.Pattern[str], name: str) -> Iterator[re.Match[str]]:
        at = self._text.find(name)
        while at >= 0:
            start = self._text.rfind("\n", 0, at) + 1
            end = self._text.find("\n", at)
            end = len(self._text) if end < 0 else end
            if end - start <= MAX_LINE_CHARS and (match := opening.match(self._text, start, end)):
                yield match
            at = self._text.find(name, end)

    def _end(self, start: int) -> int:
        lines = self._text[start:].splitlines(keepends=True)
        depth = _depth(lines[0])
        end = last = len(lines[0])
        for line in lines[1:]:
            last += len(line)
            if not line.strip():
                continue
            # a brace on a line of its own opens or closes the block, it doesn't end it
            if _depth(line) <= depth and line.strip() not in {"{", "("}:
                break
            end = last
        return start + end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
