"""What was judged of memories beside their files, for the standing of exactly these contents."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.standing.decide import Verdict
from hitherto_server.standing.verdicts import basis_of
from hitherto_server.store import verdicts as rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.standing.files import Judged
    from hitherto_server.store.driver import Connection, Row

ASK_AGAIN_S = 5.0
"""An import may bring the first verdict."""


@dataclass
class Verdicts:
    """Knows whether there are any, so that a store without a judge looks for none."""

    any_kept: bool = False
    _asked_at: float = float("-inf")

    def on(self, connection: Connection, memories: Sequence[Row]) -> dict[int, Judged]:
        """Return, of the memories that were judged, what was decided beside which file."""
        if not self._has_any(connection):
            return {}
        said: dict[int, dict[str, Verdict | None]] = {}
        for row in rows.list_on_files(connection, (one["number"] for one in memories)):
            said.setdefault(row["number"], {})[row["basis_hash"]] = decided(row)
        revisions = {one["number"]: one["revision"] for one in memories}
        return {
            number: partial(_beside, question(), revisions[number], by_basis)
            for number, by_basis in said.items()
        }

    def _has_any(self, connection: Connection) -> bool:
        if not self.any_kept and time.monotonic() - self._asked_at > ASK_AGAIN_S:
            self._asked_at = time.monotonic()
            self.any_kept = rows.has_any(connection)
        return self.any_kept


def question() -> str:
    """Return the hash of the question that verdicts answer; an older one's no longer count."""
    from hitherto_server.judge.surfaces.stale_check import SURFACE

    return SURFACE.question_hash


def decided(row: Row) -> Verdict | None:
    """Return what a kept judgment decided; None where it lay between the thresholds."""
    if row["answer"] == "undecided":
        return None
    return Verdict(row["answer"] == "holds", row["probability"])


def _beside(
    question: str,
    revision: int,
    by_basis: Mapping[str, Verdict | None],
    path: str,
    file_hash: str,
) -> Verdict | None:
    return by_basis.get(basis_of(question, revision, path, file_hash))
