"""What became of an anchor: each named part intact, different, renamed or gone."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.standing.anchors import Anchor, Part, PartKind, find_word
from hitherto_server.standing.parts import holds_line, normalise_line
from hitherto_server.standing.regions import Way, read, region

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.standing.definitions import Source
    from hitherto_server.standing.reading import FileText

PartState = Literal["intact", "differs", "renamed", "gone", "incomparable"]
AnchorState = Literal["same", "edited", "gone", "unreadable", "withheld", "unchecked"]

# smaller regions are alike by chance: `x = None` is not the new name of every other one
MIN_RENAMED_TOKENS = 8
LIKE_LINE = 0.6
MAX_LIKE_LINES = 50


@dataclass(frozen=True)
class PartFinding:
    """What became of one named part."""

    kind: PartKind
    name: str
    state: PartState
    new_name: str | None = None


@dataclass(frozen=True)
class AnchorFinding:
    """What became of one related file, and of the parts that the memory names in it."""

    path: str
    state: AnchorState
    parts: tuple[PartFinding, ...] = ()
    found_at: str | None = None
    note: str = ""


def unchanged(anchor: Anchor, *, found_at: str | None = None) -> AnchorFinding:
    """Find a file whose content is as it was, and so everything in it."""
    parts = tuple(PartFinding(part.kind, part.name, "intact") for part in anchor.parts)
    return AnchorFinding(anchor.path, "same", parts, found_at)


def missing(anchor: Anchor) -> AnchorFinding:
    """Find a file gone, and so everything in it."""
    parts = tuple(PartFinding(part.kind, part.name, "gone") for part in anchor.parts)
    return AnchorFinding(anchor.path, "gone", parts)


def check(anchor: Anchor, file: FileText | None) -> tuple[PartFinding, ...]:
    """Look for an anchor's parts in a file that has changed (None: it has no text to look in)."""
    if file is None:
        return tuple(PartFinding(part.kind, part.name, "incomparable") for part in anchor.parts)
    return tuple(check_part(part, file) for part in anchor.parts)


def check_part(part: Part, file: FileText) -> PartFinding:
    """Look for one part in a file's present text."""
    match part.kind:
        case "symbol" | "key":
            return _check_defined(part, file)
        case "line":
            return PartFinding(part.kind, part.name, _line_state(part.name, file))
        case "mention":
            present = find_word(file.text, part.name)
            return PartFinding(part.kind, part.name, "intact" if present else "gone")
    assert_never(part.kind)


def _check_defined(part: Part, file: FileText) -> PartFinding:
    source, stored = file.source, read(part.region_hash)
    if source is None or stored is None:
        return PartFinding(part.kind, part.name, "incomparable")
    way, hashes = stored
    path = tuple(part.name.split("."))
    found = source.find(path)
    if found:
        now = {region(source, definition, way).hash for definition in found}
        return PartFinding(part.kind, part.name, "intact" if hashes <= now else "differs")
    if new_name := _new_name(path, way, hashes, source):
        return PartFinding(part.kind, part.name, "renamed", new_name)
    # a file in the midst of an edit may hide what it still has
    hidden = source.broken and find_word(file.text, path[-1])
    return PartFinding(part.kind, part.name, "incomparable" if hidden else "gone")


def _new_name(
    path: tuple[str, ...], way: Way, hashes: frozenset[str], source: Source
) -> str | None:
    alike = set(_alike(way, hashes, source))
    if len(alike) != 1:
        return None
    found = alike.pop()
    return found[-1] if found[-1] != path[-1] else ".".join(found)


def _alike(way: Way, hashes: frozenset[str], source: Source) -> Iterator[tuple[str, ...]]:
    for definition in source.definitions:
        candidate = region(source, definition, way)
        if candidate.size >= MIN_RENAMED_TOKENS and candidate.hash in hashes:
            yield definition.path


def _line_state(line: str, file: FileText) -> PartState:
    if holds_line(file.flat, line):
        return "intact"
    first = next(iter(re.findall(r"\w+", line)), line)
    alike = [
        text
        for row in file.text.splitlines()
        if first in row and len(text := normalise_line(row)) <= 2 * len(line)
    ]
    near = difflib.get_close_matches(line, alike[:MAX_LIKE_LINES], n=1, cutoff=LIKE_LINE)
    return "differs" if near else "gone"
