"""Reading a statement: its words, names and amounts in order, and which of them it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hitherto_server.core.text import CODE_SHAPE
from hitherto_server.gates.statements.lexicon import (
    CANONICAL,
    CHANGING,
    FUNCTION,
    GONE,
    NEGATORS,
    REPLACING,
)
from hitherto_server.gates.statements.quantities import QUANTITY, Quantity, quantity_of
from hitherto_server.recall.stem import folded, stem

MOST_CHARS = 2_000
"""What is compared slot by slot; in a longer text one slot is no longer what it says."""
SHORT_CLAUSE = 3

_TICKED = re.compile(r"`+([^`\n]*)`+")
_WORD = re.compile(r"[^\W_][\w./:@#+&-]*\+*|--?\w[\w-]*|/[\w./-]+|_\w[\w.]*")
_BREAK = re.compile(r"[.;:!?,()—–]|\s-\s")
_BREAKING = frozenset(
    "because since so but while although though if when unless weil aber wenn".split()
)
_ELLIPTIC = frozenset("do does did it so that this them we you please".split())
_SENTENCE_END = frozenset(".;!?")
_CONTRACTION = re.compile(
    r"\b(can|do|does|did|is|are|was|were|has|have|had|wo|would|should|could|must|need|ai)n['’]t\b",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"'s\b|(?<=s)'(?=\s)")
_NO_LONGER = re.compile(r"\bno longer\b|\bnot any ?more\b", re.IGNORECASE)
_ONE_WORD = (
    (re.compile(r"\b(instead of|rather than|in place of|in favou?r of|as opposed to)\b", re.IGNORECASE), "insteadof"),
    (re.compile(r"\b(sign|log|opt|time)[ -](up|in|out)\b", re.IGNORECASE), r"\1-\2"),
    (re.compile(r"\bby hand\b", re.IGNORECASE), "manually"),
    (re.compile(r"\be-mails?\b", re.IGNORECASE), "email"),
    (re.compile(r"\b(?:pull|merge) requests?\b", re.IGNORECASE), "PR"),
    (re.compile(r"\b(is|are|turned|switched|be|stays?|set to) (on|off)\b", re.IGNORECASE), r"\1 switched\2"),
)  # fmt: skip
_NO_FUNCTION = frozenset(("US", "IT"))
_SWITCHED = {"switchedon": "enable", "switchedoff": "disable"}
_EVERY = {"hourly": "hour", "weekly": "week", "nightly": "night", "monthly": "month",
          "daily": "day", "yearly": "year", "nights": "night"}  # fmt: skip
_OVER = frozenset(("prefer", "choose", "chosen"))


@dataclass(frozen=True)
class Token:
    """One word of a statement."""

    key: str
    """What it is compared by: a canonical stem, a folded name, or the amount as written."""
    shown: str
    clause: int
    sentence: int
    amount: Quantity | None = None
    is_name: bool = False
    is_function: bool = False
    is_negator: bool = False
    is_denied: bool = False
    is_replaced: bool = False
    """It is named as what something else took the place of."""

    @property
    def is_against(self) -> bool:
        """Whether the statement speaks against it."""
        return self.is_denied or self.is_replaced

    @property
    def is_word(self) -> bool:
        """Whether it says what the statement is about."""
        return not (self.is_function or self.is_negator or self.amount)


@dataclass(frozen=True)
class Statement:
    """A text as it is compared."""

    tokens: tuple[Token, ...]
    negators: int
    words: dict[str, Token] = field(default_factory=dict)
    """The first token of each word or name, by its key."""

    @property
    def amounts(self) -> list[Quantity]:
        return [token.amount for token in self.tokens if token.amount is not None]


@lru_cache(maxsize=512)
def read(text: str) -> Statement:
    """Take a text apart; what lies beyond `MOST_CHARS` is not read."""
    tokens = _denied(_tokens(_plain(text[:MOST_CHARS])))
    words: dict[str, Token] = {}
    for token in tokens:
        if token.is_word and (token.key not in words or token.is_against):
            words[token.key] = token
    negators = sum(token.is_negator for token in tokens)
    return Statement(tuple(tokens), negators, words)


def _plain(text: str) -> str:
    text = _CONTRACTION.sub(r"\1 not", text.replace("’", "'"))
    text = _POSSESSIVE.sub("", text)
    text = _NO_LONGER.sub("not", text).replace("cannot", "can not")
    for pattern, word in _ONE_WORD:
        text = pattern.sub(word, text)
    return text


def _tokens(text: str) -> list[Token]:
    ticked = {span.strip() for span in _TICKED.findall(text)}
    text = text.replace("`", " ")
    found: list[Token] = []
    clause = sentence = position = 0
    while position < len(text):
        if amount := _amount_at(text, position):
            quantity, position = amount
            found.append(Token(quantity.shown.lower(), quantity.shown, clause, sentence, quantity))
        elif word := _WORD.match(text, position):
            shown = word.group().rstrip(".:-/,#@&")
            position += max(len(shown), 1)
            clause += shown.lower() in _BREAKING
            found.append(_word(shown, clause, sentence, is_ticked=shown in ticked))
        else:
            if _BREAK.match(text, position):
                clause += 1
                sentence += text[position] in _SENTENCE_END
            position += 1
    return found


def _amount_at(text: str, position: int) -> tuple[Quantity, int] | None:
    if position and (text[position - 1].isalnum() or text[position - 1] in "_-./#"):
        return None
    match = QUANTITY.match(text, position)
    if match is None or _goes_on(text, match.end()):
        return None
    quantity = quantity_of(match)
    return (quantity, match.end()) if quantity else None


def _goes_on(text: str, end: int) -> bool:
    """Tell whether a longer word goes on behind what looked like an amount."""
    after = text[end : end + 2]
    return bool(after) and (
        after[0].isalnum() or after[0] == "_" or after[0] in "-/" and after[1:].isalnum()
    )


def _word(shown: str, clause: int, sentence: int, *, is_ticked: bool) -> Token:
    word = folded(shown)
    word = _SWITCHED.get(word, word)
    is_name = is_ticked or CODE_SHAPE.search(shown) is not None
    if is_name and not word.isalnum():
        return Token(word.removesuffix("()"), shown, clause, sentence, is_name=True)
    key = stem(_EVERY.get(word, word))
    return Token(
        CANONICAL.get(key, key),
        shown,
        clause,
        sentence,
        is_name=is_name,
        is_function=word in FUNCTION and not is_name and shown not in _NO_FUNCTION,
        is_negator=word in NEGATORS,
    )


def _denied(tokens: list[Token]) -> list[Token]:
    """Mark what is denied, and what is named as replaced."""
    if _is_doubled(tokens):  # "not … without …" asks for the latter
        return [
            replace(one, is_negator=False, is_function=True) if one.is_negator else one
            for one in tokens
        ]
    denied: set[int] = set()
    replaced: set[int] = set()
    for at, token in enumerate(tokens):
        if token.is_negator:
            denied ^= _scope(tokens, at)
        elif token.key in GONE or token.shown.lower() in GONE:
            replaced |= _gone(tokens, at)
        else:
            replaced |= _displaced(tokens, at)
    return [
        replace(one, is_denied=at in denied, is_replaced=at in replaced)
        for at, one in enumerate(tokens)
    ]


def _is_doubled(tokens: list[Token]) -> bool:
    negators = [one for one in tokens if one.is_negator]
    both = 2
    return (
        len(negators) == both
        and negators[1].shown.lower() in {"without", "ohne", "sans"}
        and negators[0].sentence == negators[1].sentence
    )


def _scope(tokens: list[Token], at: int) -> set[int]:
    """Return what a negator denies: the rest of its clause, else what stands before it."""
    here = tokens[at]
    behind = {i for i in range(at + 1, len(tokens)) if tokens[i].clause == here.clause}
    if any(tokens[i].shown.lower() not in _ELLIPTIC for i in behind):
        return behind
    before = {i for i in range(at) if tokens[i].clause == here.clause}
    if any(tokens[i].is_word for i in before):
        return before
    return {i for i in range(at) if tokens[i].sentence == here.sentence}


def _gone(tokens: list[Token], at: int) -> set[int]:
    here = tokens[at]
    before = {i for i in range(at) if tokens[i].clause == here.clause and tokens[i].is_word}
    return before if len(before) < SHORT_CLAUSE else set()


def _displaced(tokens: list[Token], at: int) -> set[int]:
    """Return what a word names as given up: moved from it, instead of it, replaces it."""
    token = tokens[at]
    following = [i for i in range(at + 1, min(at + 4, len(tokens))) if tokens[i].is_word]
    same_clause = [one for one in tokens if one.clause == token.clause]
    gives_up = (
        token.shown == "insteadof"
        or token.key in REPLACING
        or (token.shown.lower() == "from" and any(one.key in CHANGING for one in same_clause))
        or (token.shown.lower() == "over" and any(one.key in _OVER for one in same_clause))
    )
    return set(following[:1]) if gives_up else set()
