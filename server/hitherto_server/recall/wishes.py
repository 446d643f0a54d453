"""What kind of wish a prompt is: a question, or only a change of how something is written."""

from __future__ import annotations

import re
from functools import cache

MOST_CHARS = 1500
HOUSEKEEPING = r"""(?x)\b(?:
        typos? | misspel\w* | (?:mis)?spelling | spell[ ]?check | grammar | wording | reword\w*
      | rephrase | punctuation | white[ ]?space | indent\w* | re-?order | reformat | formatting
      | prettier | gofmt | rustfmt | clang-format | copyright | licen[sc]e[ ]year | capitali[sz]\w*
      | (?:lower|upper)[ ]?case | rename | commit[ ]message | squash | rebase
      | headings? | (?:broken|dead)[ ]links? | doc[ ]?strings? | js?docs? | comments?
      | readme | changelog | contributing
      | (?:sort|tidy|order|group|unused|optimi[sz]e|clean[ ]up)\b.{0,40}\bimports?
      | imports?\b.{0,40}\b(?:sort|tidy|order|group|unused)\w*
      | sort\b.{0,60}\b(?:entries|keys|lines|alphabetic\w*)
      | tippfehler | rechtschreibung | umbenennen | benenne | einr\u00fcckung | kommentare?
      | \u00fcberschrift | renomm\w+ | faute[ ]de[ ]frappe | renombra\w*
    )\b"""


@cache
def pattern() -> re.Pattern[str]:
    """Compile the words at the first prompt: the server's start has no time for them."""
    return re.compile(HOUSEKEEPING, re.IGNORECASE)


QUESTION = (
    r"\s*(?:(?:so|and|but|ok|hm+|hey|und|aber)\b,?\s+){0,2}"
    r"(?:who|whose|what|why|how|when|where|which|should|does|is|are|was|were|(?:can|may|do|must)\s+(?:i|we)"
    r"|wer|was|warum|wieso|weshalb|wie|wann|wo|welche[rsnm]?|darf|soll|kann\s+(?:ich|man)"
    r"|qui|que|quoi|pourquoi|comment|quand|o\u00f9|quel\w*|por\s+qu\u00e9|c\u00f3mo|cu\u00e1ndo|d\u00f3nde)\b"
)


@cache
def question() -> re.Pattern[str]:
    """Compile how questions begin that end without their mark."""
    return re.compile(QUESTION, re.IGNORECASE)


def is_question(prompt: str) -> bool:
    """Tell whether a prompt asks something; busy people leave the mark out."""
    return "?" in prompt or "\uff1f" in prompt or question().match(prompt) is not None


def is_housekeeping(prompt: str) -> bool:
    """Tell whether a prompt seems to need no knowledge of the project; a question always may."""
    head = prompt[:MOST_CHARS]
    return "?" not in head and pattern().search(head) is not None
