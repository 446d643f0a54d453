"""Prompts that change how something is written or called, not what it does."""

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


def is_housekeeping(prompt: str) -> bool:
    """Tell whether a prompt seems to need no knowledge of the project; a question always may."""
    head = prompt[:MOST_CHARS]
    return "?" not in head and pattern().search(head) is not None
