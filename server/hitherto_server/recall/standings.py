"""The edge between recall and standing: rows become anchors, files are looked at."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.recall.hits import USER_WIDE
from hitherto_server.recall.verdicts import Verdicts
from hitherto_server.standing.anchors import Anchor, Part
from hitherto_server.standing.bounded import Bounded
from hitherto_server.standing.decide import MemoryFacts
from hitherto_server.standing.files import FileStates, Remembered, standings
from hitherto_server.standing.moves import Moves
from hitherto_server.store import recall as rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from hitherto_server.standing.decide import StandingView
    from hitherto_server.store.driver import Connection, Row

LOOKING_S = 0.1
MOST_ROOTS = 32


@dataclass
class Lookout:
    """Looks at the files of memories; what it learned of them stays known."""

    files: FileStates = field(default_factory=FileStates)
    moves: Bounded[Path, Moves] = field(default_factory=lambda: Bounded(MOST_ROOTS))
    on_late: Callable[[Path, list[int]], None] = lambda _root, _numbers: None
    """Told, on whatever thread looks, which memories were not looked at in time."""
    verdicts: Verdicts = field(default_factory=Verdicts)

    def views(
        self,
        connection: Connection,
        texts: Sequence[Row],
        superseded_by: Mapping[int, str | None],
        root: Path | None,
        *,
        looking_s: float | None = None,
    ) -> dict[int, StandingView]:
        """Return how far each memory holds, within the time that recall has for it."""
        if root is not None and not root.is_dir():
            root = None  # a checkout that moved away says nothing of its files
        within_s = LOOKING_S if looking_s is None else looking_s
        numbers = [row["number"] for row in texts]
        anchors = anchors_of(connection, numbers)
        conflicts = rows.list_conflicts(connection, numbers)
        judged = self.verdicts.on(connection, texts)
        remembered = []
        for row in texts:
            number = row["number"]
            # A user-wide memory's files belong to the project where it was written, which need
            # not be this one: files that are not here would make it stale.
            is_here = root is not None and row["project"] != USER_WIDE
            remembered.append(
                Remembered(
                    MemoryFacts(row["source"], row["learned_at_ms"], row["confirmed_at_ms"]),
                    tuple(anchors.get(number, ())) if is_here else (),
                    superseded_by=superseded_by.get(number),
                    conflicts=tuple(conflicts.get(number, ())),
                    judged=judged.get(number),
                )
            )
        views = dict(zip(numbers, self._look(remembered, root, within_s), strict=True))
        late = [number for number, view in views.items() if view.is_late]
        if late and root is not None:
            self.on_late(root, late)
        return views

    def warm(self, anchors: Iterable[Anchor], root: Path, deadline: float) -> None:
        """Look at anchors ahead of time, so that the next recall need not."""
        self.files.look(root, tuple(anchors), self.moves_in(root).find, deadline)

    def _look(
        self, remembered: Sequence[Remembered], root: Path | None, looking_s: float
    ) -> Iterable[StandingView]:
        from pathlib import Path

        deadline = time.perf_counter() + looking_s
        if root is None:  # there are no anchors to look at: the folder is not read
            return standings(remembered, Path(), self.files, None, deadline)
        return standings(remembered, root, self.files, self.moves_in(root), deadline)

    def moves_in(self, root: Path) -> Moves:
        """Return what finds the files that went elsewhere within a root."""
        moves = self.moves.get(root)
        if moves is None:
            moves = Moves(root, self.files.read)
            self.moves.put(root, moves)
        return moves


def anchors_of(connection: Connection, numbers: Sequence[int]) -> dict[int, list[Anchor]]:
    """Return what ties some memories to files."""
    found: dict[int, list[Anchor]] = {}
    anchors, parts = rows.list_anchors(connection, numbers)
    for row in anchors:
        named = tuple(
            Part(part["kind"], part["name"], part["region_hash"])
            for part in parts.get(row["id"], ())
        )
        found.setdefault(row["number"], []).append(
            Anchor(row["path"], row["file_hash"], named, row["commit_hash"])
        )
    return found
