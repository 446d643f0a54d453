"""Secrets of many kinds, each told once, to be looked for wherever they must not lie."""

from __future__ import annotations

import random
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DRAW = random.Random(20261130)
BASE62 = string.ascii_letters + string.digits


def drawn(count: int, characters: str = BASE62) -> str:
    return "".join(DRAW.choices(characters, k=count))


class Canaries:
    """Secrets of many kinds, each told once, and the way by which it came in."""

    def __init__(self) -> None:
        self.told: dict[str, str] = {}

    def token(self, way: str) -> str:
        return self._keep(way, "gh" + "p_" + drawn(36))

    def password(self, way: str) -> str:
        return self._keep(way, drawn(12) + "7Q")

    def key(self, way: str) -> str:
        body = "\n".join(self._keep(f"{way}, line {line}", drawn(64)) for line in range(5))
        label = "RSA " + "PRIVATE KEY"
        return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"

    def _keep(self, way: str, secret: str) -> str:
        self.told[way] = secret
        return secret

    def found_in(self, home: Path) -> list[str]:
        """Where any of them lies; the word index would have it in lower case."""
        files = {
            path: path.read_bytes().lower() for path in sorted(home.rglob("*")) if path.is_file()
        }
        return [
            f"{way}: {path.name}"
            for way, secret in self.told.items()
            for path, content in files.items()
            if secret.lower().encode() in content
        ]
