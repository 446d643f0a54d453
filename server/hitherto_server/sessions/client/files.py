"""What the client gives its session anyway: CLAUDE.md, its rules, its own memory; AGENTS.md."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.sessions.client.already_said import AlreadySaid
from hitherto_server.standing.paths import is_private

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

log = logging.getLogger(__name__)

MOST_FILES = 48
MOST_BYTES = 200_000
"""Of one file; what is longer no session reads either."""
MOST_BYTES_IN_ALL = 400_000
MOST_LOOKED_AT = 2000
"""Names in a folder of rules; it may be a link to a whole disk."""
MOST_DEPTH = 5
MOST_ANCESTORS = 12
MOST_PROJECTS = 32
FRESH_S = 2.0
TEXT_SUFFIXES = frozenset({".md", ".mdc", ".txt"})
IMPORT = re.compile(r"(?<![\w`@.+/-])@((?:~|\.{1,2})?/?[\w.@+-]+(?:/[\w.@+-]+)*\.(?:md|mdc|txt))\b")
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
NOT_IN_A_SLUG = re.compile(r"[^A-Za-z0-9]")

Stamp = tuple[tuple[str, int, int], ...]
Hides = Callable[[Path], bool]
Finder = Callable[[Path, Path], "Iterable[Path]"]
HOMES = {"claude-code": ("CLAUDE_CONFIG_DIR", ".claude"), "codex": ("CODEX_HOME", ".codex")}
CODEX_FILES = ("AGENTS.override.md", "AGENTS.md")
"""Of a folder the first that is there."""
NOTHING = AlreadySaid()


@dataclass
class _Known:
    """What was read for one project, and when its files were looked at last."""

    said: AlreadySaid = NOTHING
    stamp: Stamp = ()
    looked_at: float = 0.0
    looking: asyncio.Task[None] | None = None


@dataclass
class ClientFiles:
    """Keeps what the client's files of each project say; reads them beside the sessions."""

    home: Path | None = None
    """The client's own folder; by default what the environment names, else ~/.claude."""
    hides: Hides = lambda _: False
    """Tells which files are not to be read: a person ignores their folder."""
    _projects: OrderedDict[tuple[Path, str], _Known] = field(default_factory=OrderedDict)

    async def said_in(
        self, root: Path | None, *, wait_s: float, client: str = "claude-code"
    ) -> AlreadySaid:
        """Return what the files say, as they were lately; waits only where nothing is known yet."""
        if root is None:
            return NOTHING
        known = self._of(root, client)
        if known.looking is None and time.monotonic() - known.looked_at > FRESH_S:
            looking = self._look(root, known, client)
            known.looking = asyncio.create_task(looking, name="client files")
        if known.looking is not None and not known.looked_at:
            await asyncio.wait({known.looking}, timeout=wait_s)
        return known.said

    async def close(self) -> None:
        """End the looks that still run."""
        tasks = [one.looking for one in self._projects.values() if one.looking is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _of(self, root: Path, client: str) -> _Known:
        known = self._projects.setdefault((root, client), _Known())
        self._projects.move_to_end((root, client))
        while len(self._projects) > MOST_PROJECTS:
            self._projects.popitem(last=False)
        return known

    async def _look(self, root: Path, known: _Known, client: str) -> None:
        try:
            home = self.home or client_home(client)
            find = codex_beginnings if client == "codex" else _beginnings
            read = await asyncio.to_thread(read_again, root, home, known.stamp, self.hides, find)
            if read is not None:
                known.said, known.stamp = read
        except OSError as error:
            log.warning("the client's files of a project could not be read: %s", error)
        finally:
            known.looked_at, known.looking = time.monotonic(), None


def client_home(client: str = "claude-code") -> Path:
    """Return the folder where the client keeps what is the person's own."""
    variable, usual = HOMES[client]
    named = os.environ.get(variable)
    return Path(named) if named else Path.home() / usual


def read_again(
    root: Path,
    home: Path,
    stamp: Stamp,
    hides: Hides = lambda _: False,
    find: Finder | None = None,
) -> tuple[AlreadySaid, Stamp] | None:
    """Read what the client loads for a project; None if no file differs from the stamp."""
    begins = (find or _beginnings)(root, home)
    if stamp and stamp == _stamp_of(Path(name) for name, _, _ in stamp):
        begins = list(begins)
        if _is_whole(begins, stamp, hides):
            return None
    most_depth = 0 if find is codex_beginnings else MOST_DEPTH  # Codex imports nothing
    texts = dict(_with_imports(begins, hides, most_depth))
    read = _stamp_of(texts)
    return AlreadySaid.of((_shown(path, root), text) for path, text in texts.items()), read


def _is_whole(begins: Iterable[Path], stamp: Stamp, hides: Hides) -> bool:
    """Tell whether no file has been added or ignored since."""
    known = {name for name, _, _ in stamp}
    if any(hides(Path(name)) for name in known):
        return False
    return all(str(path) in known or hides(path) for path in begins)


def codex_beginnings(root: Path, home: Path) -> Iterator[Path]:
    """Return the files that Codex reads by itself, where they exist."""
    for folder in (home, root):
        named = (folder / name for name in CODEX_FILES)
        yield from [path for path in named if _is_readable(path)][:1]


def _beginnings(root: Path, home: Path) -> Iterator[Path]:
    """Return the files that the client reads by itself, where they exist."""
    folders = [root, *root.parents][:MOST_ANCESTORS]
    named = [folder / name for folder in folders for name in ("CLAUDE.md", "CLAUDE.local.md")]
    named += [root / ".claude" / "CLAUDE.md", home / "CLAUDE.md"]
    named += [*_markdown_in(root / ".claude" / "rules"), *_markdown_in(home / "rules")]
    slug = NOT_IN_A_SLUG.sub("-", str(root))
    named += _markdown_in(home / "projects" / slug / "memory")
    yield from dict.fromkeys(path for path in named if _is_readable(path))


def _markdown_in(folder: Path) -> list[Path]:
    found: list[Path] = []
    looked_at = 0
    for here, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(here, name) for name in names if name.endswith(".md")]
        looked_at += len(folders) + len(names)
        if looked_at > MOST_LOOKED_AT:
            break
    return sorted(found)[:MOST_FILES]


def _is_readable(path: Path) -> bool:
    """Tell whether a path is a text of the client's; links are judged by where they lead."""
    try:
        if not path.is_file():
            return False
        target = path.resolve()
        is_text = target.suffix.lower() in TEXT_SUFFIXES
        return is_text and not is_private(path) and not is_private(target)
    except (OSError, RuntimeError):
        return False


def _with_imports(
    beginnings: Iterable[Path], hides: Hides, most_depth: int
) -> Iterator[tuple[Path, str]]:
    """Read files and what they import, each once, breadth first and bounded."""
    seen: set[Path] = set()
    waiting = [(path, 0) for path in beginnings]
    room = MOST_BYTES_IN_ALL
    while waiting and len(seen) < MOST_FILES:
        path, depth = waiting.pop(0)
        if path in seen or hides(path) or not _is_readable(path):
            continue
        seen.add(path)
        text = _read(path, min(MOST_BYTES, room))
        room -= len(text)
        yield path, text
        if depth < most_depth:
            waiting += [(one, depth + 1) for one in _imports(path, text)]


def _imports(path: Path, text: str) -> list[Path]:
    named = dict.fromkeys(IMPORT.findall(CODE.sub(" ", text)))
    return [_resolved(path.parent, name) for name in named]


def _resolved(folder: Path, name: str) -> Path:
    return folder / os.path.expanduser(name)  # noqa: PTH111 - a Path fails if nobody is called so


def _read(path: Path, most: int) -> str:
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError as error:  # the other files count all the same
        log.warning("a file of the client's could not be read: %s", error)
        return ""


def _stamp_of(paths: Iterable[Path]) -> Stamp:
    found = []
    for path in paths:
        try:
            state = path.stat()
        except OSError:
            found.append((str(path), -1, -1))
        else:
            found.append((str(path), state.st_mtime_ns, state.st_size))
    return tuple(found)


def _shown(path: Path, root: Path) -> str:
    """Name a file without the person's folders."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
