"""The client's own files: what CLAUDE.md rules, and what its memory notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets import redact
from hitherto_server.history.findings import Finding, Support
from hitherto_server.history.spoken import FENCED, ITEM
from hitherto_server.history.statements import stated_in

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_contract.words import Kind
    from hitherto_server.store.history import Trust

MOST_BYTES = 200_000
MOST_NOTE_CHARS = 2000
FEWEST_WORDS = 4
HEAD = re.compile(r"\A---\s*\n(.*?)\n---\s*\n", re.DOTALL)
FIELD = re.compile(r"^\s*(name|description|type):\s*(.+?)\s*$", re.MULTILINE)
LINK = re.compile(r"\]\([^)]+\.md\)")
KINDS: dict[str, Kind] = {"feedback": "preference", "user": "preference", "project": "fact"}
INDEX = "MEMORY.md"


def read_text(path: Path) -> str:
    """Return the beginning of a file without secrets; empty if it is no text."""
    with path.open("rb") as file:
        raw = file.read(MOST_BYTES)
    return "" if b"\x00" in raw else redact(raw.decode("utf-8", "replace")).text


def rules_in(path: Path, *, folder: str | None) -> list[Finding]:
    """Return the rules that a CLAUDE.md states; the person's own holds everywhere."""
    text = FENCED.sub("\n", read_text(path))
    trust: Trust = "user" if folder is None else "repository"
    at_ms = _written_at(path)
    found = []
    for line in text.splitlines():
        for one in stated_in(ITEM.sub("", line)):
            support = (Support(one.sentence, "file", path.name, at_ms, trust),)
            found.append(_noted(one.kind, one.content, support, folder))
    return found


def notes_in(path: Path, *, folder: str) -> list[Finding]:
    """Return what a file of the client's own memory says: one note, or a list of them."""
    text = read_text(path)
    head = HEAD.match(text)
    fields = dict(FIELD.findall(head[1])) if head else {}
    body = text[head.end() :] if head else text
    at_ms = _written_at(path)
    if head is None:
        return [_note(item, "fact", path, at_ms, folder) for item in _items(body)]
    said = " ".join(body.split("\n\n", 1)[0].split()) if path.name != INDEX else ""
    kind = KINDS.get(fields.get("type", ""), "note")
    note = said or fields.get("description", "")
    return [_note(note, kind, path, at_ms, folder)] if _says(note) else []


def _items(body: str) -> list[str]:
    """Return the items of a list of notes; the lines of an index only lead to files."""
    lines = FENCED.sub("\n", body).splitlines()
    items = [
        ITEM.sub("", line).strip() for line in lines if ITEM.match(line) and not LINK.search(line)
    ]
    return [item for item in items if _says(item)]


def _says(text: str) -> bool:
    return len(text.split()) >= FEWEST_WORDS


def _note(text: str, kind: Kind, path: Path, at_ms: int, folder: str) -> Finding:
    text = text[:MOST_NOTE_CHARS]
    return _noted(kind, text, (Support(text, "file", path.name, at_ms, "tool"),), folder)


def _noted(kind: Kind, content: str, support: tuple[Support, ...], folder: str | None) -> Finding:
    return Finding(
        kind=kind,
        content=content,
        support=support,
        folder=folder,
        scope="project" if folder else "user",
        tags=("client memory" if support[0].trust == "tool" else "CLAUDE.md",),
    )


def _written_at(path: Path) -> int:
    return int(path.stat().st_mtime * 1000)
