"""The words of a name: which say that its value is a secret, and which that it is none."""

from __future__ import annotations

import re
from itertools import pairwise

WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
SECRET = frozenset({
    "password", "passwd", "passphrase", "passcode", "pwd", "pass", "pw", "passwort", "secret",
    "secrets", "token", "apikey", "credential", "credentials", "creds", "authtoken",
})  # fmt: skip
OPENED_BY_WORDS = frozenset({
    "api", "access", "secret", "private", "auth", "signing", "encryption", "master", "account",
    "storage", "service", "shared", "license", "deploy", "webhook", "app", "jwt", "hmac",
    "session", "admin", "client", "server", "integration", "ingest", "subscription", "function",
    "host", "ssh", "encrypt", "symmetric", "write", "rest", "application", "management",
})  # fmt: skip
"""Before `key`, these say that it opens something; a primary or a cache key does not."""
HARMLESS = frozenset({
    "id", "ids", "name", "names", "arn", "ref", "path", "file", "filename", "url", "uri", "type",
    "types", "count", "counts", "length", "len", "size", "limit", "limits", "expiry", "expires",
    "expiration", "ttl", "policy", "field", "fields", "column", "hint", "header", "headers",
    "prefix", "suffix", "format", "version", "rotation", "age", "store", "manager", "provider",
    "param", "env", "var", "hash", "hashed", "digest", "sha", "checksum", "fingerprint",
    "public", "pub", "index", "primary", "foreign", "cache", "sort", "partition", "page",
    "cursor", "next", "continuation", "cancellation", "sync", "csrf", "xsrf", "max", "min",
    "budget", "usage", "used", "per", "label", "error", "errors", "enabled", "required", "reset",
    "endpoint", "algorithm", "alg", "bits", "commit", "integrity", "etag", "uuid", "rev",
    "revision", "status", "scope", "scopes", "class", "regex", "pattern", "rule", "rules",
    "test", "tests", "stream", "bucket", "kind",
})  # fmt: skip


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case: `dbPassword`, `DB_PASSWORD`, `db.password`."""
    return [word.lower() for word in WORD.findall(name)]


def speaks_of_a_secret(name: str) -> bool:
    """Tell whether a name says that its value is a secret."""
    words = words_of(name)
    if HARMLESS.intersection(words):
        return False
    return bool(SECRET.intersection(words)) or any(
        word == "key" and before in OPENED_BY_WORDS
        for before, word in pairwise(words)
    )
