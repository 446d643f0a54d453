"""Exact cosines over stored vectors; numpy is imported only when there is a vector to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitherto_server.store.driver import Row


def cosines_of(stored: list[Row], vector: bytes) -> list[float]:
    """Return the cosine of each row's vector to the query's; all have length 1."""
    if not stored:
        return []
    import numpy as np

    wanted = np.frombuffer(vector, dtype="<f4")
    fits = [row["vector"] for row in stored]
    matrix = np.frombuffer(b"".join(fits), dtype="<f4").reshape(len(fits), wanted.size)
    found: list[float] = (matrix @ wanted).tolist()
    return found


def wholes_of(stored: list[Row], vector: bytes) -> dict[int, float]:
    """Return each memory's cosine as a whole: that of the mean of its passages."""
    if not stored:
        return {}
    import numpy as np

    wanted = np.frombuffer(vector, dtype="<f4")
    parts: dict[int, list[bytes]] = {}
    for row in stored:
        parts.setdefault(row["number"], []).append(row["vector"])
    found: dict[int, float] = {}
    for number, vectors in parts.items():
        total = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, wanted.size).sum(axis=0)
        length = float(np.linalg.norm(total))
        if length > 0:
            found[number] = float(total @ wanted) / length
    return found
