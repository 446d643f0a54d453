"""Secrets that are known by where they stand: key blocks, URLs, headers, cookies."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets.findings import Finding, entropy_of
from hitherto_server.gates.secrets.placeholders import is_placeholder, is_repetitive
from hitherto_server.gates.secrets.values import LEAST_ENTROPY, is_random, is_weak_default

if TYPE_CHECKING:
    from collections.abc import Iterator

LABEL = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?"
BREAK = r"(?:\s|\\[nrt])"
CODE = r"[A-Za-z0-9+/]"
WHOLE_BLOCK = re.compile(
    rf"-----BEGIN {LABEL}-----((?:[^-]|-(?!----(?:BEGIN|END) )){{0,16000}}+)-----END {LABEL}-----"
)
BLOCK_BEGINS = re.compile(
    rf"-----BEGIN {LABEL}-----"
    rf"(?:{BREAK}|{CODE}{{16,}}+={{0,2}}|{CODE}{{1,15}}={{1,2}}|(?:Proc-Type|DEK-Info):[^\n]*)*+"
)
LINES_OF_CODE = re.compile(
    rf"(?:(?<!{CODE})|(?<=\\[nrt]))(?:{CODE}{{32,}}+={{0,2}}{BREAK}*+)++(?:{CODE}+={{0,2}})?{BREAK}*+"
    rf"(?P<end>-----END {LABEL}-----)?"
)
"""With its `end`, what is left of a block; without one they are passed over and not tried anew."""
PUTTY = re.compile(rf"Private-Lines: \d+((?:{BREAK}+{CODE}{{16,}}+={{0,2}})+)")
KEY_CHARS = 40
"""A block with fewer characters of code between its lines only shows what one looks like."""

PASSWORD_IN_URL = re.compile(
    r"[a-zA-Z][\w+.-]{1,30}://([^\s/:'\"`<>]*):([^\s/'\"`<>]{2,200})@[\w\[$]"
)
TOKEN_IN_URL = re.compile(r"https?://([\w.~%-]{20,200})(?::(?:x-oauth-basic)?)?@([\w.-]+)")
SCHEME = re.compile(r"\b(bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{8,4000})", re.IGNORECASE)
AUTHORIZATION = re.compile(
    r"\bauthorization[\"']?[ \t]*[:=,][ \t]*[\"']?(?:[A-Za-z][\w-]{1,20}[ \t]+)?"
    r"([A-Za-z0-9._~+/=:-]{12,4000})",
    re.IGNORECASE,
)
COOKIES = re.compile(
    r"\bcookies?[\"']?[ \t]*[:=][ \t]*[\"']?((?:[\w.-]+=[^;\s\"']*;?[ \t]?)+)", re.IGNORECASE
)
COOKIE = re.compile(r"[\w.-]+=([^;\s\"']+)")
DOCKER_AUTH = re.compile(r"[\"']auth[\"']\s*:\s*[\"']([A-Za-z0-9+/]{8,}={0,2})[\"']")
LEAST_COOKIE = 16
PUBLIC_DSN = "sentry"
"""A DSN of Sentry has a public key where others have a token."""


def find_shapes(text: str) -> Iterator[Finding]:
    """Find what its place shows to be a secret."""
    lowered = text.lower()
    if "private key" in lowered or "private-lines" in lowered:
        yield from _key_blocks(text)
    if "://" in text:
        yield from _in_urls(text)
    if "bearer" in lowered or "basic" in lowered or "authorization" in lowered:
        yield from _in_headers(text)
    if "cookie" in lowered:
        yield from _in_cookies(text)
    if "auth" in lowered:
        for match in DOCKER_AUTH.finditer(text):
            if _is_pair(match[1]):
                yield Finding(*match.span(1), "basic-auth")


def _key_blocks(text: str) -> Iterator[Finding]:
    for match in WHOLE_BLOCK.finditer(text):
        if _has_code(match[1]):
            yield Finding(*match.span(), "private-key")
    pieces = [*BLOCK_BEGINS.finditer(text)]
    if "-----END " in text:
        pieces += [lines for lines in LINES_OF_CODE.finditer(text) if lines["end"]]
    for match in pieces:
        if _has_code(match[0].replace("PRIVATE", "")):
            yield Finding(*match.span(), "private-key")
    for match in PUTTY.finditer(text):
        yield Finding(*match.span(1), "private-key")


def _has_code(body: str) -> bool:
    code = "".join(re.findall(rf"{CODE}{{16,}}", body))
    return len(code) >= KEY_CHARS and not is_repetitive(code)


def _in_urls(text: str) -> Iterator[Finding]:
    for match in PASSWORD_IN_URL.finditer(text):
        user, password = match[1], match[2]
        if not (is_placeholder(password) or is_weak_default(password) or password == user):
            yield Finding(*match.span(2), "url-password")
    for match in TOKEN_IN_URL.finditer(text):
        if PUBLIC_DSN not in match[2] and is_random(match[1]) and not is_placeholder(match[1]):
            yield Finding(*match.span(1), "url-token")


def _in_headers(text: str) -> Iterator[Finding]:
    for match in SCHEME.finditer(text):
        value = match[2]
        if match[1].lower() == "basic":
            if _is_pair(value):
                yield Finding(*match.span(2), "basic-auth")
        elif len(value) >= LEAST_COOKIE and _is_token(value):
            yield Finding(*match.span(2), "bearer-token")
    for match in AUTHORIZATION.finditer(text):
        if len(match[1]) >= LEAST_COOKIE and _is_token(match[1]):
            yield Finding(*match.span(1), "authorization")


def _in_cookies(text: str) -> Iterator[Finding]:
    for header in COOKIES.finditer(text):
        for match in COOKIE.finditer(text, *header.span(1)):
            if len(match[1]) >= LEAST_COOKIE and _is_token(match[1]):
                yield Finding(*match.span(1), "cookie")


def _is_token(value: str) -> bool:
    return is_random(value) and not is_placeholder(value)


def _is_pair(value: str) -> bool:
    """Tell whether a text is `user:password` in base64, and a password that is one."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    user, colon, password = decoded.partition(":")
    if not colon or not decoded.isprintable() or not (user or password):
        return False
    return (
        not (is_placeholder(password) or is_weak_default(password))
        or entropy_of(password) > LEAST_ENTROPY
    )
