"""The words around a memory, which its index row carries in a column of little weight."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hitherto_server.core.text import people_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.driver import Row

CHUNK = "transcript"
"""The source of what was cut from a session: alone, such a text says little."""
MOST_BESIDE = 700


def context_of(row: Row, beside: Sequence[Row]) -> str:
    """Return what a memory is, who said it, when, to what end, and what was said around it."""
    named = [row["kind"], row["category"], *json.loads(row["tags"])]
    said = [*people_in(row["actor"]), _day(row["learned_at_ms"]), row["goal"]]
    around = [one["content"][:MOST_BESIDE] for one in beside]
    return " ".join([*named, *said, *around, row["paths"]])


def _day(at_ms: int) -> str:
    """Spell a day as questions name it: `2026-11-30 monday november`."""
    return f"{datetime.fromtimestamp(at_ms / 1000, tz=UTC):%Y-%m-%d %A %B}"
