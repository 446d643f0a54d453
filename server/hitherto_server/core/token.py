"""The token of an installation: what a caller over loopback must bring."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from hitherto_server.core.private_file import write_private

if TYPE_CHECKING:
    from hitherto_server.core.home import Home

SHORTEST_TOKEN = 32


def read_token(home: Home) -> str:
    """Return the token of this installation; it is made at the first start."""
    try:
        token = home.token.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        token = ""
    if len(token) >= SHORTEST_TOKEN:  # an empty one, as a full disk leaves it, would let all in
        home.token.chmod(0o600)
        return token
    token = secrets.token_urlsafe(32)
    write_private(home.token, token)
    return token
