"""Text that addresses an agent: kept, marked, and never injected unasked."""

from __future__ import annotations

import re

from hitherto_server.core.text import HIDDEN, JOINER

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
HIDES = re.compile(f"[{HIDDEN}]")


def is_suspect(content: str) -> bool:
    """Tell whether a text speaks to an agent or hides characters."""
    read = content.replace(JOINER, "")
    return bool(ADDRESSES_AGENT.search(read) or HIDES.search(read))
