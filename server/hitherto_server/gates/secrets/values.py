"""What a value looks like: random, or made of words."""

from __future__ import annotations

import re
from itertools import pairwise

from hitherto_server.gates.secrets.findings import entropy_of

CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
DIGITS_INSIDE = re.compile(r"(?<=[A-Za-z])\d+(?=[A-Za-z])")
PAIRS = (
    "a:bcdgiklmnprstuvy b:aeilou c:aehiklortu d:aeios e:acdefgilmnprstvx f:aefio g:eir "
    "h:aeio i:acdefglmnoprstv k:eis l:adeilosy m:aeiop n:acdegiost o:bcdklmnoprstuvw "
    "p:aeiloprst q:u r:acdeimnorstuy s:acehiopstu t:acehiorstuy u:abelmnprst v:aei w:aei"
)
"""The 180 pairs of letters that make up 88 % of words in code and notes, and 27 % of chance."""
FOLLOWS = {pair[0]: frozenset(pair[2:]) for pair in PAIRS.split()}
MOSTLY = 0.62
MOST_DIGITS_INSIDE = 1
LEAST_ENTROPY = 2.8
LEAST_LETTERS = 16
WEAK_DEFAULTS = frozenset({
    "password", "passwd", "pass", "pwd", "secret", "token", "admin", "root", "user", "username",
    "guest", "postgres", "mysql", "test", "testing", "tests", "dev", "development", "demo",
    "default", "string", "str", "text", "required", "optional", "value", "host", "localhost",
    "pw", "apikey", "api_key", "api-key", "login", "rabbitmq", "redis", "mongo", "minio",
    "minioadmin", "key", "credentials", "hidden", "changeit", "public", "private", "unknown",
    "invalid", "missing", "wrong", "incorrect", "expired", "encrypted", "hashed", "plaintext",
    "plain", "bcrypt", "argon2", "argon2id", "scrypt", "pbkdf2", "sha256", "sha512", "sha1", "md5",
    "base64", "utf8", "utf-8", "oauth", "oauth2", "jwt", "hmac", "bearer", "basic", "true", "false",
    "on", "off", "yes", "no", "prompt", "stdin", "file", "env", "bool", "boolean", "int", "bytes",
    "integer", "number", "object", "function", "self", "nothing", "anything", "something", "empty",
    "aes256", "aes128", "rs256", "hs256", "es256", "ed25519", "x509", "s3", "http2", "ipv4", "ipv6",
    "k8s", "base32", "base58", "hex", "sentinel", "random", "generated", "rotated", "leaked",
    "revoked", "disabled", "enabled", "refresh", "access",
})  # fmt: skip
"""Words that stand where a password would, and passwords that everybody knows."""


def is_weak_default(value: str) -> bool:
    """Tell whether a value is a word that opens nothing worth hiding."""
    return value.lower().strip("\"'") in WEAK_DEFAULTS


def is_made_of_words(value: str) -> bool:
    """Tell whether a value is words, as names, paths and sentences are: `refresh_token_ttl`."""
    if len(DIGITS_INSIDE.findall(value)) > MOST_DIGITS_INSIDE:
        return False
    pairs = [pair for chunk in CHUNK.findall(value) for pair in pairwise(chunk.lower())]
    letters = [(first, second) for first, second in pairs if not first.isdigit()]
    if len(letters) * 2 < sum(map(str.isalnum, value)):
        return False  # mostly single letters and digits
    common = sum(second in FOLLOWS.get(first, ()) for first, second in letters)
    return common >= MOSTLY * len(letters)


def is_random(value: str) -> bool:
    """Tell whether a value looks drawn by chance: letters and digits, or many letters; no words."""
    letters = sum(map(str.isalpha, value))
    has_digit = any(map(str.isdigit, value))
    if not letters or (not has_digit and letters < LEAST_LETTERS):
        return False
    return entropy_of(value) >= LEAST_ENTROPY and not is_made_of_words(value)
