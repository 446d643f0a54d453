"""What of a prompt is asked about: not what it leaves alone, nor where a wording stands."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from hitherto_server.recall.stop_words import STOP_WORDS

MOST_CHARS = 1500
"""A longer prompt is a pasted text, whose clauses are nobody's wishes."""
BLANKS = re.compile(r"[^\S\n]+")
# A clause ends at punctuation before a blank, and where the wish itself begins.
CLAUSE = (
    r"(?<=[,;:!?.\n]) | [-\u2013\u2014]+ |\n"
    r"| (?=(?:just|only|but|i only|i just|i mean|sondern|nur|mais|seulement|sino|solo)\b)"
    r"| (?:and|then|und|et|y) (?=(?:just|only|then|instead|please|add|bump|check|delete|explain"
    r"|find|fix|give|list|make|move|open|print|remove|rename|run|show|sort|tell|update|use|write"
    r"|benenne|l\u00f6sche|sortiere|zeig\w*)\b)"
)
KEPT_AWAY = r"""(?x)
    \ ?(?:(?:and|but|so|ok|okay|please|pls|also|well|no|und|aber|bitte|et|mais)\b,?\ ?){0,3}
    (?:
        (?:don[\u2019']?t|do\ not|never|no\ need\ to|you\ needn[\u2019']?t|stop)
          \ (?:(?:even|ever|you|we|to|have)\ ){0,2}
          (?:touch|chang|modif|edit|alter|mess|bother|worry|car(?:e|ing)\b|look|includ|mention
            |break|refactor|rewrit|remov|add|renam|refresh|reformat|fix|updat|mov|delet|review
            |run|bring)
      | without\ (?:touch|chang|modify|edit|alter|mess|break|affect)\w*ing\b
      | (?:leave|leaving)\b(?!\ (?:a|an|some|me|us|one|blank|space|room)\b)
      | (?:skip|ignore|forget|exclude|excluding|except|apart\ from|other\ than)\b
          (?!\ (?:to|that|how|why|what|if|when)\b)
      | (?:nothing|not)\ (?:about|on|the|that|this|these|those|in|for)\b
      | not\ \w+\ ?[.,;:!]?$
      | no\ (?:\w+\ ){0,2}(?:changes?|edits?|touching|refactoring)\b
      | no\ (?:\w+\ ){1,4}(?:needed|necessary|required)\b
      | (?:lass|lasst|lassen\ sie)\b.{1,80}\b(?:so|ruhe|ist|sind|stehen)\b
      | .{0,80}\bnicht\ (?:an|anfassen|\u00e4ndern|ver\u00e4ndern|anr\u00fchren)\b
      | ohne\b.{1,80}\bzu\ (?:\u00e4ndern|ver\u00e4ndern|ber\u00fchren)
      | (?:ne\ )?(?:touche|change|modifie)[sz]?\ (?:pas|rien)\b
      | sans\ (?:toucher|changer|modifier)\b
      | (?:no|sin)\ (?:toques|cambies|tocar|cambiar)\b
    )"""
KEPT_AS_IT_IS = (
    r"\b(?:keep|keeping|leave|leaving|stays?|remains?)\b.{1,80}"
    r"\b(?:alone|as[ -](?:is|it (?:is|was)|they (?:are|were))|unchanged|untouched"
    r"|out of (?:this|it)|the way (?:it|they))\b"
)
PLACE = (
    r"\b(?:readme|changelog|contributing|docs?|documentation|comments?|doc ?strings?|paragraph"
    r"|section|chapter|headings?|sentence|bullets?(?: list)?|title|caption|footnote|typos?|links?"
    r"|wiki|abschnitt|kapitel|absatz|kommentar|\u00fcberschrift|paragraphe|titre)"
    r"(?: [^\s?]{1,30})?(?= (?:on|about|under|regarding|concerning|called|named|titled"
    r"|\u00fcber|zu|zum|zur|sur) )"
)
ELSEWHERE = (
    r"\b(?:in|from|of|for|at|on|im|aus|vom)\b (?:\S+ )?"
    r"(?:other|another|different|side|someone else's|ander\w+|autre|otro)\b (?:\S+ )?"
    r"(?:projects?|projekte?n?s?|repos?|repository|repositories|codebases?|projet|proyecto)\b"
)
"""Words about it are about other memories than this project's."""
WORD = re.compile(r"[^\W\d_]{2,}")


class Patterns(NamedTuple):
    """What clauses are told by."""

    clause: re.Pattern[str]
    kept_away: re.Pattern[str]
    kept_as_it_is: re.Pattern[str]
    place: re.Pattern[str]
    elsewhere: re.Pattern[str]


@cache
def patterns() -> Patterns:
    """Compile the patterns, once: neither a server's start nor a prompt has the time for it."""
    texts = (CLAUSE, KEPT_AWAY, KEPT_AS_IT_IS, PLACE, ELSEWHERE)
    return Patterns(*(re.compile(text, re.IGNORECASE) for text in texts))


def sought(prompt: str) -> str:
    """Return the prompt without what it keeps away from; all of it where nothing else is left.

    What is about another project is never asked here, even if that is all.
    """
    if len(prompt) > MOST_CHARS:
        return prompt
    by = patterns()
    every = by.clause.split(BLANKS.sub(" ", prompt))
    clauses = [clause for clause in every if not by.elsewhere.search(clause)]
    if not clauses:
        return ""
    kept = [_without_subject(clause) for clause in clauses if not _is_kept_away(clause)]
    if kept == every:
        return prompt
    rest = "\n".join(kept)
    return rest if _says_something(rest) else "\n".join(clauses)


def _is_kept_away(clause: str) -> bool:
    by = patterns()
    return bool(by.kept_away.match(clause) or by.kept_as_it_is.search(clause))


def _without_subject(clause: str) -> str:
    """Cut the subject of a passage of text: it only says which passage is meant."""
    place = patterns().place.search(clause)
    return clause if place is None or "?" in clause else clause[: place.end()]


def _says_something(text: str) -> bool:
    return any(word.lower() not in STOP_WORDS for word in WORD.findall(text))
