"""What judgments said of memories beside their files: kept for exactly one content and revision."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection, Row

sql = load_queries("verdicts")


@dataclass(frozen=True)
class NewVerdict:
    """A judgment as it is kept."""

    number: int
    revision: int
    surface: str
    answer: str
    """`holds`, `stale` or `undecided`."""
    probability: float
    basis_hash: str
    judged_at_ms: int


def has_any(connection: Connection) -> bool:
    """Tell whether anything was ever judged so."""
    return connection.execute(sql["any"]).fetchone() is not None


def list_on_files(connection: Connection, numbers: Iterable[int]) -> list[Row]:
    """Return what was judged of some memories as they read now, the latest last."""
    values = {"numbers": json.dumps(list(numbers))}
    return connection.execute(sql["on_files"], values).fetchall()


def put(connection: Connection, new: NewVerdict) -> bool:
    """Keep a judgment instead of an earlier one on the same basis; False if the memory moved on."""
    values = asdict(new)
    connection.execute(sql["drop_same"], values)
    return bool(connection.execute(sql["put"], values).rowcount == 1)
