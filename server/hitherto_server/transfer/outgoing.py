"""Writing an export: a header, a line for each thing, and a last line that counts them."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_contract.transfer import FORMAT
from hitherto_contract.version import VERSION
from hitherto_server.core.errors import InvalidInput, StoreFull
from hitherto_server.store.migrate import schema_version
from hitherto_server.store.transfer import Chosen, count_left_out, list_lines
from hitherto_server.transfer.projects import find_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hitherto_server.store.driver import Connection
    from hitherto_server.store.projects import Project


@dataclass(frozen=True)
class Exported:
    """What an export holds, and how much of the trash it does not."""

    counts: dict[str, int]
    left_out: int


def write_export(
    connection: Connection, path: Path, *, project: Project | None, trashed: bool, at_ms: int
) -> Exported:
    """Write the store, or one project, into a new file of the owner's alone."""
    chosen = Chosen(project.number if project else None, trashed)
    counts: Counter[str] = Counter()
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for line in list_export(connection, chosen, project, at_ms=at_ms):
                counts[line["type"]] += 1
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        message = f"{path}: {error.strerror}"
        raise StoreFull(message) from error
    counts = Counter({kind: count for kind, count in counts.items() if kind not in _FRAME})
    return Exported(dict(counts), count_left_out(connection, chosen))


def list_export(
    connection: Connection, chosen: Chosen, project: Project | None, *, at_ms: int
) -> Iterator[dict[str, Any]]:
    """Return all lines of an export, the first and the last included."""
    yield {
        "type": "hitherto-export",
        "format": FORMAT,
        "schema_version": schema_version(connection),
        "version": VERSION,
        "device": platform.node() or "unknown",
        "exported_at_ms": at_ms,
        "project": project.identity if project else None,
        "trashed": chosen.trashed,
    }
    counts: Counter[str] = Counter()
    for line in list_lines(connection, chosen):
        counts[line["type"]] += 1
        yield line
    yield {"type": "end", "counts": dict(counts)}


_FRAME = frozenset({"hitherto-export", "end"})


def choose_project(projects: list[Project], named: str) -> Project:
    """Return the project of that name, identity or folder."""
    rows = [
        {"identity": one.identity, "name": one.name, "seen_root": str(one.root)} for one in projects
    ]
    place = find_project(rows, named)
    if place is None:
        names = ", ".join(sorted({one.name for one in projects})) or "none"
        message = f"there is no project {named[:100]!r}, or more than one; there are: {names}"
        raise InvalidInput(message, mend="Name it by its folder, or by its identity.")
    return projects[place]
