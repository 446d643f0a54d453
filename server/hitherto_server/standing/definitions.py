"""What a file defines, by whatever reads its kind: a grammar, a key finder, or its indentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Role = Literal["type", "callable", "value", "container", "key", "block"]

# a lock file or a bundle: its structure costs more to read than it tells
MAX_STRUCTURE_BYTES = 512 * 1024
GRAMMARS = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
}
KEYED = {
    ".json": "json",
    ".jsonc": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
    ".ini": "ini",
    ".cfg": "ini",
    ".conf": "ini",
    ".properties": "ini",
}
BUILD_FILES = (
    (re.compile(r"(?:gnu)?makefile(?:\..+)?|.+\.mk", re.IGNORECASE), "make"),
    (re.compile(r"(?:docker|container)file(?:\..+)?|.+\.dockerfile", re.IGNORECASE), "docker"),
)
PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org", ".tex", ".log"})
PROSE_NAMES = frozenset({"readme", "license", "copying", "notice", "changelog", "authors"})


@dataclass(frozen=True)
class Definition:
    """A name that a file defines, under its owners, and where its region starts and ends."""

    path: tuple[str, ...]
    role: Role
    start: int
    end: int

    @property
    def name(self) -> str:
        """Give the name without its owners."""
        return self.path[-1]

    def holds(self, other: Definition) -> bool:
        """Tell whether the other's region lies inside this one."""
        same = (self.start, self.end) == (other.start, other.end)
        return not same and self.start <= other.start and other.end <= self.end


class Found(NamedTuple):
    """A definition before its owner is known (or with the one that its own text names)."""

    role: Role
    name: str
    owner: str | None
    start: int
    end: int


class Source(Protocol):
    """A file's text, read for its structure."""

    @property
    def broken(self) -> bool:
        """Tell whether the text could only be read in parts (a syntax error)."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """List what is defined, in the order of the text."""

    def find(self, path: tuple[str, ...]) -> tuple[Definition, ...]:
        """Find the definitions whose name, with its owners, ends like this path."""

    def tokens(self, definition: Definition, without: Iterable[Definition] = ()) -> Iterator[str]:
        """Spell a region as tokens, free of layout, leaving out some regions inside it."""


def source_of(name: str, content: bytes, deadline: float | None = None) -> Source | None:
    """Read a file's structure; None where there is none to read (prose, or far too large)."""
    from hitherto_server.standing.blocks import BlockSource
    from hitherto_server.standing.grammars import TreeSource
    from hitherto_server.standing.keys import KeySource

    file = PurePosixPath(name)
    suffix = file.suffix.lower()
    if len(content) > MAX_STRUCTURE_BYTES or suffix in PROSE:
        return None
    if language := GRAMMARS.get(suffix):
        return TreeSource(language, content, deadline)
    if style := KEYED.get(suffix) or build_style(file.name):
        return KeySource(style, content.decode("utf-8", "replace"), deadline)
    if not suffix and file.name.lower() in PROSE_NAMES:
        return None
    return BlockSource(content.decode("utf-8", "replace"))


def build_style(name: str) -> str | None:
    """Tell how a build file is read, by its name; None if it is none."""
    return next((style for pattern, style in BUILD_FILES if pattern.fullmatch(name)), None)


def matching(definitions: Iterable[Definition], path: tuple[str, ...]) -> tuple[Definition, ...]:
    """Pick the definitions whose path ends with this one."""
    return tuple(found for found in definitions if found.path[-len(path) :] == path)


def owned(found: Iterable[Found]) -> tuple[Definition, ...]:
    """Turn flat regions into definitions under their owners."""
    holders: list[Definition] = []
    definitions: list[Definition] = []
    for role, name, owner, start, end in sorted(found, key=lambda one: (one.start, -one.end)):
        while holders and holders[-1].end < end:
            holders.pop()
        if holders and (holders[-1].start, holders[-1].end) == (start, end):
            continue  # one place seen under two roles
        above = (owner,) if owner else holders[-1].path if holders else ()
        holders.append(Definition((*above, name), role, start, end))
        if role != "container":
            definitions.append(holders[-1])
    return tuple(definitions)
