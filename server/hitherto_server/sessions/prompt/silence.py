"""Which prompts ask for no memory: system text, commands, trivial words, short follow-ups."""

from __future__ import annotations

import re
from typing import Literal

from hitherto_server.core.text import identifiers_in

Silence = Literal["system text", "slash command", "trivial", "follow-up"]

SYSTEM_TEXT = re.compile(
    # a name of several words: a prompt may begin with an element of HTML
    r"^\s*(?:<[a-z]+[_-][a-z_-]*(?:\s[^>]*)?>|\[SYSTEM\b|\[Request interrupted"
    r"|Caveat: The messages below)"
)
SLASH_COMMAND = re.compile(
    r"^\s*/(?!(?:bin|dev|etc|home|mnt|opt|proc|root|srv|tmp|usr|var)\b)[a-z][\w:-]*(?:\s|$)"
)
REFERS_BACK = re.compile(
    # "the scheme that we agreed on" says what is meant
    r"\b(?:it|its|that(?! (?:we|i|you)\b)|this|those|these|them|they|one|ones|same|again|instead"
    r"|other|another|above|former|latter|there|so)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W_][\w'-]*")
_TRIVIAL_TEXT = """
    a ahead and all alright are be can cheers continue cool do done fine for get go going good
    great hello hey hi i im is it its keep kay let lets lgtm look looks me more nice next no
    nope not now of off ok okay on perfect please proceed ready right run same sounds start
    stop sure thank thanks that the then this to try up wait we well what why works yeah yep
    yes you your hmm again correct agreed awesome exactly yup
"""
TRIVIAL = frozenset(_TRIVIAL_TEXT.split())
"""Words that ask for nothing when they stand alone."""
FOLLOW_UP_WORDS = 12
FOLLOW_UP_OWN_WORDS = 3
"""A short prompt that refers back is a follow-up unless it brings more words of its own."""


def silent_because(prompt: str) -> Silence | None:
    """Return why a prompt is not searched, or None if it is."""
    if SYSTEM_TEXT.match(prompt):
        return "system text"
    if SLASH_COMMAND.match(prompt):
        return "slash command"
    if identifiers_in(prompt):
        return None
    words = [word.lower().replace("'", "") for word in WORD.findall(prompt)]
    own = [word for word in words if word not in TRIVIAL and len(word) > 1]
    if not own:
        return "trivial"
    is_short = len(words) <= FOLLOW_UP_WORDS and len(own) <= FOLLOW_UP_OWN_WORDS
    return "follow-up" if is_short and REFERS_BACK.search(prompt) else None
