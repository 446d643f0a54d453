"""What a question asks each arm: words, names, files, ids, and a text to embed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from hitherto_server.core.text import identifiers_in
from hitherto_server.core.words import folded, is_joined, is_telling, words_in
from hitherto_server.recall.people import NOBODY_KNOWN, Acquainted
from hitherto_server.recall.stem import stem
from hitherto_server.recall.stop_words import SCAFFOLDING, STOP_WORDS

MOST_TERMS = 32
MOST_NAMES = 12
DENSE_CHARS = 400
# the model takes a third of a millisecond a token, and a long text dilutes what is asked
MOST_DENSE_WORDS = 12
"""A longer question is embedded without its stop words, which changes what is found by nothing."""
SHORTEST_NAME = 3
LONGEST_WORD = 64

FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
ID_PREFIX = re.compile(r"\bm:([0-9a-f][0-9a-f-]{7,35})(?![0-9a-z-])", re.IGNORECASE)
FILE_SHAPE = re.compile(r"^[\w./@+-]*\w\.[A-Za-z]\w{0,9}$|^[\w.@+-]+(?:/[\w.@+-]+)+$")
PUNCTUATION = "?.,!:;()[]{}\"'`"
POSSESSIVE = re.compile(r"['\u2019]s$")
LINE_NUMBER = re.compile(r"(?::\d+)+$")
ABOUT_THE_PAST = re.compile(
    r"(?<!is )(?<!are )(?<!be )(?<!was )(?<!were )\bus(?:ed|e) to\b"
    r"|\b(?:previously|formerly|history of|historically|originally|back then|in the past"
    r"|earlier version|superseded)\b|\bbefore\s*[?.!]?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PreparedQuery:
    """A question, taken apart once for all arms."""

    text: str
    words: tuple[str, ...]
    """Content words, folded, each stem once."""
    names: tuple[str, ...]
    """Identifiers, paths and error codes: the lexical side's only."""
    files: tuple[str, ...]
    """What among the names looks like a file, with '/'."""
    ids: tuple[str, ...]
    id_prefixes: tuple[str, ...]
    dense_text: str | None
    """What is embedded; None if only names, or nothing, would be left."""
    is_about_the_past: bool
    people: frozenset[str] = frozenset()
    """Who of those that are known here is named, folded."""

    @property
    def stems(self) -> tuple[str, ...]:
        return tuple(stem(word) for word in self.words)


def prepare(text: str, known: Acquainted = NOBODY_KNOWN) -> PreparedQuery:
    """Take a question apart; nothing in it is ever syntax."""
    text = text.replace("\x00", " ")
    ids = tuple(dict.fromkeys(found.lower() for found in UUID.findall(text)))
    prefixes = tuple(dict.fromkeys(_dashed(found) for found in ID_PREFIX.findall(text)))
    plain = _prose_first(ID_PREFIX.sub(" ", UUID.sub(" ", text)))
    names = _names(plain)
    words = _content_words(_without(plain, names))[: MOST_TERMS - len(names)]
    return PreparedQuery(
        text=text,
        words=tuple(words),
        names=names,
        files=_files(names),
        ids=ids,
        id_prefixes=prefixes,
        dense_text=_dense_text(plain, names, known),
        is_about_the_past=ABOUT_THE_PAST.search(text) is not None,
        people=known.people.intersection(words_in(folded(plain))) if known.people else frozenset(),
    )


def terms_match(terms: tuple[str, ...]) -> str | None:
    """Return a word index's expression for any of some words or names; None if there is none.

    A name is a phrase of its parts.
    """
    quotes = [quoted(term) for term in map(folded, terms) if words_in(term)]
    return " OR ".join(quotes) or None


def quoted(term: str) -> str:
    """Return the term as one FTS5 string: whatever it holds, it is no operator."""
    return '"' + term.replace("\x00", " ").replace('"', '""') + '"'


def relative_files(files: tuple[str, ...], root: str | None) -> tuple[str, ...]:
    """Return the files as anchors name them: relative to the project's root, with '/'."""
    found: dict[str, None] = {}
    for file in files:
        path = PurePosixPath(file.replace("\\", "/"))
        if path.is_absolute():
            if root is None or not path.is_relative_to(root):
                continue
            path = path.relative_to(root)
        found.setdefault(str(path))
    return tuple(found)


def _prose_first(text: str) -> str:
    """Move code blocks to the end: what is asked about them counts before what they hold."""
    return "\n".join((FENCE.sub(" ", text), *FENCE.findall(text)))


def _names(text: str) -> tuple[str, ...]:
    # A position is part of no name: `app.py:12` is app.py, wherever the line moved to.
    found = (LINE_NUMBER.sub("", name) for name in identifiers_in(text))
    fit = (name for name in found if len(name) >= SHORTEST_NAME)
    return tuple(dict.fromkeys(fit))[:MOST_NAMES]


def _files(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if FILE_SHAPE.match(name.replace("\\", "/")))


def _content_words(text: str) -> list[str]:
    found: dict[str, str] = {}
    for word in words_in(folded(text)):
        if word not in STOP_WORDS and is_telling(word) and len(word) <= LONGEST_WORD:
            found.setdefault(stem(word), word)
    return list(found.values())


def _without(text: str, names: tuple[str, ...]) -> str:
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    whole = "|".join(re.escape(name) for name in longest_first)
    if text.isascii():
        return re.sub(rf"(?<!\w)(?:{whole})(?!\w)", " ", text)
    return re.sub(whole, _blank, text)


def _blank(name: re.Match[str]) -> str:
    """Return a space for a name that stands by itself: `app.py的` ends with one."""
    text, start, end = name.string, name.start(), name.end()
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return name.group() if any(map(is_joined, around)) else " "


def _dense_text(text: str, names: tuple[str, ...], known: Acquainted) -> str | None:
    prose = FENCE.sub(" ", text)
    for candidate in (prose, text):
        bare = _telling(_without(candidate, names).split(), known)
        if _content_words(bare):
            return bare[:DENSE_CHARS]
    return None


def _telling(tokens: list[str], known: Acquainted) -> str:
    """Return what is left without scaffolding, and without names that all memories here share.

    A long question loses its stop words too.
    """
    unwanted = SCAFFOLDING | known.people | known.project
    cores = ((token, _core(token)) for token in tokens)
    kept = [(token, core) for token, core in cores if core and core not in unwanted]
    if len(kept) > MOST_DENSE_WORDS:
        kept = [(token, core) for token, core in kept if core not in STOP_WORDS]
    return " ".join(token for token, _ in kept)


def _core(token: str) -> str:
    """Return a token as a name is known: folded, without what surrounds or inflects it."""
    return POSSESSIVE.sub("", folded(token).strip(PUNCTUATION))


def _dashed(prefix: str) -> str:
    digits = prefix.replace("-", "").lower()[:32]
    cuts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return "-".join(cut for cut in cuts if cut)
