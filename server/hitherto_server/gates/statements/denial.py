"""Which words of a statement are denied by it, and which it names as replaced."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.gates.statements.lexicon import (
    CHANGING,
    GIVEN_UP,
    GONE,
    REPLACING,
    canonical,
    stems_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.gates.statements.token import Token

SHORT_CLAUSE = 3
REACH = 3
WITHOUT = frozenset(("without", "ohne", "sans"))
BEING = frozenset(("is", "are", "was", "were", "be", "been", "being", "gets", "get", "got"))
_ELLIPTIC = "do does did it so that this them we you please"
ELLIPTIC = frozenset(_ELLIPTIC.split())
"""`so never do it` says of all that stands before what it denies."""
PREFERRING = frozenset(map(canonical, stems_of("prefer choose favor")))
GIVING_UP = {"insteadof": None, "from": CHANGING, "over": PREFERRING}
"""What is named behind these words was given up, if one of these verbs stands with them."""


def with_denials(tokens: list[Token]) -> list[Token]:
    """Return the tokens, marked where they are denied or replaced."""
    if _is_doubled(tokens):  # "not … without …" asks for the latter
        return [replace(one, is_negator=False, is_function=True) if one.is_negator else one
                for one in tokens]  # fmt: skip
    denied: set[int] = set()
    replaced: set[int] = set()
    for at, token in enumerate(tokens):
        if token.is_negator:
            denied ^= _scope(tokens, at)
        elif token.plain in GIVEN_UP and not _is_done_to(tokens, at):
            replaced |= _next_word(tokens, at)
        elif token.plain in GONE:
            replaced |= _gone(tokens, at)
        else:
            replaced |= _displaced(tokens, at)
    return [
        replace(one, is_denied=at in denied, is_replaced=at in replaced)
        if at in denied or at in replaced
        else one
        for at, one in enumerate(tokens)
    ]


def _is_doubled(tokens: Sequence[Token]) -> bool:
    match [one for one in tokens if one.is_negator]:
        case [first, second]:
            return second.plain in WITHOUT and first.sentence == second.sentence
        case _:
            return False


def _scope(tokens: Sequence[Token], at: int) -> set[int]:
    """Return what a negator denies: the rest of its clause, else what stands before it."""
    here = tokens[at]
    behind = {i for i in range(at + 1, len(tokens)) if tokens[i].clause == here.clause}
    if any(tokens[i].plain not in ELLIPTIC for i in behind):
        return behind
    before = {i for i in range(at) if tokens[i].clause == here.clause}
    if any(tokens[i].is_word for i in before):
        return before
    return {i for i in range(at) if tokens[i].sentence == here.sentence}


def _gone(tokens: Sequence[Token], at: int) -> set[int]:
    """Return what a clause as short as `ANTLR was dropped` is about."""
    here = tokens[at]
    before = {i for i in range(at) if tokens[i].clause == here.clause and tokens[i].is_word}
    return before if len(before) < SHORT_CLAUSE else set()


def _displaced(tokens: Sequence[Token], at: int) -> set[int]:
    """Return what a word names as given up: moved from it, instead of it, replaces it."""
    token = tokens[at]
    if token.key not in REPLACING and token.plain not in GIVING_UP:
        return set()
    if (verbs := GIVING_UP.get(token.plain)) is not None:
        around = {one.key for one in tokens if one.clause == token.clause}
        if not around & verbs:
            return set()
    return _next_word(tokens, at)


def _next_word(tokens: Sequence[Token], at: int) -> set[int]:
    following = [i for i in range(at + 1, min(at + 1 + REACH, len(tokens))) if tokens[i].is_word]
    return set(following[:1])


def _is_done_to(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a participle is passive: `is dropped`, not `we dropped`."""
    return at > 0 and tokens[at - 1].plain in BEING
