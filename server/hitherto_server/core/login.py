"""What a browser keeps after a login: a pass that ends, and that isn't the installation's token.

A cookie goes to every server on this host, whatever its port, so the token must not be in it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from hitherto_server.core.clock import DAY_MS

PASS_DAYS = 7
PASS_MS = PASS_DAYS * DAY_MS
LONGEST_PASS = 200


def make_pass(token: str, now_ms: int) -> str:
    """Return a pass that the token's holder will know again, for seven days."""
    stated = f"{now_ms + PASS_MS}.{secrets.token_urlsafe(12)}"
    return f"{stated}.{_seal(token, stated)}"


def is_pass(text: str, token: str, now_ms: int) -> bool:
    """Tell whether a text is a pass of this token that has not ended."""
    if not text.isascii() or len(text) > LONGEST_PASS:
        return False
    stated, _, seal = text.rpartition(".")
    if not hmac.compare_digest(seal, _seal(token, stated)):
        return False
    return now_ms < int(stated.partition(".")[0])


def hook_token(token: str) -> str:
    """Return what a client's own settings hold: it may report events, and nothing else."""
    return hmac.new(token.encode(), b"hook", hashlib.sha256).hexdigest()


def _seal(token: str, stated: str) -> str:
    return hmac.new(token.encode(), b"login:" + stated.encode(), hashlib.sha256).hexdigest()
