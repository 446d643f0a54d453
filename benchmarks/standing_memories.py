"""Memories as an engineer writes them down after a change, made from what really changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal

from part_oracle import CONFIGS, LANGUAGES, flat, keys_of, likeness, regions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from part_oracle import Regions

PartKind = Literal["symbol", "key", "line"]
Truth = Literal["intact", "differs", "removed", "unclear"]
Files = dict[str, str]

PLAIN_NAME = re.compile(r"[A-Za-z_]\w{2,}")
PLAIN_KEY = re.compile(r"[A-Za-z][\w-]*")
MOST_EDITED = 20
LEAST_LIKE, SURELY_LIKE = 0.4, 0.6
"""Between the two it is open whether a file was renamed or written anew: it is not judged."""


@dataclass(frozen=True)
class Named:
    """One part that a memory names, as it is spelled there, in the file where it stood."""

    kind: PartKind
    name: str
    path: str


@dataclass(frozen=True)
class Draft:
    """A memory before it is stored: its text, the files given with it, and what it names."""

    text: str
    template: str
    named: tuple[Named, ...]
    files: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()

    def described(self) -> str:
        """Say what it names, for a person who looks at a case."""
        return "; ".join(f"{one.kind} {one.name!r} in {one.path}" for one in self.named)


@dataclass(frozen=True)
class Change:
    """A file that a version changed, with what it defines anew or differently."""

    path: str
    names: tuple[str, ...]
    version: str


def read_tree(root: Path) -> Files:
    """Read every file of a working tree."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.is_file() and ".git" not in name.parts:
            found[name.as_posix()] = path.read_bytes().decode("utf-8", "replace")
    return found


def drafts(before: Files, now: Files, version: str, most: int, random: Random) -> list[Draft]:
    """Make memories of what changed between two versions, a few of each kind."""
    changes = [
        Change(path, names, version)
        for path, text in now.items()
        if before.get(path) != text and (names := _touched(path, before.get(path, ""), text))
    ]
    settings = [
        Named("key", key, path)
        for path, text in now.items()
        if before.get(path) != text
        for key in _set_anew(path, before.get(path, ""), text)
    ]
    random.shuffle(changes)
    random.shuffle(settings)
    made = [_of_key(setting, version) for setting in settings[: most // 5]]
    paths = [change.path for change in changes]
    of_files = (_of_file(change, now, paths, random) for change in changes)
    return [*made, *islice(filter(None, of_files), most - len(made))]


def _touched(path: str, before: str, now: str) -> tuple[str, ...]:
    """Name what was defined or changed; only names that mean one thing in their file."""
    old, new = regions_of(path, before) or {}, regions_of(path, now) or {}
    return tuple(
        name
        for name, said in new.items()
        if old.get(name) != said
        and len(said) == 1
        and all(PLAIN_NAME.fullmatch(piece) for piece in name.split("."))
        and ("." in name or sum(last_piece(one) == name for one in new) == 1)
    )


def _set_anew(path: str, before: str, now: str) -> list[str]:
    old, new = keys_of(path, before) or {}, keys_of(path, now)
    if new is None or PurePosixPath(path).suffix not in CONFIGS:
        return []
    found = []
    for key, value in new.items():
        pieces = key.split("\0")
        spelled = ".".join(pieces[-2:])
        alone = sum(".".join(one.split("\0")[-2:]) == spelled for one in new) == 1
        plain = all(PLAIN_KEY.fullmatch(piece) for piece in pieces[-2:])
        if old.get(key) != value and len(pieces) > 1 and alone and plain:
            found.append(spelled)
    return found


def _of_key(setting: Named, version: str) -> Draft:
    text = f"`{setting.name}` in {setting.path} was set on purpose in {version}; ask about it."
    return Draft(text, "key", (setting,))


def _of_file(change: Change, now: Files, changed: Sequence[str], random: Random) -> Draft | None:
    """Write one memory about a file that changed; now and then there is nothing to write."""
    path, version = change.path, change.version
    name = random.choice(change.names)
    symbol, spelled = Named("symbol", name, path), _spelled(name, path)
    way = random.choice(("symbol", "given", "line", "both", "two", "short", "edited"))
    if way in {"line", "both"} and (line := _line_near(path, name, now[path], random)):
        return _with_line(way, symbol, line, version)
    if way == "two" and (other := _another(name, change.names, random)):
        both = f"`{spelled}` and `{_spelled(other, path)}` ({path})"
        text = f"{both} changed together in {version}."
        return Draft(text, "two symbols", (symbol, Named("symbol", other, path)))
    short = PurePosixPath(path).name
    if way == "short" and _is_alone(short, now):
        text = f"{version} reworked `{spelled}` ({short}): old callers expect the old result."
        return Draft(text, "symbol, file without folders", (symbol,))
    edited = tuple([path, *(one for one in changed if one != path)][:MOST_EDITED])
    if way == "edited" and _defined_once(name, edited, now):
        text = f"`{spelled}` was the cause of the bug fixed in {version}."
        return Draft(text, "symbol, no file", (symbol,), edited=edited)
    if way == "given":
        text = f"`{spelled}` must stay as {version} made it: other parts rely on it."
        return Draft(text, "symbol, file given", (symbol,), files=(path,))
    text = f"`{spelled}` in {path} was reworked in {version}; look there first."
    return Draft(text, "symbol and file", (symbol,))


def _with_line(way: str, symbol: Named, line: str, version: str) -> Draft:
    quoted = Named("line", line, symbol.path)
    if way == "line":
        text = f'The line "{line}" in {symbol.path} is there for a reason; it came with {version}.'
        return Draft(text, "line", (quoted,))
    spelled = _spelled(symbol.name, symbol.path)
    text = f"In {symbol.path}, `{spelled}` does `{line}` since {version}. Keep that."
    return Draft(text, "symbol and line", (symbol, quoted))


def _another(name: str, names: Sequence[str], random: Random) -> str | None:
    # a class beside its method would be read by its outline, which the oracle does not know
    apart = [n for n in names if n != name and not f"{n}.".startswith(f"{name}.")]
    apart = [n for n in apart if not name.startswith(f"{n}.")]
    return random.choice(apart) if apart else None


def last_piece(name: str) -> str:
    """Return a name without its owners or sections."""
    return re.split(r"[.\0]", name)[-1]


def _spelled(name: str, path: str) -> str:
    return name.replace(".", "::") if path.endswith(".rs") else name


def _is_alone(short: str, now: Mapping[str, str]) -> bool:
    return sum(PurePosixPath(path).name == short for path in now) == 1


def _defined_once(name: str, edited: Sequence[str], now: Files) -> bool:
    last = last_piece(name)
    holders = [
        path
        for path in edited
        if any(last_piece(one) == last for one in regions_of(path, now[path]) or {})
    ]
    return len(holders) == 1


def _line_near(path: str, name: str, text: str, random: Random) -> str | None:
    """Pick a telling line near a definition: long enough, only once in its file."""
    last = last_piece(name)
    rows = text.splitlines()
    starts = [n for n, row in enumerate(rows) if re.search(rf"\b{re.escape(last)}\b", row)]
    if not starts:
        return None
    near = rows[starts[0] : starts[0] + 25]
    whole = flat(text)
    fit = [
        line
        for row in near
        if 25 <= len(line := flat(row)) <= 110
        and not set(line) & set('`"“”')
        and re.search(r"\w\s*[(=.]", line)
        and whole.count(line) == 1
    ]
    return random.choice(fit) if fit and LANGUAGES.get(PurePosixPath(path).suffix) else None


def truth_of(named: Named, then: Files, now: Files) -> Truth:
    """Say what became of a part, by the oracle alone."""
    path = named.path
    if path not in now:
        moved = _moved(path, then, now)
        if moved is None:
            return "removed"
        if not moved:
            return "unclear"
        path = moved
    return _state(named, then[named.path], path, now[path])


def _moved(path: str, then: Files, now: Files) -> str | None:
    """Return where a missing file went; empty if that is open, None if it is gone."""
    suffix = PurePosixPath(path).suffix
    fresh = [one for one in now if one not in then and PurePosixPath(one).suffix == suffix]
    best = max(((likeness(then[path], now[one]), one) for one in fresh), default=(0.0, ""))
    if best[0] >= SURELY_LIKE:
        return best[1]
    return None if best[0] < LEAST_LIKE else ""


def _state(named: Named, then: str, path: str, now: str) -> Truth:
    match named.kind:
        case "line":
            return "intact" if named.name in flat(now) else "removed"
        case "key":
            old, new = keys_of(named.path, then), keys_of(path, now)
        case "symbol":
            old, new = regions_of(named.path, then), regions_of(path, now)
    if old is None or new is None:
        return "unclear"
    was, is_now = _said(named, old), _said(named, new)
    if not is_now:
        return "removed"
    return "intact" if was <= is_now else "differs"


def _said(named: Named, found: Regions) -> set[str]:
    """Return what is said under a name; a key may stand in other sections than before."""
    if named.kind == "symbol":
        return set(found.get(named.name, ()))
    ends = tuple(named.name.split("."))
    return {
        one
        for key, said in found.items()
        for one in said
        if tuple(key.split("\0"))[-len(ends) :] == ends
    }
