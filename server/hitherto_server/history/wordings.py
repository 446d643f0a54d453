"""The wordings of a rule, a preference or a decision, and those that only look like one."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.core.phrases import any_of

if TYPE_CHECKING:
    import re

    from hitherto_contract.words import Kind


FILLER = any_of(
    r"^(?:ok(?:ay)?|good|great|fine|thanks|thank you|also|and|but|so|please|pls|hey|hi|careful|btw"
    r"|by the way|for the record|fyi|note|important|one more thing|yes|no(?=\s*[,;:.!-])|yeah|nope|right|sure|oh"
    r"|hmm|hm|well|again|just|sorry|(?:small |new )?rule|(?:for|in) (?:the )?future(?=\s*[:,])|as a rule"
    r"|in general|generally|reminder|correction|wait|non|nein|nee|et|und|y|mais|aber|pero|ah|alors|stp"
    r"|s'il te pla[iî]t|bitte|por favor|merci|danke|gracias|ja|oui|s[ií](?=,)|also|übrigens|au fait)\b[\s,:;.!-]*"
)
QUESTION = any_of(
    r"\?\W*$",
    r"^(?:why|what|how|when|where|who|which|is|are|does|did|can|could|would|should|shall|will|has"
    r"|have|was|were|isn't|aren't|doesn't)\b",
    r"^do\s+(?!not\b)",
)
POLITE_RULE = any_of(r"^(?:can|could|would|will) you (?:please )?(?:always|never|from now on)\b")
HEDGE = any_of(
    r"\b(?:maybe|perhaps|probably|possibly|i (?:think|guess|wonder|suppose|believe)|not (?:yet )?(?:sure"
    r"|decided|settled)|undecided|undecided|considering|some ?day|at some point|let me think|eventually"
    r"|let's (?:say|try|see|assume)|suppose|hypothetic\w*|in theory|plan(?:ning)? to|would like to"
    r"|would be (?:nice|good|better|great)|if we|what if|what about|how about|wondering|thinking"
    r"|haven't (?:decided|agreed|settled)|open question|to be decided|tbd|kidding|joking)\b",
    r"\b(?:we|i|you|it|they|one) (?:might|could|may)\b",
)
ONE_OFF = any_of(
    r"\b(?:for now|right now|just this once|this once|this time|for the moment|at the moment"
    r"|temporar\w+|today|tonight|tomorrow|for this (?:one|file|function|test|case|pr|commit|task)"
    r"|in this (?:one|file|function|test|case|pr|commit|method|loop|branch|line|spot)"
    r"|i (?:just|only) (?:need|want)"
    r"|until (?:i|we|you|then|tomorrow|monday|next)|while (?:i|we)(?:'m|'re| am| are))\b"
)
ONCE_FOR_A_REQUEST = any_of(r"\b(?:yet|now|here|there|first|then|this|that|these|those)\b")
"""In a plain request these point at something at hand."""
SAID_BY_OTHERS = any_of(
    r"\baccording to\b",
    r"\b(?:docs?|documentation|readme|guide|rfc|spec|linter|article|book|policy|tutorial|comment"
    r"|ticket|issue|colleague|reviewers?|boss|manager|customer|client|somebody|someone|people|they"
    r"|he|she) (?:says?|said|thinks?|wants?|claims?|suggests?|told|insists?|recommends?|argues?|likes?)\b",
    r"\b(?!we\b|i\b|you\b)[a-z]+ (?:said|says|thinks|claims|suggests|insists|argues|recommends) "
    r"(?:that|we|to|you|i)\b",
)
COMPLAINT = any_of(
    r"\b(?:bug|broken|wrong|annoying|flaky|slow|fail(?:s|ed|ing)?|crash\w*|but|no idea|why|problem"
    r"|weird|strange|hate|down|red|missing|empty|instead it|and it|currently|at present|breaks?|returns? none)\b"
)
DANGLING = any_of(
    r"\b(?:always|never|prefer|ever|again|use|do|keep|with|on|to)\s+(?:that|this|it|those|these|them|so)\W*$",
    r"^(?:always|never|(?:do not|don't)(?: ever)?)\s+\w+\s+(?:that|this|it|those|these|them)(?:\s+again)?\W*$",
)
RETRACTS = any_of(
    r"\b(?:on second thought|scratch that|scrap that|forget (?:that|what i said|it)|changed my mind"
    r"|go(?:ing)? back to|went back to|undo (?:that|this|it|the)|revert (?:that|this|it|the)|roll (?:that|this|it)"
    r" back|put it back|not the right (?:fix|way)|papers? over|that's not (?:a|the) fix|wrong fix"
    r"|let's not|back out)\b",
    r"\bactually,? (?:no|don't|keep|stay|let's)\b",
    r"^(?:no|nope|hmm)?,?\s*never ?mind\b",
)

VERB = (
    r"(?!(?:mind|true|false|on|off|up|so|the|a|an|been|again|works?|had|saw|seen|heard|thought|knew|got|was|were|did"
    r"|went|felt|met|good|great|nice|happy|glad|fun|sure|possible|easy|hard|more|worse|better|too|very)\b"
    r"|(?!bring|ping|string)\w{2,}ing\b|(?!embed|need|seed|feed|shed|speed|proceed|exceed|succeed)\w+ed\b)"
    r"[a-z][a-z-]*(?<![^s]s)\b"
)
"""An imperative's word: no third person (`always fails`), no past, no noun with an article."""
DONT = (
    r"(?:do not|don't|dont)(?=\s+(?:ever\s+)?(?!(?:be|worry|forget|hesitate|bother|know|think|mind|see|understand"
    r"|want|like|need|have|care|panic|remember|quit|give up)\b))"
)
TEAM = r"(?:we|our team|the team|this (?:project|repo|repository|codebase|team|company))"
DOES = (
    r"(?:use|commit|push|deploy|merge|write|put|run|mock|store|log|ship|release|support|do|name|call"
    r"|keep|import|add|touch|edit|format|squash|rebase|allow|catch|throw|return|raise|test|version|tag"
    r"|pin|review|document|validate|cache|expose|send|sign|encrypt|hash|go|start|build|generate)"
)
INSTEAD = r"(?:instead of|rather than|, not\b|and not\b)"
VAGUE = (
    r"(?:options?|that|this|it|those|these|yours?|plan|approach|number|variant|the (?:first|second|third"
    r"|last|latter|former|other|next|same|above)|#?\d|[a-c]\b|what)"
)
EVERYWHERE = (
    r"(?:ever\b|again\b|anywhere|in (?:this|the|our) (?:repo|repository|project|codebase"
    r"|team|company)|in (?:tests?|production|prod|ci|code|commits?)\b|directly|by hand|manually|without\b"
    r"|unless\b|instead\b|[;,] (?:use|always|go|call|run|open|put|ask)\b|\beven\b|to (?:main|master)\b"
    r"|on (?:main|master|fridays?)\b)"
)
BECAUSE = r"(?:because|since|due to|so that|otherwise|as the|as our)"
MEANT = (
    r"(?!(?:end|forget|know|see|have|need|run into|get|hear|notice|think|lose|miss|wait|fail|hit|struggle"
    r"|find|end up|talked?|figured?|managed?|remember|understand|agree|come|came|want)\b)"
)
"""Not what happens to people, as against what they do on purpose."""
NAMED = (
    r"(?!it\b|this\b|that\b|there\b|he\b|she\b|they\b|i\b|you\b|we\b|what\b)"
    r"(?:[\w`./-]+ ){1,6}?(?<!it )(?<!this )(?<!that )"
)
"""What a sentence is about, by name."""
MEND = r"(?:fix|repair|mend|solve|debug|look|check|investigate|find)\b"
"""What is asked for once, where a fault was told."""
HERE = (
    r"(?:\bin (?:this|the|our) (?:repo|repository|project|codebase|team|company|app|api)\b|\bwith us\b"
    r"|\bby convention\b|\bno exceptions?\b|\bwithout exception\b|\bon purpose\b|, (?:never|not|only)\b)"
)
ALWAYS_TIMES = r"(?:every time|each time|all the time|any ?more|ever again|in general|generally)"
NOT_RULED = (
    r"(?:luck|changes?|differences?|outputs?|errors?|problems?|idea|effect|results?|issues?|success|way|one|need"
    r"|worries|hurry|rush|matter|longer|clue|chance|wonder|doubt|reason|news|answer|response|warnings?|thanks)"
)
"""What there may be none of without anybody's ruling it."""
LITERAL = r"(?:`[^`]+`|v?\d[\w.]*|(?-i:[A-Z][A-Z0-9_-]{2,}))"

RULES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("decision", any_of(r"^(?:decision|decided|agreed|settled)(?: then)?\s*[:\u2013-]\s*\w+")),
    ("preference", any_of(rf"^(?:always|never(?: ever)?)\s+(?:\w+ly\s+)?{VERB}")),
    ("preference", any_of(rf"^(?:can|could|would|will) you (?:please )?(?:always|never)\s+{VERB}")),
    (
        "preference",
        any_of(
            r"\b(?:from now on|going forward|from here on|in (?:the )?future),?\s+(?!i\b|i'll|he\b|she\b)\w+"
        ),
    ),
    ("preference", any_of(rf"^{DONT}\s+(?:ever\s+)?{VERB}.*{EVERYWHERE}")),
    ("preference", any_of(rf"^{DONT}\s+ever\s+{VERB}")),
    ("preference", any_of(rf"\b{TEAM} (?:always|never|only(?: ever)?)\s+{DOES}\b")),
    ("preference", any_of(rf"\bwe (?:always|never|only ever)\s+{MEANT}{VERB}")),
    ("preference", any_of(r"^(?:for|in|on) [^:.]{2,50}:\s*(?:always|never)\s+\w+")),
    (
        "preference",
        any_of(
            rf"^{NAMED}(?:is|are|stays?|comes?|goes?|go|lives?|belongs?)\s+(?:always|never|only)\s"
            rf".{{2,120}}?{HERE}",
            rf"^{NAMED}(?:always|never|only)\s+(?:comes?|goes?|go|lives?|belongs?|stays?|uses?|gets?)\s"
            rf".{{2,120}}?{HERE}",
        ),
    ),
    (
        "preference",
        any_of(
            rf"^no (?:more |new )?(?!{NOT_RULED}\b)[\w-]+(?: [\w-]+)?(?: [\w-]+)? (?:without (?:\w+ing\b|an?\b|my\b)"
            rf"|unless|outside(?: of)?|except)\s?\w*",
            rf"^(?:no (?!{NOT_RULED}\b)[\w-]+|stop \w+ing\b).*\b(?:ever|please)?\W*"
            rf"(?:{ALWAYS_TIMES}|{HERE})\W*",
        ),
    ),
    (
        "fact",
        any_of(
            rf"^{NAMED}.{{2,100}}?, so (?:no (?!{NOT_RULED}\b)|never\b|always\b|only ever\b)",
            rf"^{NAMED}(?:is|are|has|have|uses?|lives?|goes?|go|belongs?)\s.{{2,80}}?, never (?!\w+ed\b)\w+",
        ),
    ),
    (
        "preference",
        any_of(
            rf"^[a-z-]+(?: [a-z-]+)?(?<!thi)(?<!it)s (?:must|have to|need to|should)\b.{{3,120}}?(?:\b{BECAUSE}\b|{HERE}|\banywhere\b)",
            rf"^(?:please )?{VERB}.*\b(?:in everything|(?:in general|generally)(?=\W*$|,)|today and in (?:the )?future"
            r"|for all (?:of )?(?:my|our|your) \w+|in all (?:my|our|your) \w+|not (?:only|just) (?:in |for )?(?:this|here))\b",
            rf"^(?:whenever|every time|each time|any ?time) (?:you|we)\b[^,]+, (?:please |also |then )?(?!it\b|this\b|that\b|{MEND}){VERB}(?! (?:it|this|that)\b)",
            r"^i (?:can't stand|hate it when|don't (?:ever )?want you to|always want)\b.{3,}",
        ),
    ),
    ("decision", any_of(rf"\bwe {MEANT}{VERB}\s.{{2,60}}?{HERE}")),
    (
        "preference",
        any_of(
            rf"^ask (?:me )?before (?:you )?{VERB}", rf"^{VERB}.*\bwithout asking(?: me)? first\b"
        ),
    ),
    (
        "fact",
        any_of(
            rf"^{NAMED}(?:is|are|stays?(?: at)?) (?!not\b){LITERAL}.{{0,60}}?\b(?:because|due to|so that|otherwise)\b"
        ),
    ),
    (
        "preference",
        any_of(
            r"^(?!it\b|this\b|that\b|there\b|he\b|she\b|they\b|i\b)[\w`./\"' -]{2,60}?"
            r"(?<!\bit )(?<!\bthis )(?<!\bthat )(?<!\bthey )\b(?:must|should|may) (?:always|never|not ever|only ever)\b"
        ),
    ),
    (
        "preference",
        any_of(
            r"^(?:all|every|each|no)\s[\w`./' -]{2,50}?\b(?:must|should|needs? to|has to|have to|may)\s\w+"
        ),
    ),
    (
        "preference",
        any_of(
            rf"^i (?:strongly |really |generally |usually |always |much )*prefer\s+(?!{VAGUE})\w+"
        ),
    ),
    (
        "preference",
        any_of(r"^i(?:'d)? (?:always |really )?(?:want|like|expect) you to (?:always|never)\b"),
    ),
    (
        "preference",
        any_of(
            rf"^(?:avoid|prefer)\s+(?!{VAGUE})[\w`]+.*\b(?:in|for|over|to|with|when|unless|across)\b"
        ),
    ),
    (
        "preference",
        any_of(
            rf"^(?:use|write|run|import|name)\s+(?!an?\b|the\b|my\b|your\b|{VAGUE}).{{2,60}}?{INSTEAD}"
        ),
    ),
    (
        "decision",
        any_of(
            rf"\b{TEAM}(?:'re| are)? (?:use|uses|using|run|write|prefer|went with|go with|chose|picked|keep)\b"
            rf"(?! {VAGUE}).{{2,80}}?(?:instead of|rather than|, not\b|and not\b)"
        ),
    ),
    (
        "decision",
        any_of(
            rf"\b(?:we|the team|everybody|everyone)(?:'ve| have| had| all)?\s+(?:just |finally |already |now )*"
            r"(?:(?:decided|agreed|settled|chose|chosen|opted|standardi[sz]ed)"
            r" (?:to|on|for|against|with|that|not)"
            r"|(?:switched|moved|migrated) (?:to|from|away))\s+"
            rf"(?!{VAGUE})[\w`]+"
        ),
    ),
    (
        "decision",
        any_of(
            rf"\blet's (?:go with|stick (?:with|to)|switch to|standardi[sz]e on|settle on|move to)\s+(?!{VAGUE})[\w`]+"
        ),
    ),
    (
        "decision",
        any_of(
            rf"\blet's (?:use|keep)\s+(?!an?\b|the\b|{VAGUE}).{{2,60}}?(?:instead of|rather than|, not\b|everywhere|for all)"
        ),
    ),
    (
        "decision",
        any_of(
            rf"\bwe (?:only )?(?:keep|pin|cap|limit|avoid|skip|disable|leave|set|{DOES})\b.{{3,120}}?\b{BECAUSE}\b"
        ),
    ),
    (
        "decision",
        any_of(
            rf"\bwe (?:don't|do not|no longer|stopped)\s+{DOES[:-1]}|using|supporting|shipping)\b.{{2,80}}?"
            r"(?:\bhere\b|in (?:this|our)|any ?more|at all|, (?:all|use|every|it|they|only))"
        ),
    ),
    ("fact", any_of(r"^(?:remember|keep in mind|bear in mind)(?:\s+that\b|\s*[:,])\s*\w+")),
    ("fact", any_of(r"^for future reference[:,]?\s*\w+")),
)
STANDING = any_of(r"\b(?:always|never|from now on|going forward|ever|must|remember|keep in mind)\b")
"""Said of what is to come: then words that point at something at hand matter less."""
DESCRIBES = any_of(
    rf"\b{TEAM} (?:always|never|only ever)\b", r"\b(?:must|should|may) (?:always|never)\b"
)
"""May describe a fault as well as a rule."""
CONCLUDES = any_of(r", so (?:no|never|always)\b", r", never\b")
"""May draw a consequence of a fault, too."""
REQUEST = any_of(r"^(?:do not|don't|dont|avoid|prefer|use|write|run|import|name|let's)\b")
"""May ask for something now; what is said of the team or decided does not."""
CORRECTS = any_of(
    r"^(?:hm+,? )?(?:no|nope|nein|non|stop|wait|please not like this|not like this)\W*$"
)
"""A sentence that only says that what was done is wrong."""
CORRECTION = any_of(
    rf"^we (?:only |always )?{DOES}\s+(?!{VAGUE})\w+",
    rf"^(?:no|nope|stop|wait)[,;:!-]\s*(?:please )?we (?:only |always )?{DOES}\s+(?!{VAGUE})\w+",
)
KEEPS_WHAT_WAS_SAID = any_of(
    r"\b(?:this|that|it|these|those) (?:must|should|may|can)(?:n't| not| never)(?: ever)? (?:change|be changed|break)",
    r"\b(?:this|that|these|those|it)(?:'s| is| are)\s+(?:our|a|the|an)\s+(?:\w+ )?"
    r"(?:rule|convention|policy|standard|agreement|(?:product|team|design|architecture) decision)s?\b",
    r"\b(?:that|this|it)(?:'s| is) how we (?:do|want|have|handle|keep|write)\b.*(?:here|everywhere|it|this|that)\W*$",
    r"^(?:keep|stick) to (?:that|this|it)\b.*\b(?:every|all|always|everywhere|from now on)\b",
    r"\b(?:so(?: et)?was|das|so)\b.*\bbei uns\b.*\b(?:immer|nie|überall|grundsätzlich|so)\b",
    r"\bdas ist (?:bei uns )?(?:eine |unsere |die |so )?(?:\w+)?(?:regel|konvention|vorgabe|entscheidung|abgemacht)\b",
    r"\bc'est (?:une|la|notre) (?:r[èe]gle|convention|d[ée]cision|norme)\b",
    r"\bes (?:una|la|nuestra) (?:regla|convenci[óo]n|decisi[óo]n|norma)\b",
)
"""Says of the sentence before that it is to last."""
REASON = any_of(r"^(?:because|otherwise|the reason|that way|reason:|since|the old ones?)\b")
