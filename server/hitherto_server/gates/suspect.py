"""Text that addresses an agent: kept, marked, and never injected unasked."""

from __future__ import annotations

import re

ADDRESSES_AGENT = re.compile(
    r"""
      (?:ignore|disregard|forget)\s+(?:all\s+|any\s+)?(?:the\s+|your\s+)?
      (?:previous|prior|above|earlier)\s+(?:instructions|prompts|rules|messages)
    | you\s+are\s+now\s+(?:a|an|in)\b
    | (?:new|updated)\s+system\s+prompt
    | <\s*/?\s*(?:system|assistant|system-reminder)\s*>
    """,
    re.VERBOSE | re.IGNORECASE,
)
HIDDEN = re.compile(  # zero-width, bidirectional and tag characters
    "[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def is_suspect(content: str) -> bool:
    """Tell whether a text speaks to an agent or hides characters."""
    return bool(ADDRESSES_AGENT.search(content) or HIDDEN.search(content))
