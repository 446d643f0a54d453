"""The words of a name: which say that its value is a secret, and which that it is none."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import combining, normalize

WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
PASSWORD, TOKEN, SECRET_KEY = "password", "token", "secret"
PASSWORDS = frozenset({
    "password", "passwd", "passphrase", "passcode", "pwd", "pass", "pw", "passwort", "userpass",
    "dbpassword", "pgpassword", "pgpass", "mypwd", "contrasena", "motdepasse", "adminpassword",
    "rootpassword", "userpassword", "identified", "passwords", "pswd", "psswd", "paswd",
    "kennwort", "senha", "wachtwoord", "mdp", "clave",
})  # fmt: skip
TOKENS = frozenset({"token", "authtoken", "accesstoken", "apitoken", "bearer", "pat", "jeton"})
SECRETS = frozenset({
    "secret", "secrets", "apikey", "credential", "credentials", "creds", "privatekey", "secretkey",
    "accesskey", "clientsecret", "appsecret", "secretaccesskey", "accountkey", "sharedaccesskey",
    "apisecret", "encryptionkey", "signingkey",
    "geheimnis", "segreto", "secreto", "zugangsschlussel", "apischlussel",
})  # fmt: skip
OPENED_BY = frozenset({
    "api", "access", "secret", "private", "auth", "signing", "encryption", "master", "account",
    "storage", "service", "shared", "license", "deploy", "webhook", "app", "jwt", "hmac",
    "session", "admin", "client", "server", "integration", "ingest", "subscription", "function",
    "ssh", "encrypt", "symmetric", "write", "rest", "application", "management", "preshared",
    "psk", "instrumentation", "sas", "crypt", "cipher", "aes", "fernet", "vault", "unseal",
    "secrete", "segreta", "secreta", "privee", "privata", "privada", "acces", "acceso", "accesso",
    "geheim", "zugangs", "zugriffs",
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
    "stream", "bucket", "kind", "idempotency", "publishable", "method", "mode", "strategy",
    "validator", "checker", "policyname", "role", "user", "username", "mount", "engine",
    "primaria", "foranea", "publica",
})  # fmt: skip

HASHED = frozenset({"hash", "hashed", "encrypted"})
MOT_DE_PASSE = re.compile(r"mot[ _]de[ _]passe", re.IGNORECASE)
OF = frozenset({"d", "de", "di", "da"})
KEYS = frozenset({"key", "keys", "schlussel", "sleutel"})
KEYS_BEFORE = frozenset({"cle", "clave", "chave", "chiave"})
"""In languages where what says that a key opens something stands behind it."""


def words_of(name: str) -> list[str]:
    """Return the words of a name, in lower case: `dbPassword`, `DB_PASSWORD`, `db.password`."""
    return [word.lower() for word in WORD.findall(_without_accents(name))]


def _without_accents(name: str) -> str:
    if name.isascii():
        return name
    return "".join(one for one in normalize("NFKD", name) if not combining(one))


def names_a_secret(name: str) -> str | None:
    """Return which kind of secret a name says that its value is; None if it says nothing so."""
    words = words_of(MOT_DE_PASSE.sub("motdepasse", name))
    at = next((at for at, word in enumerate(words) if word in PASSWORDS), None)
    if at is not None:
        harmless = HARMLESS.intersection(words[at:]) or HASHED.intersection(words)
        return None if harmless else PASSWORD
    if HARMLESS.intersection(words):
        return None
    if TOKENS.intersection(words):
        return TOKEN
    opens = any(
        (word in KEYS and before in OPENED_BY) or (before in KEYS_BEFORE and word in OPENED_BY)
        for before, word in pairwise(word for word in words if word not in OF)
    )
    return SECRET_KEY if opens or SECRETS.intersection(words) else None


def speaks_of_a_secret(before: str) -> bool:
    """Tell whether the words before a value say that it is a secret."""
    return names_a_secret(before) is not None
