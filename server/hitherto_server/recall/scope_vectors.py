"""The vectors of the scopes that are asked most, in memory: all their cosines take no reading."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.store import signs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from hitherto_server.store.driver import Connection
    from hitherto_server.store.signs import Block, Placed

MOST_KEPT = 8192
"""Vectors of all scopes together: 12 MB of 384 dimensions."""
MOST_READ = 4
"""Blocks that one recall reads, some 1 ms each: the next recalls read on."""
ASKED_ONCE = 64
"""Scopes that are remembered as asked: one that is asked again is likely asked a third time."""


class Piece(NamedTuple):
    """The vectors of one block, as they were in one edition of it."""

    block: Block
    places: Sequence[Placed]
    vectors: NDArray[np.float32]


@dataclass(frozen=True)
class Kept:
    """A scope's vectors, all of one model, as far as they were read."""

    model: str
    pieces: Mapping[int, Piece]
    places: Sequence[Placed]
    of_memory: Mapping[int, Sequence[int]]
    """Which of the places are in a memory."""

    @property
    def blocks(self) -> list[Block]:
        return [piece.block for piece in self.pieces.values()]

    @property
    def size(self) -> int:
        return sum(block.size for block in self.blocks)


@dataclass
class ScopeVectors:
    """Finds what is nearest in a scope; several readers ask at once."""

    most_kept: int = MOST_KEPT
    _kept: OrderedDict[int, Kept] = field(default_factory=OrderedDict)
    _asked: OrderedDict[int, None] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def keeps(self, scopes: Iterable[int]) -> bool:
        """Tell whether the vectors of all these scopes are in memory, as they are or were."""
        with self._lock:
            return all(scope in self._kept for scope in scopes)

    def find_nearest(
        self,
        connection: Connection,
        vector: bytes,
        scope: int,
        *,
        model: str,
        most: int,
        also: Collection[int] = (),
    ) -> list[signs.Near]:
        """Return the passages of one scope that are nearest to a vector.

        With those of the memories `also`, if it is in memory: then that takes no reading.
        """
        kept = self._up_to_date(connection, scope, model)
        if kept is None:
            return signs.find_nearest(connection, vector, scope, model=model, most=most)
        return _nearest(kept, vector, most, also)

    def _up_to_date(self, connection: Connection, scope: int, model: str) -> Kept | None:
        """Return a scope as it is now; None if it isn't all in memory yet, or not worth it."""
        blocks = signs.list_blocks(connection, scope)
        if sum(block.size for block in blocks) > self.most_kept:
            return None
        with self._lock:
            before = self._kept.get(scope)
            if before is None and not self._is_asked_again(scope):
                return None
        if before is not None and before.model == model and before.blocks == blocks:
            kept = before
        else:
            kept = _read(connection, blocks, model, before)
        self._keep(scope, kept)
        return kept if kept.blocks == blocks else None

    def _is_asked_again(self, scope: int) -> bool:
        if scope in self._asked:
            return True
        self._asked[scope] = None
        while len(self._asked) > ASKED_ONCE:
            self._asked.popitem(last=False)
        return False

    def _keep(self, scope: int, kept: Kept) -> None:
        """Keep a scope as the one that was asked last, and let the longest unasked go."""
        with self._lock:
            self._kept[scope] = kept
            self._kept.move_to_end(scope)
            while sum(one.size for one in self._kept.values()) > self.most_kept:
                self._kept.popitem(last=False)


def _read(connection: Connection, blocks: list[Block], model: str, before: Kept | None) -> Kept:
    """Return what is known of these blocks, some that are new or changed among it."""
    known = before.pieces if before is not None and before.model == model else {}
    pieces, left = {}, MOST_READ
    for block in blocks:
        piece = known.get(block.id)
        if piece is None or piece.block != block:
            if not left:
                continue
            piece, left = _piece(connection, block, model), left - 1
        pieces[block.id] = piece
    places = [place for piece in pieces.values() for place in piece.places]
    of_memory: dict[int, list[int]] = {}
    for index, place in enumerate(places):
        of_memory.setdefault(place.number, []).append(index)
    return Kept(model, pieces, places, of_memory)


def _piece(connection: Connection, block: Block, model: str) -> Piece:
    import numpy as np

    places, stored = signs.read_block(connection, block.id, model)
    vectors = np.frombuffer(b"".join(stored), dtype="<f4").reshape(len(places) or 1, -1)
    lengths = np.linalg.norm(vectors, axis=1)
    sound = np.isfinite(lengths) & (lengths > 0)  # a damaged one must hide no other
    kept = [place for place, is_sound in zip(places, sound, strict=False) if is_sound]
    return Piece(block, kept, vectors[sound] / lengths[sound, np.newaxis])


def _nearest(kept: Kept, vector: bytes, most: int, also: Collection[int]) -> list[signs.Near]:
    import numpy as np

    if not kept.places:
        return []
    asked = np.frombuffer(vector, dtype="<f4")
    # as fast as `@`, and never on threads of its own
    parts = [np.einsum("ij,j->i", one.vectors, asked) for one in kept.pieces.values() if one.places]
    cosines = np.concatenate(parts)
    best: Iterable[int] = range(cosines.size)
    if cosines.size > most:
        best = np.argpartition(-cosines, most - 1)[:most].tolist()
    wanted = {*best, *chain.from_iterable(kept.of_memory.get(one, ()) for one in also)}
    return [
        signs.Near(kept.places[one].number, float(cosines[one]), *kept.places[one][1:])
        for one in wanted
    ]
