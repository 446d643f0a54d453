"""The signs of a scope's vectors: by them a few hundred candidates are found, then by cosine.

Two vectors that lie near each other agree in most signs, and 384 signs are 48 bytes.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from hitherto_server.store.driver import Connection, Row

BLOCK = 256
"""Passages a row: a scope of 50,000 is read in 200 rows, and a write changes 14 KB."""
CANDIDATES_EACH = 8
LEAST_CANDIDATES = 400
"""For so many of the wanted the cosine is calculated: see docs/decisions/store.md."""
BITS_A_WORD = 64

sql = load_queries("signs")


class Near(NamedTuple):
    """A passage near a vector."""

    number: int
    cosine: float
    start_char: int
    end_char: int


def put(connection: Connection, project: int, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Put the signs of passages of one scope (float32, little endian) in place of what they had."""
    left = list(zip([passage for passage, _ in vectors], codes_of(vectors), strict=True))
    drop(connection, [passage for passage, _ in vectors])
    while left:
        block = _open_block(connection, project)
        room = BLOCK - block["size"]
        _append(connection, block, left[:room])
        left = left[room:]


def drop(connection: Connection, passages: Iterable[int]) -> None:
    """Forget the signs of passages, where they are held."""
    for passage in passages:
        values = {"passage_id": passage}
        block = connection.execute(sql["block_of"], values).fetchone()
        if block is not None:
            _take_out(connection, block, passage)
            connection.execute(sql["drop_place"], values)


def clear(connection: Connection) -> None:
    """Forget all signs."""
    connection.execute(sql["clear_blocks"])
    connection.execute(sql["clear_places"])


def find_nearest(
    connection: Connection, vector: bytes, project: int, *, model: str, most: int
) -> list[Near]:
    """Return the passages of one scope that are nearest to a vector, in no order."""
    blocks = connection.execute(sql["blocks"], {"project": project}).fetchall()
    if not blocks:
        return []
    likely = _most_alike(blocks, vector, max(LEAST_CANDIDATES, CANDIDATES_EACH * most))
    values = {"passages": json.dumps(likely), "model": model}
    best = _best(connection.execute(sql["vectors"], values).fetchall(), vector, most)
    spans = connection.execute(sql["spans"], {"passages": json.dumps(list(best))})
    return [Near(number, best[passage], start, end) for passage, number, start, end in spans]


def codes_of(vectors: Sequence[tuple[int, bytes]]) -> list[bytes]:
    """Return for each passage the signs of its vector."""
    if not vectors:
        return []
    import numpy as np

    values = np.frombuffer(b"".join(vector for _, vector in vectors), dtype="<f4")
    return [row.tobytes() for row in _signs(values.reshape(len(vectors), -1))]


def list_held(connection: Connection) -> set[tuple[int, int, bytes]]:
    """Return each passage with its scope and its signs, of those that can be found and dropped."""
    places = {tuple(row) for row in connection.execute(sql["places"])}
    held = set()
    for block, project, passages, codes in connection.execute(sql["held"]):
        ids = _ids(passages)
        width = len(codes) // max(len(ids), 1)
        for place, passage in enumerate(ids):
            if (passage, block) in places:
                held.add((passage, project, codes[place * width : (place + 1) * width]))
    return held


def _signs(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    import numpy as np

    bits = np.packbits(vectors > 0, axis=1)
    missing = -bits.shape[1] % (BITS_A_WORD // 8)
    return np.pad(bits, ((0, 0), (0, missing)))


def _most_alike(blocks: list[Row], vector: bytes, most: int) -> list[int]:
    """Return the passages whose vectors have most signs of this one's."""
    import numpy as np

    passages = np.frombuffer(b"".join([row["passages"] for row in blocks]), dtype="<i8")
    if passages.size <= most:
        return list(map(int, passages))
    codes = np.frombuffer(b"".join([row["codes"] for row in blocks]), dtype="<u8")
    codes = codes.reshape(passages.size, -1)
    asked = _signs(np.frombuffer(vector, dtype="<f4")[np.newaxis]).view("<u8")[0]
    apart = np.zeros(passages.size, dtype=np.uint16)
    for word in range(codes.shape[1]):  # a sum over the second axis takes three times as long
        apart += np.bitwise_count(codes[:, word] ^ asked[word])
    likely = passages[np.argpartition(apart, most - 1)[:most]]
    return sorted(map(int, likely))  # a page of vectors is read once


def _best(stored: list[Row], vector: bytes, most: int) -> dict[int, float]:
    """Return the passages with the greatest cosines."""
    import numpy as np

    if not stored:
        return {}
    vectors = np.frombuffer(b"".join([row["vector"] for row in stored]), dtype="<f4")
    cosines = vectors.reshape(len(stored), -1) @ np.frombuffer(vector, dtype="<f4")
    chosen = range(len(stored))
    if most < len(stored):
        chosen = np.argpartition(-cosines, most - 1)[:most].tolist()
    return {stored[place]["passage_id"]: float(cosines[place]) for place in chosen}


def _open_block(connection: Connection, project: int) -> Row:
    values = {"project": project, "full": BLOCK}
    block: Row | None = connection.execute(sql["open_block"], values).fetchone()
    if block is None:
        connection.execute(sql["new_block"], {"project": project})
        block = connection.execute(sql["open_block"], values).fetchone()
        assert block is not None  # noqa: S101 - it was made just now
    return block


def _append(connection: Connection, block: Row, added: list[tuple[int, bytes]]) -> None:
    ids = [passage for passage, _ in added]
    values = {
        "id": block["id"],
        "size": block["size"] + len(added),
        "passages": block["passages"] + struct.pack(f"<{len(ids)}q", *ids),
        "codes": block["codes"] + b"".join([code for _, code in added]),
    }
    connection.execute(sql["set_block"], values)
    places = [{"passage_id": passage, "id": block["id"]} for passage in ids]
    connection.executemany(sql["put_place"], places)


def _take_out(connection: Connection, block: Row, passage: int) -> None:
    ids = _ids(block["passages"])
    place = ids.index(passage)
    if len(ids) == 1:
        connection.execute(sql["drop_block"], {"id": block["id"]})
        return
    width = len(block["codes"]) // len(ids)
    values = {
        "id": block["id"],
        "size": len(ids) - 1,
        "passages": _without(block["passages"], place, 8),
        "codes": _without(block["codes"], place, width),
    }
    connection.execute(sql["set_block"], values)


def _ids(passages: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(passages) // 8}q", passages)


def _without(blob: bytes, place: int, width: int) -> bytes:
    return blob[: place * width] + blob[(place + 1) * width :]
