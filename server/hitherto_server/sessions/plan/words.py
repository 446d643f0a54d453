"""The words by which a plan's steps and decisions are read."""

from __future__ import annotations

import re

from hitherto_server.recall.stem import stem

RULES_OUT = re.compile(
    r"\b(?:never|no(?: longer| more)?|not|nothing|nobody|without|instead of|rather than|avoid"
    r"|nie(?:mals)?|kein\w*|nicht|ohne|jamais|aucune?|sans|nunca|ning[u\u00fa]n\w*|sin"
    r"|statt|anstelle|au lieu|plut\u00f4t|en vez|en lugar)\b"
    r"|n't\b",
    re.IGNORECASE,
)
STAYS = re.compile(
    r"\b(?:stays?|must stay|keeps?(?! \w+ for\b)|remains?|must not be touched"
    r"|leave\w* .{1,40}alone|left alone|has to keep|needs to stay)\b",
    re.IGNORECASE,
)
TAKES_AWAY = re.compile(
    r"\b(?:remov\w+|delet\w+|drop\w*|replac\w+|mov(?:e|es|ing)|migrat\w+|turn\w* off|switch\w* off"
    r"|shut\w* down|get(?:ting)? rid of|clean\w* up|renam\w+|rewrit\w+)\b",
    re.IGNORECASE,
)
SPARES = re.compile(
    r"\b(strip|remov|delet|drop|exempt|avoid|omit|exclud|leav|skip|disabl|forbid|reject|refus)\w*",
    re.IGNORECASE,
)
"""A step that does this to something does not do what rules out the thing, but the doing itself."""
LEAVES = re.compile(
    r"\b(?:remov\w+|delet\w+|drop\w*|replac\w+|leav\w+|retir\w+|moved? (?:away )?from|from"
    r"|get(?:ting)? rid of|goes|considered|rejected|than|before|like|as in)\b",
    re.IGNORECASE,
)
"""Behind these stands what is left, or what is only compared."""
BECOMES = re.compile(r"\b(?:by|with|to|into)\b", re.IGNORECASE)
LIMITS = re.compile(
    r"\b(?:only|but|except|unless|until|at once|immediately|exempt)\b", re.IGNORECASE
)
"""What is allowed within limits is not ruled out: nobody can tell by words which side a step is."""
VERB = re.compile(
    r"\b(?:is|are|has|have|had|must|may|can|needs?|looks?|works?|runs?)\b", re.IGNORECASE
)
OBLIGES = re.compile(
    r"\b(?:must|never|always|only|may not|has to|have to|had to|needs? to|at (?:most|least)"
    r"|no (?:more|less|fewer) than|not allowed|forbidden|require[sd]?|mandatory|cannot|can't)\b"
    r"|^\W*(?:please )?(?:do not|don't)\b",
    re.IGNORECASE,
)
"""Makes a rule of a statement, whatever kind of memory holds it."""
CHANGES = re.compile(
    r"\b(?:rais|lower|increas|decreas|reduc|chang|extend|shorten|lengthen|bump|upgrad|downgrad"
    r"|switch|migrat|mov|replac|set|grow|shrink|cut|halv|doubl|tripl|convert|port|renam|updat|tun"
    r"|adjust)(?:e|es|ed|ing|s|ting)?\b",
    re.IGNORECASE,
)
"""A step that does this knows what it changes: that it is otherwise today speaks not against it."""
CLAUSE = re.compile(r"[,;:.!?()]|\b(?:because|since|so that|as|but|until|unless|when|while|and)\b")
_DOING = "use do make have add write offer allow need keep take put run go let get set give want"
DOING = frozenset(stem(one).removesuffix("e") for one in _DOING.split())
"""Verbs that say nothing of what is ruled out."""
