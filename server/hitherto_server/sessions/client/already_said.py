"""Does a text that the session has already say what a memory says?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.text import normalised
from hitherto_server.core.words import folded, words_in
from hitherto_server.recall.sentences import sentence_spans
from hitherto_server.recall.stem import stem
from hitherto_server.recall.stop_words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_WORDS = 3
"""Fewer words of its own make no statement."""
LEAST_SHARED = 0.80
MOST_COMPARED = 4
MOST_BLOCK_CHARS = 1000
"""A longer paragraph or table holds the words of many a statement, and says few of them."""
SHORTEST_QUOTE = 20
MOST_ANSWERS = 512
BULLET = re.compile(r"^[^\S\n]*(?:[-*+]|\d+[.)]|#{1,6}|>|\[[ x]\])\s+", re.MULTILINE)
MARKS = re.compile(r"[*_`~]{1,3}")
BLOCK = re.compile(r"\n\s*(?:\n|(?=[-*+#>]\s|\d+[.)]\s))")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
ENDS = ".!?\u3002\uff01\uff1f"
BEGINS = re.compile(r"(?:\n|[.!?]\s|[\u3002\uff01\uff1f]\s?)\Z")
IS_OVER = re.compile(rf"\Z|\n|[{ENDS}]+(?:\s|\Z)|[\u3002\uff01\uff1f]")


@dataclass(frozen=True)
class Said:
    """A sentence or a paragraph of a file, taken apart for comparing."""

    text: str
    stems: frozenset[str]
    numbers: frozenset[str]
    file: str


@dataclass(frozen=True)
class AlreadySaid:
    """All that some files say."""

    statements: tuple[Said, ...] = ()
    wholes: tuple[tuple[str, str], ...] = ()
    """Each file's name with its text, folded: a line for each paragraph or item."""
    _answers: dict[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, files: Iterable[tuple[str, str]]) -> AlreadySaid:
        """Take apart what the files hold; each comes with the name to give as the reason."""
        said, wholes = [], []
        for name, text in files:
            blocks = BLOCK.split(text)
            wholes.append((name, "\n".join(map(_flat, blocks))))
            for block in blocks:
                whole = (block,) if len(block) <= MOST_BLOCK_CHARS else ()
                said += [_said(part, name) for part in dict.fromkeys((*_sentences(block), *whole))]
        told = tuple(one for one in said if len(one.stems) >= LEAST_WORDS)
        if told:  # here, where nobody waits, and not at the first comparison
            _says_it(told[0], told[0])
        return cls(told, tuple(wholes))

    def where(self, content: str) -> str | None:
        """Return the name of the file that says all of a memory, or None."""
        if content not in self._answers:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[content] = self._where(content)
        return self._answers[content]

    def _where(self, content: str) -> str | None:
        wanted = [_said(part, "") for part in _sentences(content)]
        telling = [one for one in wanted if len(one.stems) >= LEAST_WORDS]
        if not telling:
            return self._quoting(content)
        found = [self._quoting(one.text) or self._file_of(one) for one in telling]
        return found[0] if all(found) else None

    def _quoting(self, text: str) -> str | None:
        flat = _flat(text)
        if len(flat) < SHORTEST_QUOTE:
            return None
        quote = flat.rstrip(ENDS)
        return next((name for name, whole in self.wholes if _stands_in(whole, quote)), None)

    def _file_of(self, wanted: Said) -> str | None:
        near = [
            (shared, one)
            for one in self.statements
            if wanted.numbers <= one.numbers
            and (shared := len(wanted.stems & one.stems) / len(wanted.stems)) >= LEAST_SHARED
        ]
        near.sort(key=lambda pair: (-pair[0], len(pair[1].stems)))
        return next((one.file for _, one in near[:MOST_COMPARED] if _says_it(one, wanted)), None)


def _stands_in(whole: str, quote: str) -> bool:
    """Tell whether a text has a quote as whole sentences: a piece of one may say the opposite."""
    at = whole.find(quote)
    while at >= 0:
        end = at + len(quote)
        if (at == 0 or BEGINS.search(whole[max(at - 2, 0) : at])) and IS_OVER.match(whole, end):
            return True
        at = whole.find(quote, end)
    return False


def _says_it(said: Said, wanted: Said) -> bool:
    # `extra`: the file says more beside it, and all of the memory's words are in it
    from hitherto_server.gates.slots import compare  # 50 ms that no start has to spare

    verdict = compare(said.text, wanted.text).verdict
    return verdict == "same" or (verdict == "extra" and wanted.stems <= said.stems)


def _said(text: str, file: str) -> Said:
    plain = _plain(text)
    words = (word for word in words_in(folded(plain)) if word not in STOP_WORDS)
    return Said(plain, frozenset(map(stem, words)), frozenset(NUMBER.findall(plain)), file)


def _sentences(text: str) -> list[str]:
    plain = BULLET.sub("", text)
    return [plain[start:end] for start, end in sentence_spans(plain)]


def _plain(text: str) -> str:
    return normalised(MARKS.sub(" ", BULLET.sub("", text)))


def _flat(text: str) -> str:
    return folded(_plain(text))
