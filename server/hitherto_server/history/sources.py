"""What there is to read: the client's transcripts, its memory files, and CLAUDE.md files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.core.git import git
from hitherto_server.history.memory_files import notes_in, rules_in
from hitherto_server.history.session import RULES_VERSION, Yield, read_session
from hitherto_server.standing.paths import is_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SourceKind = Literal["transcript", "memory", "rules"]
NOT_IN_A_SLUG = re.compile(r"[^A-Za-z0-9]")
MOST_LOOKED_AT = 20
MOST_RULE_FILES = 48
PEEK_BYTES = 262_144
CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.)*")')
RULE_FILES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")


@dataclass(frozen=True)
class Source:
    """One file to read; a file that did not change keeps its state."""

    kind: SourceKind
    path: Path
    size: int
    state: str
    folder: str | None = None
    """Where it holds; None: everywhere, or the rows of the transcript say it."""


def list_sources(
    client_home: Path, hides: Callable[[Path], bool] = lambda _: False
) -> list[Source]:
    """Return all that a client's folder leads to: transcripts first, the oldest first."""
    projects = client_home / "projects"
    found: list[Source] = []
    folders: dict[str, None] = {}
    memory: list[Source] = []
    for project in sorted(_listed(projects)):
        transcripts = _sources("transcript", sorted(project.glob("*.jsonl")))
        found += transcripts
        folder = folder_of(project.name, transcripts)
        if folder is not None:
            folders[folder] = None
            memory += _sources("memory", sorted((project / "memory").glob("**/*.md")), folder)
    found.sort(key=_age)
    rules = _sources("rules", [client_home / "CLAUDE.md", *_rules_in(client_home)])
    for folder in folders:
        named = [Path(folder) / name for name in RULE_FILES]
        rules += _sources("rules", [*named, *_rules_in(Path(folder) / ".claude")], folder)
    every = [*found, *memory, *rules]
    return [one for one in every if not hides(one.path) and not _is_hidden(one, hides)]


def _rules_in(folder: Path) -> list[Path]:
    return sorted(islice((folder / "rules").rglob("*.md"), MOST_RULE_FILES))


def folder_of(slug: str, transcripts: Iterable[Source]) -> str | None:
    """Return the folder that a slug stands for, as its transcripts spell it."""
    for one in list(transcripts)[:MOST_LOOKED_AT]:
        for spelled in _folders_in(one.path):
            if NOT_IN_A_SLUG.sub("-", spelled) == slug:
                return spelled
    return None


def _folders_in(path: Path) -> list[str]:
    import json

    with path.open("rb") as file:
        head = file.read(PEEK_BYTES)
    found = []
    for quoted in dict.fromkeys(CWD.findall(head)):
        try:
            found.append(str(json.loads(quoted)))
        except ValueError:
            continue
    return found


def _sources(kind: SourceKind, paths: list[Path], folder: str | None = None) -> list[Source]:
    found = []
    for path in paths:
        try:
            state = path.stat()
            if not path.is_file() or is_private(path):
                continue
        except OSError:
            continue
        stamp = f"{RULES_VERSION}:{state.st_size}:{state.st_mtime_ns}"
        found.append(Source(kind, path, state.st_size, stamp, folder))
    return found


def _is_hidden(one: Source, hides: Callable[[Path], bool]) -> bool:
    return one.folder is not None and hides(Path(one.folder))


def _listed(folder: Path) -> list[Path]:
    try:
        return [one for one in folder.iterdir() if one.is_dir()]
    except OSError:
        return []


def _age(source: Source) -> tuple[int, str]:
    return int(source.state.rsplit(":", 1)[1]), str(source.path)


def read_source(source: Source, told: Callable[[int], None] = lambda _: None) -> Yield:
    """Return what a file yields; `told` hears how many bytes were read."""
    match source.kind:
        case "transcript":
            return read_session(source.path, told)
        case "memory":
            return Yield(tuple(notes_in(source.path, folder=source.folder or "/")))
        case "rules":
            return Yield(tuple(rules_in(source.path, folder=source.folder)))
        case _:
            assert_never(source.kind)


def standing_folder(folder: str) -> str:
    """Return a folder, or what is left above it inside its repository: worktrees are removed."""
    path = Path(folder)
    if not folder.startswith("/") or path.is_dir():
        return folder or "/"
    above = next((one for one in path.parents if one.is_dir()), path)
    if above in {Path.home(), *Path.home().parents}:
        return folder  # a repository of a whole home says nothing of what is in it
    return str(above) if git(above, "rev-parse", "--show-toplevel") is not None else folder
