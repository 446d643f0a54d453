"""The rule for digests: what of a session is passing by, and which words tell what the rest is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.recall.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.judge.surfaces.compact_digest import Label, Message

WORD = re.compile(r"[^\W_][\w'.-]*")
FEWEST_WORDS = 3

ASKS = re.compile(r"\?\s*$")
MUSES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|hm+|well|yes|no|and|so|but|actually|oh|ah|great|nice|cool|interesting)\b"
    r"[\s,.!:-]*)*(?:"
    r"i\b(?!'d like|'ll need| want| need| keep getting)"
    r"|(?:let me|what if|what about|never ?mind|you (?:choose|decide|pick)|your (?:choice|call))\b"
    r"|let's (?:see|go|look|try|wait|hope|move on|continue|start)\b"
    r"|(?:go (?:ahead|on)|carry on|continue|thank(?:s| you)|sorry|whichever|whatever)\b"
    r"|(?:should|could|would|might|may) (?:we|be|it|that|have)\b"
    r"|(?:must|should) be\b|(?:looks|sounds|seems)\b"
    r")",
    re.IGNORECASE,
)
"""Of a person: thinks aloud, waves through, or speaks of themselves."""
LOOSE = re.compile(
    r"\b(?:whatever you (?:like|want|think)|whichever|i don't (?:care|mind)|you (?:choose|decide)"
    r"|up to you|for now|just (?:thinking|asking|curious|wondering)|thinking aloud|i only ask"
    r"|i (?:guess|suppose)|let's see|we'll see|funny|haha?|no hurry|by the way)\b",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|good|great|right|now|then|next|also|and|so|please|first|finally|again"
    r"|after that|once more)\b[\s,.!:;-]*)*"
    r"(?:(?:can|could|would|will) you (?:please |now |also )?"
    r"|i(?:'d like| would like|'ll need| want| need) (?:you )?to |let's"
    r" |(?:we|you) (?:need|have) to )?"
    r"(?:(?:re)?(?:add|adapt|adjust|align|analy[sz]e|append|apply|arrange|build|bump|change|check|clean"
    r"|commit|compare|configure|connect|convert|copy|count|cover|create|debug|delete|deploy|describe"
    r"|design|document|draft|drop|explain|export|extend|extract|factor|find|finish|fix|format|generate"
    r"|get|give|handle|hook|implement|import|improve|include|inline|insert|install|introduce"
    r"|investigate|list|load|log|look|make|measure|mend|merge|migrate|mock|move|name|open|optimi[sz]e"
    r"|parse|patch|plan|polish|port|print|profile|publish|push|put|read|refactor|release|remove|rename"
    r"|repair|replace|reproduce|resolve|restore|review|rework|run|see|send|set up|show|simplify"
    r"|solve|sort|speed|split|start|store|summari[sz]e|support|swap|sync|tell|test|tidy|trace|translate"
    r"|try|tune|turn|unify|update|upgrade|validate|verify|wire|wrap|write))\b",
    re.IGNORECASE,
)
"""Of a person: asks for work to be done, and settles nothing by that."""
SETTLES = re.compile(
    r"\b(?:not?|never|none|\w+n't|only|always|instead|rather|must|should|shall|without|keep|stays?"
    r"|leave|except|unless|but|at (?:most|least)|until|everywhere|nowhere|from now on|so that"
    r"|because|since|as (?:a|an|the) \w+|(?:over|of|than) \d)\b|\b(?:to|at|by|with) \S*\d",
    re.IGNORECASE,
)
"""In a request: how it is to be done, or what is not."""
OPEN = re.compile(
    r"\b(?:still|not (?:yet|done|handled|finished|covered|tested)|open|left(?: to do|:| over)?"
    r"|remain(?:s|ing)?|stuck|blocked|unclear|unsure|haven't|hasn't|todo|later:"
    r"|to be (?:done|solved|settled)|so far|next thing|needs? (?:a decision|to be)"
    r"|waiting for|pending|don't know)\b",
    re.IGNORECASE,
)
FOUND = re.compile(
    r"\b(?:because|since|cause[sd]?|reason|root|due to|turns out|so that|which is why"
    r"|that is (?:how|why)|instead of|whenever|each time|every time|only (?:when|if|for|because)"
    r"|as soon as|unless|until|of (?:which|that|them)|happens|can't|cannot|doesn't|isn't|aren't"
    r"|never|nothing|nobody|silently|refuses?|fails?|wrong|missing|lost|undefined|reproduced|measured)\b|[;:]",
    re.IGNORECASE,
)
DOES = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|good|sure|yes|understood|great|fine|right)\b[\s,.!:;-]*)*(?:"
    r"i(?:'m|'ll|'d|'ve| am| will| would| can| could| see| have| had)?\b"
    r"|(?:let me|here(?:'s| is| are)|done|next|now|going on|fixed|added|changed|moved|removed"
    r"|replaced|updated|renamed|dropped|translated|ported|finished|all)\b)",
    re.IGNORECASE,
)
"""Of an agent: tells what it does or did."""
DID = re.compile(
    r"\bi(?:'m|'ll|'ve|'d| am| will| can| have| would)?\s+(?:\w+ly |now |then |just )?(?:\w+ed"
    r"|\w+ing|ran|wrote|made|put"
    r"|took|read|looked|went|do|run|start|begin|look|list|check|take|tell|show|make|write|go)\b"
    r"|\bshall i\b|\bas you (?:said|wanted|asked)\b"
    r"|\b(?:is|are) (?:in|there|done|green|gone|fine) ?(?:now|,|\.)",
    re.IGNORECASE,
)
SUPPOSES = re.compile(
    r"\b(?:would|could|might) (?:likely |probably |perhaps )?(?:be|do|work|help)\b"
)


def labels_by_rule(messages: Sequence[Message]) -> list[Label | None]:
    """Return each message's label; None for what is left out."""
    first = next((at for at, one in enumerate(messages) if one.role == "person"), None)
    return [
        "goal"
        if at == first
        else _of_person(one.text)
        if one.role == "person"
        else _of_agent(one.text)
        for at, one in enumerate(messages)
    ]


def _of_person(text: str) -> Label | None:
    """A person's words count unless they pass by: most people write no more than they must."""
    kept = [one for one in sentences_of(text) if not _passes_by(one)]
    if sum(len(WORD.findall(one)) for one in kept) < FEWEST_WORDS:
        return None
    said = " ".join(kept)
    if OPEN.search(said):
        return "open"
    return "request" if all(map(_only_asks, kept)) else "decision"


def _only_asks(sentence: str) -> bool:
    return bool(REQUEST.search(sentence)) and not SETTLES.search(sentence)


def _passes_by(sentence: str) -> bool:
    return bool(ASKS.search(sentence) or MUSES.search(sentence) or LOOSE.search(sentence))


def _of_agent(text: str) -> Label | None:
    """An agent's words count where they say what is the case, and not what it does."""
    said = [one for one in sentences_of(text) if not ASKS.search(one)]
    opening = said[0] if said else ""
    if any(OPEN.search(one) and not DOES.search(one) for one in said):
        return "open"
    if not said or DOES.search(opening) or any(DID.search(one) for one in said):
        return None
    if SUPPOSES.search(text):
        return None
    return "finding" if FOUND.search(text) else None
