"""The words by which a decision settles something, and a step puts something else in its place."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

import re

from hitherto_server.core.phrases import phrases
from hitherto_server.recall.stem import stem

FORBIDS = phrases(r"""
    forbidden|banned|not allowed|disallowed|rejected|turned down|given up|abandoned|deprecated|retired|off limits
    (?:was|were) a mistake|gets? no (?:new|more)
    verboten|abgelehnt|interdite?s?|refusée?s?|prohibid[oa]s?|rechazad[oa]s?
""")
DISCARDS = phrases(r"""
    removes?|removed|deletes?|deleted|drops?|dropped|purges?|purged|retires?|retired|get(?:ting)? rid of
    shut\w* down|turn\w* off|switch\w* off|lösch\w+|entfern\w+|supprim\w+|elimin\w+|borr\w+|quitar
""")
NEVER = phrases(r"""
    (?:never|not|nie|jamais|ever)\s+(?:be |been |is |are |get |gets |again |automatically )?([^\W\d_]{3,})
""")
"""With the verb that is ruled out."""
LIMITED = phrases("only|but|except|unless|until|without|than|ohne|sans|sin|sauf|außer")
EVERY = phrases(
    "every|each|all|always|any|everything|jede[rsnm]?|alle|immer|chaque|toute?s?|tous|siempre|cada"
)
ONLY_SOME = phrases(r"""
    only (?:on|for|if|when|in|where|with)|except|skips?|without|no longer|optional|nur|sauf|ohne|sans|sin
""")
FOR_NOW = phrases(r"""
    for now|for the moment|for the time being|vorerst|erstmal|pour l'instant|por ahora|not yet|todo|later
    in a (?:second|later|follow-?up) (?:PR|step)
""")
REMAINS = phrases(r"""
    stays?|remains?|keeps?|kept|frozen|protected|immutable|untouched|unchanged|available|until
    insists?|promised|rel(?:y|ies)|guarantee\w*|delivered|bleib\w*|unveränderlich|reste\w*|conserv\w+|garde\w*|queda\w*
""")
"""Behind what is to be there as it is."""
THEN = re.compile(
    r"^\W*(?:first|erst|zuerst|d'abord|primero)\b(.*?),?\s*\b(?:then|dann|puis|luego)\b(.*)$",
    re.IGNORECASE,
)
BEFORE = re.compile(r"^(?:.*,)?(.*?)\b(?:before|bevor|avant|antes de)\b([^,(]*).*$", re.IGNORECASE)
SENTENCE_PART = re.compile(r"[;:.](?=\s|$)")
REASON = re.compile(r"\b(?:because|since|so that|until|unless)\b", re.IGNORECASE)
PART = re.compile(
    r"[,;:.!?()](?=\s|$)|\b(?:because|since|so that|until|unless|when|while)\b", re.IGNORECASE
)
"""Between the clauses of a sentence; a number's dot or comma ends none."""
JOINT = re.compile(r"[,;:.](?=\s|$)|\b(?:and|or|und|oder|et|ou|y|o)\b", re.IGNORECASE)
NAMED_NUMBER = re.compile(
    r"\b((?:[^\W\d_]{3,} ){1,2})(?:(?:is|are|stays?|remains?|=) )?(?:at |to |= ?|of )?v?(\d[\d.]*)\b(?![%:\w/-])"
)
NUMBER = re.compile(r"(?<![\w.])\d[\d.]*")
_LASTING = "kept keep retention retain last lifetime live valid expire ttl timeout stored"
LASTING = frozenset(stem(one).removesuffix("e") for one in _LASTING.split())
