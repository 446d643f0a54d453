"""The numbered steps from an empty database to today's schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Step:
    """One migration: its number, its name and its SQL."""

    number: int
    name: str
    sql: str


def list_steps() -> tuple[Step, ...]:
    """Return all steps in order, read from the numbered SQL files beside this module."""
    paths = sorted(FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return tuple(
        Step(int(path.stem[:4]), path.stem[5:], path.read_text(encoding="utf-8")) for path in paths
    )
