"""Reading a statement: its words, names and amounts in order, and which of them it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from hitherto_server.core.text import CODE_SHAPE
from hitherto_server.gates.statements.denial import with_denials
from hitherto_server.gates.statements.lexicon import FUNCTION, NEGATORS, canonical
from hitherto_server.gates.statements.quantities import (
    NUMBER_WORDS,
    QUANTITY,
    Quantity,
    quantity_of,
)
from hitherto_server.gates.statements.token import Token
from hitherto_server.recall.stem import folded, stem

MOST_CHARS = 2_000
"""What is compared slot by slot; in a longer text one slot is no longer what it says."""

TICKED = re.compile(r"`+([^`\n]*)`+")
WORD = re.compile(r"#\d+|[^\W_][\w./:@#+&-]*\+*|--?\w[\w-]*|/[\w./-]+|_\w[\w.]*")
STARTING_AMOUNTS = re.compile(
    rf"(?:an?|one|per|every|each|v\d+|{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE
)
BREAK = re.compile(r"[.;:!?,()\u2013\u2014]|\s-\s")
SENTENCE_END = frozenset(".;!?")
_BREAKING = "because since so but while although though if when unless weil aber wenn"
BREAKING_WORDS = frozenset(_BREAKING.split())
_NUMBERED = "step phase issue ticket pr bug line part chapter task case section round milestone"
NUMBERED = frozenset(_NUMBERED.split())
"""What is counted through: another number is another one of them."""
CAPITALS = frozenset(("US", "IT", "GET"))
"""Written so they are no pronouns."""
SWITCHED = {"switchedon": "enable", "switchedoff": "disable"}
EVERY = {"hourly": "hour", "daily": "day", "weekly": "week", "nightly": "night",
         "nights": "night", "monthly": "month", "yearly": "year"}  # fmt: skip
_LAST = r"(?=\s*(?:[.,;:!?]|$|at\b|now\b|since\b))"
_HELPERS = "can|do|does|did|is|are|was|were|has|have|had|wo|would|should|could|must|need|ai"
_REWRITTEN = (
    ("\u2019", "'"),
    (rf"\b({_HELPERS})n't\b", r"\1 not"),
    (r"\bcan't\b", "can not"),
    (r"'s\b|(?<=s)'(?=\s)", ""),
    (r"\bno longer\b|\bnot any ?more\b", "not"),
    (r"\bcannot\b", "can not"),
    (r"\b(instead of|rather than|in place of|as opposed to)\b", "insteadof"),
    (r"(?<=[a-z])/(s|sec|min|minute|h|hr|hour|day)\b", r" per \1"),
    (r"\bplain text\b", "plaintext"),
    (r"\b(sign|log|opt|time)[ -](up|in|out)\b", r"\1-\2"),
    (r"\bby hand\b", "manually"),
    (r"\b(?:on|in)[ -](call|charge)\b", r"on\1"),
    (rf"\b(?:daily|every day){_LAST}", "each day"),
    (rf"\b(hour|week|month|year)ly{_LAST}", r"each \1"),
    (r"\be-mail(s?)\b", r"email\1"),
    (r"\b(?:pull|merge) request(s?)\b", r"PR\1"),
    (r"\b(is|are|be|turned|switched|stays?|set to) (on|off)\b", r"\1 switched\2"),
)
REWRITTEN = tuple((re.compile(old, re.IGNORECASE), new) for old, new in _REWRITTEN)
"""What is one word to the comparison, or no word."""


@dataclass(frozen=True)
class Statement:
    """A text as it is compared."""

    tokens: tuple[Token, ...]
    words: dict[str, Token] = field(default_factory=dict)
    """Each word or name once, by its key; where it is denied anywhere, as denied."""

    @property
    def amounts(self) -> list[Quantity]:
        return [token.amount for token in self.tokens if token.amount is not None]

    @property
    def negators(self) -> int:
        return sum(token.is_negator for token in self.tokens)


@lru_cache(maxsize=512)
def read(text: str) -> Statement:
    """Take a text apart; what lies beyond `MOST_CHARS` is not read."""
    tokens = with_denials(_tokens(_rewritten(text[:MOST_CHARS])))
    words: dict[str, Token] = {}
    for token in tokens:
        if token.is_word and (token.key not in words or token.is_against):
            words[token.key] = token
    return Statement(tuple(tokens), words)


def _rewritten(text: str) -> str:
    for pattern, word in REWRITTEN:
        text = pattern.sub(word, text)
    return text


def _tokens(text: str) -> list[Token]:
    ticked = {span.strip() for span in TICKED.findall(text)}
    text = text.replace("`", " ")
    found: list[Token] = []
    clause = sentence = position = 0
    while position < len(text):
        if amount := _amount_at(text, position):
            quantity, position = amount
            found.append(_amount(quantity, clause, sentence, found[-1:]))
        elif word := WORD.match(text, position):
            shown = word.group().rstrip(".:-/,#@&")
            position += max(len(shown), 1)
            clause += shown.lower() in BREAKING_WORDS
            found.append(_word(shown, clause, sentence, is_ticked=shown in ticked))
        else:
            if BREAK.match(text, position):
                clause += 1
                sentence += text[position] in SENTENCE_END
            position += 1
    return found


def _amount(quantity: Quantity, clause: int, sentence: int, before: list[Token]) -> Token:
    """Return the token of an amount; behind `step` and the like a number is a name."""
    shown = quantity.shown
    if quantity.dimension == "number" and any(one.plain in NUMBERED for one in before):
        return Token(f"#{shown.lower()}", shown, clause, sentence, is_name=True)
    return Token(shown.lower(), shown, clause, sentence, quantity)


def _amount_at(text: str, position: int) -> tuple[Quantity, int] | None:
    if position and (text[position - 1].isalnum() or text[position - 1] in "_-./#"):
        return None
    if not (text[position].isdigit() or STARTING_AMOUNTS.match(text, position)):
        return None
    match = QUANTITY.match(text, position)
    if match is None or _goes_on(text, match.end()):
        return None
    quantity = quantity_of(match)
    return (quantity, match.end()) if quantity else None


def _goes_on(text: str, end: int) -> bool:
    """Tell whether a longer word goes on behind what looked like an amount."""
    after, next_one = text[end : end + 1], text[end + 1 : end + 2]
    return after.isalnum() or after == "_" or (after in {"-", "/"} and next_one.isalnum())


def _word(shown: str, clause: int, sentence: int, *, is_ticked: bool) -> Token:
    word = folded(shown)
    word = SWITCHED.get(word, word)
    is_name = is_ticked or CODE_SHAPE.search(shown) is not None
    if is_name and not word.isalnum():
        return Token(word.removesuffix("()"), shown, clause, sentence, is_name=True)
    return Token(
        canonical(stem(EVERY.get(word, word))),
        shown,
        clause,
        sentence,
        is_name=is_name,
        is_function=word in FUNCTION and not is_name and shown not in CAPITALS,
        is_negator=word in NEGATORS,
    )
