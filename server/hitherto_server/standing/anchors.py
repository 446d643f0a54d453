"""Anchors: what ties a memory to the working tree at the moment it is written or confirmed."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from hitherto_server.standing.deadline import OutOfTime
from hitherto_server.standing.listing import list_files, only_place
from hitherto_server.standing.parts import Name, holds_line, named_parts, segments
from hitherto_server.standing.paths import relative_name
from hitherto_server.standing.reading import FileState, FileText, Reader, read_file
from hitherto_server.standing.regions import MAX_SAME_NAME, Way, region, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hitherto_server.standing.definitions import Definition, Source

PartKind = Literal["symbol", "key", "line", "mention"]

MAX_FILES = 10
MAX_CANDIDATES = 30
MAX_EDITED = 20
LISTING_S = 0.5
MAX_PARTS = 64
THEMSELVES = frozenset({"self", "this", "cls", "super", "crate", "Self"})


@dataclass(frozen=True)
class Part:
    """Something that a memory names and a file has; without a hash only its presence counts."""

    kind: PartKind
    name: str
    region_hash: str | None = None


@dataclass(frozen=True)
class Anchor:
    """A related file as it was: its hash (None: never read) and the parts that are named."""

    path: str
    file_hash: str | None
    parts: tuple[Part, ...] = ()
    commit: str | None = None


def anchor(
    content: str,
    files: Iterable[str],
    root: Path,
    read: Reader = read_file,
    *,
    edited: Iterable[str] = (),
    commit: str | None = None,
    deadline: float | None = None,
) -> tuple[Anchor, ...]:
    """Tie a text to the files given, to those it names, and to those edited that define its names.

    All as they are now.
    """
    named = named_parts(content)
    related, places = _related(named, files, root)
    # `Cargo.toml` is that file, and no key `toml` of it
    names = [name for name in named if name.kind != "identifier" or name.text not in places]

    def tie(path: str, names: Sequence[Name] = names) -> tuple[Anchor, bool]:
        state = read(root, path)
        parts = _parts(names, path, state, deadline)
        return Anchor(path, state.file_hash, parts, commit), state.condition == "read"

    anchors: list[Anchor] = []
    for path, given in islice(related.items(), MAX_CANDIDATES):
        found, was_read = tie(path)
        # a path that the text only seems to name is no reason to remember a file
        if given or was_read:
            anchors.append(found)
    tied = {one.path for one in anchors}
    if unplaced := _unplaced(names, anchors):
        others = [tie(path, unplaced)[0] for path in _spelled(edited, root) if path not in tied]
        anchors += _defining(others)
    return tuple(anchors[:MAX_FILES])


def find_word(text: str, word: str) -> bool:
    """Tell whether a word occurs by itself, not as a piece of a longer one."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _related(
    names: Iterable[Name], files: Iterable[str], root: Path
) -> tuple[dict[str, bool], set[str]]:
    """Give the files (were they given?), and what in the text is the name of one that exists."""
    places: set[str] = set()
    related = {path: True for name in files if (path := relative_name(root, name))}
    listed: tuple[str, ...] | None = None
    for name in islice((name for name in names if name.kind == "path"), MAX_CANDIDATES):
        path = relative_name(root, name.text)
        if path is None:
            continue
        if not _is_there(root, path):
            # named as people name files: without the folders above it
            listed = _listed(root) if listed is None else listed
            path = only_place(path, listed)
        if path is not None:
            places.add(name.text)
            related.setdefault(path, False)
    return related, places


def _is_there(root: Path, path: str) -> bool:
    try:
        return (root / path).exists()
    except (OSError, ValueError):
        return True  # nothing to look for elsewhere


def _listed(root: Path) -> tuple[str, ...]:
    try:
        return list_files(root, time.perf_counter() + LISTING_S)
    except OutOfTime:
        return ()


def _spelled(edited: Iterable[str], root: Path) -> tuple[str, ...]:
    spelled = (relative_name(root, name) for name in edited)
    return tuple(islice(dict.fromkeys(path for path in spelled if path), MAX_EDITED))


def _unplaced(names: Iterable[Name], anchors: Iterable[Anchor]) -> list[Name]:
    """Keep the identifiers that no file which was given or named defines."""
    placed = {name for one in anchors for name in _defined_in(one)}
    identifiers = (name for name in names if name.kind == "identifier")
    return [name for name in identifiers if segments(name.text)[-1] not in placed]


def _defining(others: Sequence[Anchor]) -> Iterator[Anchor]:
    """Keep of other files what one alone defines: a name without a file means that one."""
    holders = Counter(name for one in others for name in _defined_in(one))
    for other in others:
        own = tuple(p for p in other.parts if p.region_hash and holders[_last(p)] == 1)
        if own:
            yield replace(other, parts=own)


def _defined_in(one: Anchor) -> set[str]:
    return {_last(part) for part in one.parts if part.region_hash}


def _last(part: Part) -> str:
    return part.name.rpartition(".")[2]


def _parts(
    names: Sequence[Name], path: str, state: FileState, deadline: float | None
) -> tuple[Part, ...]:
    if state.content is None:
        return ()
    file = FileText(path, state.content, deadline)
    lines = [n.text for n in names if n.kind == "line" and holds_line(file.flat, n.text)]
    # a line that is there speaks for the names in it: the more precise evidence counts
    identifiers = [
        name.text for name in names if name.kind == "identifier" and name.within not in lines
    ]
    parts = [*_identifier_parts(identifiers, file), *(Part("line", line) for line in lines)]
    return tuple({(part.kind, part.name): part for part in parts}.values())[:MAX_PARTS]


def _identifier_parts(identifiers: Iterable[str], file: FileText) -> Iterator[Part]:
    present = [word for word in identifiers if find_word(file.text, segments(word)[-1])]
    located = {word: _locate(segments(word), file) for word in present}
    every = [definition for _, found in located.values() for definition in found]
    for word, (path, found) in located.items():
        if found and file.source:
            yield _defined(path, found, every, file.source)
        elif find_word(file.text, word):
            yield Part("mention", word)


def _defined(
    path: tuple[str, ...],
    found: Sequence[Definition],
    every: Sequence[Definition],
    source: Source,
) -> Part:
    # what holds another named part is read by its outline: the more precise name counts
    holds = any(outer.holds(inner) for outer in found for inner in every)
    way: Way = "outline2" if holds else "whole2"
    kind: PartKind = "key" if found[0].role == "key" else "symbol"
    hashes = [region(source, definition, way).hash for definition in found]
    return Part(kind, ".".join(path), written(way, hashes))


def _locate(
    path: tuple[str, ...], file: FileText
) -> tuple[tuple[str, ...], tuple[Definition, ...]]:
    """Find what an identifier means in a file, and by which owners it is told apart."""
    source = file.source
    if source is None:
        return path, ()
    for start in range(len(path)):
        if start and not _is_place(path[start - 1], file.name):
            break
        found = _nearest(source.find(path[start:]))
        if 0 < len(found) <= MAX_SAME_NAME:
            return path[start:], found
    return _by_owner(path, source)


def _nearest(found: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Of more definitions than tell anything apart, keep those with the fewest owners."""
    if len(found) <= MAX_SAME_NAME:
        return found
    least = min(len(one.path) for one in found)
    return tuple(one for one in found if len(one.path) == least)


def _is_place(word: str, name: str) -> bool:
    file = PurePosixPath(name)
    return word in THEMSELVES or word == file.stem or word in file.parts


def _by_owner(
    path: tuple[str, ...], source: Source
) -> tuple[tuple[str, ...], tuple[Definition, ...]]:
    """Take `session_store.get` for `SessionStore.get`: instances are named after types."""
    if len(path) > 1:
        for definition in source.find(path[-1:]):
            owners = definition.path[:-1]
            if owners and _squashed(owners[-1]) == _squashed(path[-2]):
                told_apart = (owners[-1], path[-1])
                return told_apart, source.find(told_apart)
    return path, ()


def _squashed(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
