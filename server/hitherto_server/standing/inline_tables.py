"""Keys inside the inline tables of TOML: `name = {version = "1", features = ["a"]}`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.standing.definitions import Definition

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = re.compile(r"#[^\n]*|\"(?:\\.|[^\"\\\n])*+\"|'[^'\n]*+'|[^\s\"'{}\[\],=#]+|[{}\[\],=]")
MAX_PIECES = 2000


def inline_keys(text: str, start: int, above: tuple[str, ...]) -> Iterator[Definition]:
    """Give the keys of the inline table that begins there, each with its value."""
    opened: list[tuple[str, int]] = []
    key: tuple[str, int] | None = None
    word: re.Match[str] | None = None
    last = start
    for count, piece in enumerate(PIECE.finditer(text, start)):
        sign = piece.group()
        if count > MAX_PIECES or sign.startswith("#"):
            return
        if sign in ",}" and key and len(opened) == 1:
            yield Definition((*above, key[0]), "key", key[1], last)
            key = None
        if sign in "{[":
            opened.append((sign, piece.start()))
        elif sign in "}]":
            opened.pop()
            if not opened:
                return
        elif sign == "=" and word and len(opened) == 1:
            key = word.group().strip("\"'"), word.start()
        word, last = piece, piece.end()
