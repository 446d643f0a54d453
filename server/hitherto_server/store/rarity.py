"""How many memories hold a word, over all scopes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection

sql = load_queries("rarity")


def count_holders(connection: Connection, stems: Iterable[str]) -> dict[str, int]:
    """Return how many memories hold each stem; those that none holds are left out."""
    rows = connection.execute(sql["holders"], {"stems": json.dumps(list(stems))})
    return {row["term"]: row["holders"] for row in rows}
