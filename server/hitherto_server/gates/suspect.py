"""Text that addresses an agent or hides something: kept, marked, and never injected unasked."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from functools import cache

from hitherto_server.core.text import HIDDEN, JOINER

READER = r"(?:ai|llm|language\s+model|assistant|agent|model|claude|chatgpt|gpt|copilot|bot)s?"
PERSON = r"(?:the\s+|your\s+|any\s+)?(?:user|human|operator|person|owner|developer)s?"
# What is asked of a reader, by the words without one of which the pattern cannot match.
ASKED: tuple[tuple[tuple[str, ...], str], ...] = (
    (  # to leave behind what it was told
        (
            "ignor",
            "disregard",
            "forget",
            "overrid",
            "follow",
            "vergiss",
            "missachte",
            "ou",
            "olvida",
        ),
        r"""
          \b(?:ignore|disregard|forget|override|stop\s+following|do\s+not\s+follow|don't\s+follow)\s+
          (?:(?:all|any|every|everything|the|your|these|those|of|my|other)\s+){0,4}
          (?:previous|prior|above|earlier|preceding|existing|original|system|safety|former)\s+
          (?:system\s+)?
          (?:instructions?|prompts?|rules|messages|guidelines|directives|context|commands)
        | \b(?:ignore|disregard|forget)\s+(?:everything|all|what)\s+(?:you|that\s+you)\s+
          (?:were|was|have\s+been|know|learned)
        | \b(?:ignorier\w*|vergiss|missachte)\s+(?:alle\s+|die\s+|deine\s+)*
          (?:vorherigen|bisherigen|obigen|fr\u00fcheren)\s+(?:anweisungen|regeln|befehle)
        | \b(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes?\s+)?(?:les|tes|vos)\s+
          (?:instructions|consignes|r\u00e8gles)\s+(?:pr\u00e9c\u00e9dentes|ant\u00e9rieures)
        | \b(?:ignora|olvida|ignore)\s+(?:todas?\s+)?(?:las|tus)\s+
          (?:instrucciones|reglas)\s+(?:anteriores|previas)
        """,
    ),
    (  # to be somebody else
        ("you are now", "act as", "behave as", "respond as", "answer as", "pretend", "from now on"),
        rf"""
          \byou\s+are\s+now\s+(?:a|an|in|dan\b|free|unrestricted|root)\b
        | \b(?:act|behave|respond|answer)\s+as\s+
          (?:if\s+you\s+(?:are|were)|an?\s+unrestricted|dan\b)
        | \bpretend\s+(?:to\s+be|that\s+you|you\s+are)\s+(?:an?\s+)?
          (?:{READER}|root|admin|unrestricted|have)
        | \bfrom\s+now\s+on,?\s+you\s+(?:are|will|shall)\b
        """,
    ),
    (  # because of what it is
        (" ai ", "llm", "language model", "if you", "mode"),
        rf"""
          \bas\s+an?\s+(?:ai|llm|large\s+language|language)\s+(?:model|assistant|agent)?,?\s*
          you\s+(?:must|should|have|are|will|can)
        | \bif\s+you\s+(?:are|'re)\s+an?\s+{READER}\b
        | \b(?:ai|llm)\s+(?:agents?|assistants?|models?)\s+(?:reading|processing|seeing)\s+this\b
        | \b(?:jailbreak\s+mode|developer\s+mode\s+is\s+(?:on|active)\s+for\s+you)\b
        """,
    ),
    (  # spoken to by name
        ("note", "message", "attention", "instruction", "hey", "dear", "warning"),
        rf"""
          (?:^|[\n.!*\#>]\s*)(?:important\s+)?
          (?:note|message|attention|instructions?|hey|dear|warning)
          \s*(?:to|for|,)?\s*(?:the\s+|all\s+|any\s+)?{READER}
          (?:\s+(?:agents?|assistants?|models?))?\s*(?:[:!]|\s+reading\s+this)
        """,
    ),
    (  # with authority that it does not have
        ("system", "overrid", "supersede", "replace", "preceden", "priority", "your", "bypass"),
        r"""
          \b(?:new|updated|revised|real|actual)\s+system\s+prompt\b
        | \b(?:these|this|the\s+following)\s+(?:instructions?|message|rules?)\s+
          (?:override|supersede|take\s+precedence|has\s+priority|have\s+priority)
        | \b(?:bypass|disable|override|turn\s+off)\s+your\s+(?:\w+\s+)?
          (?:safety|safeguards|guardrails|restrictions|guidelines|filters?|rules|permissions?)
        | \b(?:reveal|print|repeat|output|show|leak|paste)\b.{0,30}\byour\s+
          (?:hidden\s+|initial\s+|full\s+)?system\s+(?:prompt|message|instructions)
        """,
    ),
    (  # behind the person's back
        ("do not", "don't", "never", "must not", "without", "keep", "hide"),
        rf"""
          \b(?:do\s+not|don't|never|must\s+not)\s+(?:tell|inform|notify|alert|warn)\s+{PERSON}\s+
          (?:about\s+|of\s+|that\s+)?(?:this|these|it\b|you\b|your|what\s+you|anything|any\s+of)
        | \b(?:do\s+not|don't|never|must\s+not)\s+(?:mention|reveal|disclose|show|report|admit)\s+
          (?:any\s+of\s+)?(?:this|these(?:\s+instructions)?|it)\s+(?:to\s+)?{PERSON}
        | \b(?:do\s+not|don't|never)\s+let\s+{PERSON}\s+(?:know|notice|find\s+out|see\s+this)
        | \bwithout\s+(?:telling|informing|notifying|alerting)\s+{PERSON}
        | \b(?:keep|hide)\s+(?:this|these|it)\s+(?:secret|hidden|confidential)?\s*from\s+{PERSON}
        """,
    ),
    (  # to carry something out, or to run something at once
        ("send", "post", "upload", "forward", "exfiltrate", "email", "copy", "run", "execute"),
        r"""
          \b(?:send|post|upload|forward|exfiltrate|email|copy)\b.{0,40}(?<!\w)
          (?:\.env|ssh\s+keys?|private\s+keys?|environment\s+variables|chat\s+history|conversation
            |system\s+prompt|(?:all|your|the\s+user'?s)\s+(?:secrets|credentials|passwords|memories))
          .{0,40}\bto\s+(?:https?://|[\w.+-]+@|this\s+(?:address|url|server))
        | \b(?:run|execute)\s+(?:the\s+following|this)\s+(?:command|code|script)\b.{0,40}
          \b(?:immediately|silently|at\s+once|before\s+(?:answering|you))\b
        """,
    ),
    (  # dressed as the client's own words
        ("<", "[", "system", "assistant"),
        r"""
          <\s*/?\s*(?:system|assistant|system-reminder|system_prompt|human_turn
            |function_calls|function_results|tool_calls?|tool_results?|antml:\w+)\b[^>\n/]{0,80}>
        | <\s*invoke\s+name\s*=
        | <\|(?:im_start|im_end|system|assistant|user|endoftext|eot_id|start_header_id)\|>
        | \[/?INST\]|<</?SYS>>
        | (?:^|\n)\s*(?:\#{1,4}\s*)?(?:system|assistant)\s*:\s*
          (?:you\s+(?:are|must|will)|ignore|from\s+now|new\s+instructions|approved|sure,)
        """,
    ),
)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.VERBOSE | re.IGNORECASE)


HIDES = re.compile(f"[{HIDDEN}]")
# What a page or a renderer does not show; a marker of a tool (`<!-- prettier-ignore -->`) is short.
COMMENT = re.compile(
    r"<!--(.*?)(?:-->|\Z)|^\[(?://|comment)\]:\s?#\s?\(((?:(?!^\[(?://|comm)).)*?)\)\s*$",
    re.DOTALL | re.MULTILINE,
)
LEAST_COMMENT_WORDS = 5
ENCODED = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{32,2000}={0,2}(?![\w+/=-])")
MOST_ENCODED = 20


def is_suspect(content: str) -> bool:
    """Tell whether a text speaks to an agent or hides something from a person."""
    if HIDES.search(content.replace(JOINER, "")):
        return True
    read = unicodedata.normalize("NFKC", content.replace(JOINER, "").replace("\u2019", "'"))
    read = _narrowed(read)
    return addresses_agent(read) or _has_comment(read) or _has_encoded(read)


def _narrowed(text: str) -> str:
    """Return a text with one blank, or one line's end, for each gap: patterns try every width."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def addresses_agent(text: str) -> bool:
    """Tell whether a text is written to whoever reads memories for a person."""
    lowered = f" {text.lower()} ".replace("\n", " ")
    return any(
        _pattern(source).search(text) is not None
        for words, source in ASKED
        if any(word in lowered for word in words)
    )


def _has_comment(text: str) -> bool:
    hidden = (found[1] or found[2] or "" for found in COMMENT.finditer(text))
    return any(len(comment.split()) >= LEAST_COMMENT_WORDS for comment in hidden)


def _has_encoded(text: str) -> bool:
    """Tell whether base64 in the text addresses an agent once it is read."""
    found = [
        match[0] for _, match in zip(range(MOST_ENCODED), ENCODED.finditer(text), strict=False)
    ]
    return any(addresses_agent(_decoded(one)) for one in found)


def _decoded(text: str) -> str:
    padded = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _narrowed(base64.b64decode(padded + "=" * (-len(padded) % 4)).decode("utf-8"))
    except (binascii.Error, ValueError):
        return ""
