"""Named SQL: each `.sql` file beside its module holds `-- name: purpose` and a statement."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
HEADER = re.compile(r"^-- (\w+): .+$", re.MULTILINE)


@cache
def load_queries(name: str) -> dict[str, str]:
    """Return the statements of `NAME.sql` by their names."""
    pieces = HEADER.split((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    names, bodies = pieces[1::2], pieces[2::2]
    if len(set(names)) != len(names):
        message = f"{name}.sql names a query twice"
        raise ValueError(message)
    return {key: body.strip() for key, body in zip(names, bodies, strict=True)}


def list_query_files() -> list[str]:
    """Return the names of all query files."""
    return sorted(path.stem for path in FOLDER.glob("*.sql"))
