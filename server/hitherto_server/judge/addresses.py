"""Where a backend may be: over https anywhere, in the clear on this machine alone."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from hitherto_server.core.errors import InvalidInput

MOST_CHARS = 500
KNOWN_ENDS = ("/v1/systemone", "/v1/chat/completions")
MEND = "Give the address of the server, like https://host or http://127.0.0.1:8080."


def base_url_of(text: str) -> str:
    """Return an address as it is kept: without the path of the one request that is made of it."""
    url = text.strip().rstrip("/")
    for end in KNOWN_ENDS:
        url = url.removesuffix(end)
    if len(url) > MOST_CHARS or any(character.isspace() for character in url):
        raise InvalidInput("the address is no URL", mend=MEND)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidInput("the address is no URL", mend=MEND) from error
    if parts.scheme not in {"http", "https"} or not host:
        raise InvalidInput("the address is no URL with a host", mend=MEND)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        message = "the address holds more than a host and a path"
        raise InvalidInput(message, mend="Give the key with `hitherto judge key`.")
    name = f"[{host}]" if ":" in host else host
    url = f"{parts.scheme}://{name}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    if parts.scheme == "http" and not is_loopback(url):
        message = f"{url} would carry what is judged over the network in the clear"
        raise InvalidInput(message, mend="Use https; http is for this machine alone.")
    return url


def is_loopback(url: str) -> bool:
    """Tell whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
