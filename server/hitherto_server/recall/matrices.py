"""The vectors of a scope in memory: one product instead of a scan; the store stays the truth."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hitherto_server.recall.nearest import Nearest
from hitherto_server.store import matrices as rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.matrices import Version

    Integers = NDArray[np.int64]
    Vectors = NDArray[np.float32]

MOST_PASSAGES = 8192
"""Of one scope, 12 MiB at 384 dimensions; the index answers for larger ones."""
MOST_BYTES = 24 * 1024 * 1024


@dataclass(frozen=True)
class Matrix:
    """The passages of one scope and their vectors, as they were at a version of the index."""

    version: Version
    passages: Integers
    """Their ids."""
    texts: Integers
    """For each, which text its memory had."""
    places: Integers
    """Shape (passages, 3): the memory, where the passage starts, where it ends."""
    vectors: Vectors
    """Shape (passages, dimension), each of length 1."""

    def nearest(self, vector: bytes, *, most: int) -> dict[int, Nearest]:
        """Return the best passage of each memory among the nearest passages."""
        import numpy as np

        if not self.passages.size:
            return {}
        cosines = self.vectors @ np.frombuffer(vector, dtype="<f4")
        chosen = np.arange(cosines.size)
        if most < cosines.size:
            chosen = np.argpartition(-cosines, most - 1)[:most]
        return self._best(chosen, cosines[chosen])

    def of_memories(self, vector: bytes, numbers: Collection[int]) -> dict[int, Nearest]:
        """Return the best passage of each of some memories, as far as they are of this scope."""
        import numpy as np

        if not self.passages.size:
            return {}
        wanted = np.fromiter(numbers, dtype=np.int64, count=len(numbers))
        chosen = np.flatnonzero(np.isin(self.places[:, 0], wanted))
        return self._best(chosen, self.vectors[chosen] @ np.frombuffer(vector, dtype="<f4"))

    def only(self, these: NDArray[np.bool_]) -> Matrix:
        """Return the matrix of some of its passages."""
        return Matrix(
            self.version,
            self.passages[these],
            self.texts[these],
            self.places[these],
            self.vectors[these],
        )

    def _best(self, chosen: Integers, cosines: Vectors) -> dict[int, Nearest]:
        best: dict[int, Nearest] = {}
        for (number, start, end), cosine in zip(
            self.places[chosen].tolist(), cosines.tolist(), strict=True
        ):
            if number not in best or cosine > best[number].cosine:
                best[number] = Nearest(cosine, start, end)
        return best


@dataclass
class Matrices:
    """Keeps the vectors of the scopes that are asked; whoever asks brings them up to date."""

    most_bytes: int = MOST_BYTES
    _kept: dict[tuple[str, int], Matrix] = field(default_factory=dict)
    _used: dict[tuple[str, int], float] = field(default_factory=dict)
    _too_large: set[tuple[str, int]] = field(default_factory=set)

    def serve(self, model: str | None, scopes: Iterable[int]) -> bool:
        """Tell whether all these scopes are kept, however old."""
        return model is not None and all((model, scope) in self._kept for scope in scopes)

    def of(
        self, connection: Connection, model: str | None, scopes: Iterable[int]
    ) -> tuple[Matrix, ...] | None:
        """Return the vectors of scopes as they are now; None where the index must be asked."""
        if model is None or not rows.has_index(connection, model):
            return None
        found = []
        for scope in scopes:
            matrix = self._up_to_date(connection, model, scope)
            if matrix is None:
                return None
            found.append(matrix)
        return tuple(found)

    def _up_to_date(self, connection: Connection, model: str, scope: int) -> Matrix | None:
        key = model, scope
        if key in self._too_large:
            return None
        version = rows.version_of(connection, scope)
        kept = self._kept.get(key)
        self._used[key] = time.monotonic()
        if kept is not None and kept.version == version:
            return kept
        made = _brought_up_to_date(connection, model, scope, version, kept)
        if made is None:
            self._too_large.add(key)
            return None
        self._kept[key] = made
        self._make_room()
        return made

    def _make_room(self) -> None:
        """Let go of what was not asked for the longest time; the newest stays."""
        oldest_first = sorted(self._kept.items(), key=lambda kept: self._used[kept[0]])
        size = sum(matrix.vectors.nbytes for _, matrix in oldest_first)
        for key, matrix in oldest_first[:-1]:
            if size <= self.most_bytes:
                return
            self._kept.pop(key, None)
            size -= matrix.vectors.nbytes


def _brought_up_to_date(
    connection: Connection, model: str, scope: int, version: Version, before: Matrix | None
) -> Matrix | None:
    """Return the scope's vectors, reading only those that are new; None if they are too many."""
    import numpy as np

    now = rows.list_passages(connection, model, scope, most=MOST_PASSAGES + 1)
    if len(now) > MOST_PASSAGES:
        return None
    if before is None or before.version.whole != version.whole:
        return _matrix(version, rows.list_vectors(connection, model, now), now)
    known = zip(before.passages.tolist(), before.texts.tolist(), strict=True)
    stays = np.array([now.get(passage) == text for passage, text in known], dtype=np.bool_)
    new = sorted(now.keys() - set(before.passages[stays].tolist()))
    added = _matrix(version, rows.list_vectors(connection, model, new), now)
    if not stays.any():
        return added
    if not new:
        return replace(before.only(stays), version=version)
    return Matrix(
        version,
        np.concatenate((before.passages[stays], added.passages)),
        np.concatenate((before.texts[stays], added.texts)),
        np.concatenate((before.places[stays], added.places)),
        np.concatenate((before.vectors[stays], added.vectors)),
    )


def _matrix(version: Version, found: list[Row], texts: Mapping[int, int]) -> Matrix:
    import numpy as np

    passages = [row["passage_id"] for row in found]
    places = [(row["number"], row["start_char"], row["end_char"]) for row in found]
    vectors = np.frombuffer(b"".join(row["vector"] for row in found), dtype="<f4")
    return Matrix(
        version,
        np.array(passages, dtype=np.int64),
        np.array([texts[passage] for passage in passages], dtype=np.int64),
        np.array(places, dtype=np.int64).reshape(-1, 3),
        vectors.reshape(len(found), -1) if found else vectors.reshape(0, 0),
    )
