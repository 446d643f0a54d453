"""What of a prompt are the person's own words: no client text, no quotes, nothing pasted."""

from __future__ import annotations

import re

from hitherto_server.sessions.injected import FRAMED, LINE_OF_OURS
from hitherto_server.sessions.prompt.silence import silent_because

END_OF_OURS = re.compile(r"\A.*</hitherto-[a-z-]+>", re.DOTALL)
"""The end of a block of ours whose beginning was not pasted with it."""
FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
QUOTATION = re.compile(
    r"[\"\u201c\u201e](?=[^\"\u201c\u201d\n]*\s[^\"\u201c\u201d\n]*\s)[^\"\u201c\u201d\n]{8,}[\"\u201d]"
    r"|\u00ab(?=[^\u00bb\n]*\S\s+\S+\s+\S)[^\u00bb\n]{8,}\u00bb"
)
"""Three words or more between quotation marks: somebody else's, or a text to be written."""
CLIENT_TEXT = re.compile(
    r"^\s*(?:This session is being continued from a previous|Caveat: The messages below"
    r"|\[Request interrupted|(?:Stop|SubagentStop) hook feedback:"
    r"|<(?:command|local-command|bash|task|teammate|agent|mailbox)[_-])"
)
"""Begins a message of which nothing was typed as a prompt."""
INTRODUCES = re.compile(
    r"\b(?:summari[sz]e|translate|review|explain|answer|reply|respond|here(?:'s| is| are)|convert"
    r"|rewrite|proofread|paste[ds]?|log|logs|output|trace|traceback|error|readme|docs?|document"
    r"|documentation|guide|issue|ticket|e-?mail|message|comments?|says?|said|wrote|text|snippet"
    r"|spec|article|thread|slack|chat|transcript|policy|quote|feedback|remarks?|posted|sent"
    r"|schrieb|schreibt|meinte?|kommentar|antworte|übersetze?|fasse|écrit|commentaire|réponds"
    r"|traduis|escribi[óo]|comentario|responde|traduce)\b",
    re.IGNORECASE,
)
POINTS_AT = re.compile(
    r"\b(?:this|these|below|the following|das|dies\w*|folgende\w*|ceci|suivante?s?|esto"
    r"|siguientes?)\b",
    re.IGNORECASE,
)
NO_PROSE = re.compile(
    r"^\s*(?:at\s+\S+\(|File \"|\$\s|[+|$%#]\s?|\d{4}-\d\d-\d\d|\[?\w*(?:ERROR|WARN|INFO|DEBUG)\b"
    r"|import\s|from\s+\S+\s+import\b|def\s|class\s|function\s|const\s|var\s|let\s+\w+\s*=|return\b"
    r"|SELECT\s|INSERT\s|[{}();]+\s*$)"
)
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)[\"')]*\s+|\n+")
ITEM = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)]|\[[ x]\])\s+")
NOT_SAID = frozenset({"system text", "slash command"})
LONG = 3000
KEPT_ENDS = 1200


def own_words(prompt: str) -> str:
    """Return what the person wrote themselves; empty for a command or the client's text."""
    text = LINE_OF_OURS.sub("", END_OF_OURS.sub("", FRAMED.sub("\n", prompt)))
    if CLIENT_TEXT.match(prompt) or silent_because(text[:500]) in NOT_SAID:
        return ""
    text = FENCED.sub("\n", text)
    text = QUOTED_LINE.sub("", text)
    lines = _unpasted(text.splitlines())
    text = "\n".join(line for line in lines if not NO_PROSE.match(line)).strip()
    return text if len(text) <= LONG else _ends(text)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each line of a list by itself."""
    pieces = (ITEM.sub("", piece).strip() for piece in SENTENCE_END.split(text))
    return [piece for piece in pieces if piece]


def unquoted(sentence: str) -> str:
    """Return a sentence without what it quotes."""
    return QUOTATION.sub(" ", sentence)


def _unpasted(lines: list[str]) -> list[str]:
    """Return the lines up to the first that announces somebody else's text."""
    for number, line in enumerate(lines):
        leads_on = line.rstrip().endswith((":", "?")) or POINTS_AT.search(line)
        if (
            leads_on
            and INTRODUCES.search(line)
            and any(rest.strip() for rest in lines[number + 1 :])
        ):
            return lines[:number]
    return lines


def _ends(text: str) -> str:
    """Return whole lines of both ends of a long text: its middle was hardly typed."""
    head, tail = text[:KEPT_ENDS], text[-KEPT_ENDS:]
    return f"{head.rpartition(chr(10))[0]}\n{tail.partition(chr(10))[2]}"
