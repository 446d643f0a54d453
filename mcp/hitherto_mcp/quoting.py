"""What an error may quote of a call: the caller's transcript keeps it, so no secret."""

from __future__ import annotations

from hitherto_hooks.masking import without_secrets

SPOOLED, SAID = "[redacted:spooled]", "[redacted]"


def quotable(text: str) -> str:
    """Return a text without what is certainly a secret, and as text that can be written."""
    kept = without_secrets(text.encode(errors="backslashreplace")).decode(errors="replace")
    return kept.replace(SPOOLED, SAID)
