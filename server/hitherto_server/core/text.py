"""Small questions about text: is it the same, can it be kept, and what in it is code?"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from hitherto_server.core.words import without_unspaced

CODE_SHAPE = re.compile(
    r"""
      [a-z0-9]_[a-z0-9]          # snake_case
    | ^_+[a-z]                   # _private
    | [a-z][A-Z]                 # camelCase
    | ^[A-Z][a-z]+[A-Z]          # PascalCase
    | ^[A-Z]{2,}[A-Z0-9_]*\d     # SHA256
    | ^[A-Z]\d{3,}$              # E1234
    | ^E[A-Z]{4,}$               # ECONNRESET
    | [A-Z0-9]_[A-Z0-9]          # CONSTANT_CASE
    | \w\.\w{2,}                 # dotted.name, file.py
    | \w/\w                      # a/path
    | ^--\w                      # --flag
    | ::                         # Type::method
    | \(\)$                      # call()
    """,
    re.VERBOSE,
)
HIDDEN = (
    "\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e0fff"
)
"""For a regular expression's class: characters that show nothing, or reorder what is shown."""
JOINER = "\u200d"
"""Shows nothing either, but many emoji are spelled with it."""
MOST_DIGITS = 19  # of nanoseconds since 1970: until the year 2286, and within 64 bits
BACKTICKED = re.compile(r"`([^`\s][^`\n]{0,200})`")
TOKEN = re.compile(r"[^\s`'\"<>\[\]{},;]+")
EDGES = ".:!?*=&|\\"
WORDLIKE = re.compile(r"[!#-&*+\-./0-9:=?@A-Z\\^_a-z|~]")
"""What keys, tokens and connection strings are made of."""
SHORTEST, LONGEST = 3, 200
_NOBODY_TEXT = """
    agent api assistant backfill bot ci cli client code codex copilot cursor gemini claude hook
    hitherto human import job mcp model owner person script server session subagent system test
    tool ui unknown user web worker
"""
NOBODY = frozenset(_NOBODY_TEXT.split())
"""Words that make an actor a program or a role, and no person's name."""
PERSON = re.compile(r"[^\W\d_]+(?:[ .'\u2019-]+[^\W\d_]+){0,3}\.?")
SHORTEST_OF_PERSON = 3


def normalised(text: str) -> str:
    """Return the text as it is compared: NFC, single spaces, no edges."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def counted(number: int, one: str) -> str:
    """Return a number with what is counted: `2 sessions`, `2 memories`, `2 pieces of a session`."""
    if number == 1:
        return f"1 {one}"
    noun, of, rest = one.partition(" of ")
    many = f"{noun[:-1]}ies" if noun[-1:] == "y" and noun[-2:-1] not in "aeou" else f"{noun}s"
    return f"{number} {many}{of}{rest}"


def content_hash(text: str) -> str:
    """Return the sha256 (hex) of the normalised text."""
    return hashlib.sha256(normalised(text).encode()).hexdigest()


def storable(text: str) -> str:
    """Return text that can be kept and sent: no NUL, and a question mark for a lone surrogate."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def opening_of(text: str, most: int) -> str:
    """Return the beginning of a text: half a word at its end may be half a secret, and is left out.

    What is cut in two no longer looks like the secret that it is.
    """
    if len(text) <= most or most <= 0 or not WORDLIKE.match(text, most):
        return text[: max(most, 0)]
    end = most
    while end and WORDLIKE.match(text, end - 1):
        end -= 1
    return text[:end]


def name_of(path: str) -> str:
    """Return the last part of a path, of whichever system."""
    return path.replace("\\", "/").rpartition("/")[2]


def ending_of(text: str, most: int) -> str:
    """Return the end of a text, without half a word at its beginning."""
    return opening_of(text[::-1], most)[::-1]


def is_count(text: str) -> bool:
    """Tell whether a text from outside is a whole number that fits 64 bits."""
    return text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS


def identifiers_in(text: str) -> list[str]:
    """Return the code-shaped words of a text, in order, each once: names, paths, error codes."""
    found: dict[str, None] = {}
    for span in BACKTICKED.findall(text):
        if " " not in span:
            found.setdefault(_bare(span))
    for token in TOKEN.findall(without_unspaced(text)):
        word = _bare(token)
        if SHORTEST <= len(word) <= LONGEST and CODE_SHAPE.search(word) and not _is_plain(word):
            found.setdefault(word)
    return [word for word in found if word]


def people_in(actor: str) -> list[str]:
    """Return the parts of a person's name in lower case; none of a program's or a role's."""
    name = actor.partition("@")[0].strip().lower()
    if not PERSON.fullmatch(name):
        return []
    parts = re.findall(r"[^\W\d_]+", name)
    return [] if NOBODY & set(parts) else [one for one in parts if len(one) >= SHORTEST_OF_PERSON]


def _bare(token: str) -> str:
    word = token.strip(EDGES).removesuffix("()").strip(EDGES)
    if word.startswith("(") or (word.endswith(")") and "(" not in word):
        word = word.strip("()")
    return word


def _is_plain(word: str) -> bool:
    """Tell plain writing (`e.g`, `and/or`, `12.5`) from code."""
    return bool(re.fullmatch(r"[\d.,:/%-]+|e\.g|i\.e|and/or|either/or", word.lower()))
