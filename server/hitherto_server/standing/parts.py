"""What a memory's text names: identifiers, quoted lines and paths. Plain words never count."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

NameKind = Literal["identifier", "line", "path"]

MAX_NAMES = 64
MAX_TEXT_CHARS = 64_000
MIN_QUOTE_CHARS = 8
MIN_FENCED_CHARS = 12
MAX_RUN_CHARS = 300
MAX_LINE_CHARS = 200

FENCE = re.compile(r"^(```|~~~)[^\n]*\n(.*?)(?:^\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
TICKED = re.compile(r"(`{1,2})([^`\n]+)\1")
QUOTED = re.compile(r"\"([^\"\n]{8,400})\"|“([^”\n]{8,400})”")
URL = re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}://\S+", re.IGNORECASE)
# one run of characters that code and paths are made of; patterns are tried on short runs only,
# for they may look at a run more than once
RUN = re.compile(r"[\w.$@/+:#>~-]++(?:\(\))?")
PATH = re.compile(r"(?:\.{0,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}")
FOLDED_PATH = re.compile(r"(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]+|[A-Z][a-z]+file|\.[\w.-]+")
BUILD_FILE = re.compile(
    r"(?:[\w.@+-]+/)*(?:(?:GNU)?Make|Docker|Container|Pip|Proc|Gem|Jenkins|Vagrant|Just|Rake|Caddy)file"
)
ASSIGNED = re.compile(r"([\w$.-]+)\s*(?::?=|\?=|:)\s*(?=[^\s:=])")
IDENTIFIER = re.compile(r"[$@#]{0,2}[^\W\d][\w$]*(?:-\w+)*(?:(?:\.|::|->|#)[^\W\d][\w-]*)*[!?]?")
CALL = re.compile(r"(.+?)\s?\([^()]*\)?")
CODE_SHAPED = re.compile(
    r"""(?:
      [^\W\d]\w*(?:(?:\.|::|->)[^\W\d]\w*)+   # dotted: a.b, A::b
    | \w*[^\W_]_[^\W_]\w*                     # snake_case, CONSTANT_CASE
    | __\w+__ | _[^\W\d_]\w+                  # dunder, private
    | [a-z][a-z0-9]*[A-Z]\w*                  # camelCase
    | [A-Z][a-z0-9]+[A-Z]\w*                  # PascalCase of two humps or more
    | [^\W\d]\w*(?=\(\))                      # call()
    )(?:\(\))?""",
    re.VERBOSE,
)
PIECE = re.compile(r"[/+@~-]|(?<!:):(?!:)|(?<=-)>")
LINE_NUMBER = re.compile(r":\d+(?:[:-]\d+)?$")
# words that every file holds, or that only look like code
COMMON = frozenset(
    """
    true false null none nil undefined self this cls super int str string bool float bytes number
    object any void e.g i.e etc github gitlab javascript typescript postgresql mysql sqlite openai
    macos ios iphone ipad youtube linkedin webassembly graphql nodejs devops readme todo
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


@dataclass(frozen=True)
class Name:
    """Something that a text names, as it is spelled there."""

    kind: NameKind
    text: str
    within: str | None = None
    """The quoted line that it stands in, if it stands nowhere else."""


def named_parts(content: str) -> tuple[Name, ...]:
    """Find what a memory's text names, each once, in the order of the text's layers."""
    names: dict[tuple[NameKind, str], Name] = {}
    for name in _all_names(content[:MAX_TEXT_CHARS]):
        known = names.setdefault((name.kind, name.text), name)
        if known.within is not None and known.within != name.within:
            names[name.kind, name.text] = replace(known, within=None)
    return tuple(names.values())[:MAX_NAMES]


def holds_line(flat: str, line: str) -> bool:
    """Tell whether a text has a quoted line, not as a piece of a longer word or number."""
    at = flat.find(line)
    while at >= 0:
        end = at + len(line)
        cut = len(line) == MAX_LINE_CHARS  # what was quoted went on
        if not _is_within_word(flat, at) and (cut or not _is_within_word(flat, end)):
            return True
        at = flat.find(line, at + 1)
    return False


def _is_within_word(text: str, at: int) -> bool:
    """Tell whether a cut at a place would part a word or a number."""
    around = (text[at - 1 : at], text[at : at + 1])
    return all(one.isalnum() or one == "_" for one in around)


def normalise_line(line: str) -> str:
    """Spell a line without the whitespace that a formatter may change."""
    return " ".join(line.split())


def segments(identifier: str) -> tuple[str, ...]:
    """Split an identifier at its separators: `A::b`, `a.b`, `a->b` and `A#b` alike."""
    return tuple(part for part in re.split(r"\.|::|->|#", identifier) if part)


def _all_names(content: str) -> Iterator[Name]:
    fenced = [match.group(2) for match in FENCE.finditer(content)]
    prose = URL.sub(" ", FENCE.sub("\n", content))
    for match in TICKED.finditer(prose):
        yield from _ticked(match.group(2).strip())
    unquoted = QUOTED.sub(" ", prose)
    yield from _paths(unquoted)
    yield from _code_shaped(TICKED.sub(" ", unquoted))
    for match in QUOTED.finditer(prose):
        quote = match.group(1) or match.group(2)
        # a file that a quoted line happens to name is not what the text is about
        is_path = PATH.fullmatch(quote)
        yield from [Name("path", quote)] if is_path else _quoted(quote, MIN_QUOTE_CHARS)
    for block in fenced:
        for line in block.splitlines():
            yield from _quoted(line, MIN_FENCED_CHARS)


def _ticked(span: str) -> Iterator[Name]:
    if len(span) > MAX_RUN_CHARS:
        return
    place = LINE_NUMBER.sub("", span)
    if PATH.fullmatch(place) or FOLDED_PATH.fullmatch(place):
        yield Name("path", place)
        if "/" in place or not IDENTIFIER.fullmatch(place):
            return
    call = CALL.fullmatch(span)
    word = call.group(1) if call else span
    if IDENTIFIER.fullmatch(word):
        yield from _identifier(word)
        return
    if (key := ASSIGNED.match(span)) and IDENTIFIER.fullmatch(key.group(1)):
        yield from _identifier(key.group(1))
    yield from _quoted(span, MIN_QUOTE_CHARS)


def _paths(prose: str) -> Iterator[Name]:
    for run in _runs(prose.replace("`", " ")):
        place = LINE_NUMBER.sub("", run)
        if PATH.fullmatch(place) or BUILD_FILE.fullmatch(place):
            yield Name("path", place)


def _code_shaped(text: str) -> Iterator[Name]:
    for run in _runs(text):
        pieces = [run] if CODE_SHAPED.fullmatch(run) else PIECE.split(run)
        for piece in pieces:
            if CODE_SHAPED.fullmatch(piece):
                yield from _identifier(piece.removesuffix("()"))


def _runs(text: str) -> Iterator[str]:
    for match in RUN.finditer(text):
        if len(match.group()) <= MAX_RUN_CHARS:
            yield match.group().rstrip(".:-/>#").lstrip(":->")


def _identifier(word: str) -> Iterator[Name]:
    word = word.lstrip("@#$").rstrip("!?")
    if len(word) > 1 and word.lower() not in COMMON:
        yield Name("identifier", word)


def _quoted(text: str, shortest: int) -> Iterator[Name]:
    """Give a quoted line and, as standing in it, the names that it holds."""
    line = normalise_line(text)[:MAX_LINE_CHARS]
    is_line = len(line) >= shortest and any(character.isalnum() for character in line)
    for name in _code_shaped(text):
        yield replace(name, within=line) if is_line else name
    if is_line:
        yield Name("line", line)
