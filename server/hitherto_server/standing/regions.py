"""What a named part's region says, as a hash that layout and the part's own name don't change.

Written `WAY:HASH,HASH`: one hash for each definition of the name. The way carries a version,
so that hashes of another way of reading are recognised as such and never compared.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.standing.definitions import Definition, Source

Way = Literal["whole2", "outline2"]

MAX_SAME_NAME = 8
HASH_CHARS = 16
BLANK = "\1"


class Region(NamedTuple):
    """A definition's hash, and how many tokens it was made of."""

    hash: str
    size: int


def region(source: Source, definition: Definition, way: Way) -> Region:
    """Hash a definition's region: the whole, or its outline without what it holds."""
    holes = _inner(source, definition) if way == "outline2" else ()
    own = {definition.name, f'"{definition.name}"'}
    digest = hashlib.sha256()
    size = 0
    for token in source.tokens(definition, holes):
        spelled = BLANK if token in own else token
        digest.update(spelled.encode("utf-8", "replace") + b"\0")
        size += 1
    return Region(digest.hexdigest()[:HASH_CHARS], size)


def written(way: Way, hashes: Iterable[str]) -> str:
    """Spell a way and its hashes as the store keeps them."""
    return f"{way}:{','.join(sorted(set(hashes)))}"


def read(region_hash: str | None) -> tuple[Way, frozenset[str]] | None:
    """Read what the store keeps; None if it was made in another way than today's."""
    for way in get_args(Way):
        if region_hash and region_hash.startswith(f"{way}:"):
            return way, frozenset(region_hash.removeprefix(f"{way}:").split(","))
    return None


def _inner(source: Source, definition: Definition) -> tuple[Definition, ...]:
    # fields stay: they are the outline of a type; the sections of a file have nothing else
    cut = {"type", "callable"} if definition.role != "key" else {"key"}
    return tuple(d for d in source.definitions if d.role in cut and definition.holds(d))
