"""An export as a folder of Markdown: one file a project, the same bytes for the same memories."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from hitherto_server.core.clock import date_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Line = dict[str, Any]

MARK = "<!-- written by `hitherto export --format markdown`; changes here change no memory -->"
EVERYWHERE = "everywhere"
UNSORTED = "without a category"
SLUG = re.compile(r"[^a-z0-9]+")
MOST_SLUG_CHARS = 60


def write_markdown(lines: Iterable[Line], folder: Path) -> list[Path]:
    """Write a file for each project; a file of ours whose project has no memories goes."""
    names, memories, replaced = _sorted(lines)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for project, name in _file_names(names, memories).items():
        path = folder / f"{name}.md"
        _write(path, _page(names.get(project), memories[project], replaced))
        written.append(path)
    for path in folder.glob("*.md"):
        if path not in written and _is_ours(path):
            path.unlink()
    return written


def _sorted(
    lines: Iterable[Line],
) -> tuple[dict[str | None, Line], dict[str | None, list[Line]], dict[str, str]]:
    names: dict[str | None, Line] = {}
    memories: dict[str | None, list[Line]] = defaultdict(list)
    replaced: dict[str, str] = {}
    for line in lines:
        match line["type"]:
            case "project":
                names[line["identity"]] = line
            case "memory":
                memories[line["project"]].append(line)
            case "relation" if line["kind"] == "supersedes" and line["undone_at_ms"] is None:
                replaced[line["older"]] = line["newer"]
            case _:
                pass
    return names, memories, replaced


def _file_names(
    names: dict[str | None, Line], memories: dict[str | None, list[Line]]
) -> dict[str | None, str]:
    """Return the name of each project's file; of projects of one name the later have a number."""
    found: dict[str | None, str] = {}
    for project in sorted(memories, key=lambda one: one or ""):
        slug = EVERYWHERE if project is None else _slug(names[project]["name"])
        taken = {*found.values(), *({EVERYWHERE} if project is not None else ())}
        number = 2
        name = slug
        while name in taken:
            name, number = f"{slug}-{number}", number + 1
        found[project] = name
    return found


def _slug(name: str) -> str:
    return SLUG.sub("-", name.lower()).strip("-")[:MOST_SLUG_CHARS] or "project"


def _page(project: Line | None, memories: list[Line], replaced: dict[str, str]) -> str:
    title = project["name"] if project else "What holds everywhere"
    identity = project["identity"] if project else "user-wide"
    sections: dict[str, list[Line]] = defaultdict(list)
    for memory in memories:
        sections[" / ".join(memory["category"] or ()) or UNSORTED].append(memory)
    pieces = [f"# {title}\n\n{MARK}\n<!-- {identity} -->\n"]
    for section in sorted(sections, key=lambda name: (name == UNSORTED, name)):
        pieces.append(f"\n## {section}\n")
        pieces += [_entry(one, replaced) for one in sorted(sections[section], key=_order)]
    return "".join(pieces)


def _order(memory: Line) -> tuple[int, str]:
    return memory["learned_at_ms"], memory["id"]


def _entry(memory: Line, replaced: dict[str, str]) -> str:
    heading = f"\n### {memory['kind']} · {date_of(memory['learned_at_ms'])}"
    marks = [
        "in the trash" if memory["trashed_at_ms"] is not None else "",
        "candidate" if memory["tier"] == "candidate" else "",
        "suspect" if memory["suspect"] else "",
    ]
    heading += "".join(f" · {mark}" for mark in marks if mark)
    content = "\n".join(f"> {line}".rstrip() for line in memory["content"].splitlines())
    told = [
        ("files", ", ".join(f"`{one['path']}`" for one in memory["anchors"])),
        ("tags", ", ".join(memory["tags"])),
        ("state", memory["state_key"] or ""),
        ("replaced by", replaced.get(memory["id"], "")),
    ]
    listed = "".join(f"- {name}: {said}\n" for name, said in told if said)
    head = f"{heading}\n<!-- {memory['id']} -->\n\n{content}\n"
    return f"{head}\n{listed}" if listed else head


def _write(path: Path, text: str) -> None:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return  # git and backups see no change where there is none
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def _is_ours(path: Path) -> bool:
    return MARK in path.read_text(encoding="utf-8", errors="replace")[:500]
