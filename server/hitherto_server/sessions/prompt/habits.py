"""Wordings that tell an agent how its person works, without a word such as `from now on`."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

_DOES = (
    "add|answer|apologi[sz]e|ask|assume|avoid|begin|call|change|check|comment|commit|create|delete"
    "|do|edit|explain|force.push|format|give|guess|include|install|keep|leave|make|mention|open"
    "|prefer|push|put|reformat|repeat|reply|respond|run|say|show|skip|speak|start|stop|suggest"
    "|summari[sz]e|talk|tell|touch|translate|use|write"
)
"""What an agent does by itself, as it is told to."""
_TOLD = rf"(?:please )?(?:(?:don't|do not|never|always|just|only) )?(?:{_DOES})\b"
_DONE = r"(?:'re| are) (?:done|finished|ready)"

ALWAYS = (
    rf"^(?:please |also |and |but |btw,? )*(?:always|never|(?:don't|do not) ever) (?:{_DOES})\b(?! (?:null|true|false|none|undefined|an? empty))",
    rf"\b(?:in general|generally|as a rule|by default|as always|in any case)\b,? {_TOLD}",
    rf"^{_TOLD}[^.;:]*\b(?:in general|as a rule|as always|ever again|for good|, always)\b",
    r"^(?:bitte )?(?:nie|niemals|immer|keine)\b[^.;:]{0,60}\b(?:ohne|generell|grunds\u00e4tzlich)\b|\bdas gilt (?:generell|immer|f\u00fcr alles)\b",
)
"""`never push`, `in general, show the diff first`."""
OCCASION = (
    rf"\b(?:when|whenever|every time|each time) you(?!{_DONE})\b[^.;:]{{2,60}}, {_TOLD}",
    rf"^{_TOLD}[^.;:]{{0,60}}\b(?:(?:whenever|every time|each time) you|when (?:in doubt|unsure|you(?:'re| are) (?:unsure|not sure|in doubt|stuck)))\b",
    r"\bwenn du (?:unsicher|nicht sicher|im zweifel)\b",
)
"""`when you write SQL, put …`, `ask whenever you …`."""
COMPLAINT = (
    r"^(?:please )?stop (?:add|apologi[sz]|ask|chang|comment|creat|explain|guess|reformat|repeat|summari[sz]|suggest|tell|us|writ)ing\b",
    r"^you (?:keep|constantly) (?!get|see|fail|hit)\w+ing\b",
)
"""`stop apologising`, `you keep adding …`."""
TASTE = (
    r"\bi (?:really |much |just )?(?:like|love|prefer|hate|dislike|appreciate|(?:don't|do not) like|can't stand)\b[^.;:]{0,50}\b(?:when you|if you|over|to be (?:asked|told))\b",
    r"\bich mag\b[^.;:]{0,60}\b(?:nie|immer|lieber|nicht|keine\w*)\b",
    r"\bje (?:pr\u00e9f\u00e8re|n'aime pas|d\u00e9teste)\b|\b(?:prefiero|odio|no me gusta|prefiro|preferisco)\b",
)
"""`I hate it when you …`, `I prefer tables over prose`."""
TRAIT = (
    r"\bi(?:'m| am) (?:on|used to|new to|still learning|colou?r-?blind|dyslexic)\b[^.;:]{0,60}(?:, | so )(?:so |please )?(?:give|use|show|write|explain|keep|answer|avoid|don't|no)\b",
    r"\b(?:i come from|i work (?:with|on|in)|my (?:editor|shell|terminal|keyboard|screen reader))\b[^.;:]{0,60}\b(?:so|which is why|hence) ",
    r"^(?:please )?(?:call|address) me (?:as )?\w+\W*$|\bmy (?:name|pronouns) (?:is|are)\b",
    r"^(?:please )?explain [^.;:]{0,40}\bto me as (?:to|if)\b",
    r"\b(?:that's|which is) the (?:shell|editor|language|os|system) i use\b",
)
"""`I'm on fish, so …`, `call me Kim`."""
OUTPUT = (
    r"\b(?:commit messages?|answers?|replies|summaries|explanations)\b[^.;:]{0,60}\b(?:always|never|ever|in general|no longer)\b",
    r"\b(?:always|never|no)\b[^.;:]{0,30}\b(?:in|for|at the end of) (?:your |my )(?:commit messages?|answers?|replies|summaries)\b",
    r"^no \w+(?: \w+)?,? (?:please,? )?(?:when you|in (?:your|what you)|in the \w+ you)\b",
)
"""`no emojis in your answers`."""
HABITS = (*ALWAYS, *OCCASION, *COMPLAINT, *TASTE, *TRAIT, *OUTPUT)
OF_THE_AGENT = (
    r"\b(?:when|whenever|every time|each time) you\b|^(?:please )?stop \w+ing\b|\byou (?:keep|constantly)\b",
    r"\b(?:never|don't ever|do not ever) (?:force.?)?push\b",
)
"""Speaks of how an agent works, whoever it works for."""
