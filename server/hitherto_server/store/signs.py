"""The signs of a scope's vectors: they tell which few hundred are worth a cosine.

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

    Codes = NDArray[np.uint64]

BLOCK = 256
"""Passages a row: a scope of 50,000 is read in 200 rows, and a write changes 14 KB."""
ALIKE = 2000
"""So many that agree in most signs are looked at closer."""
BITS_A_WORD = 64

sql = load_queries("signs")


class Near(NamedTuple):
    """A passage near a vector."""

    number: int
    cosine: float
    start_char: int
    end_char: int


class Block(NamedTuple):
    """A block of a scope, which has another edition after each change."""

    id: int
    edition: int
    size: int


class Placed(NamedTuple):
    """Where a passage stands in a memory."""

    number: int
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
    """Return the passages of one scope that are nearest to a vector, best first."""
    blocks = connection.execute(sql["blocks"], {"project": project}).fetchall()
    if not blocks:
        return []
    likely = json.dumps(_likely(blocks, vector, most))
    values = {"passages": likely, "model": model, "vector": vector, "most": most}
    return [Near(*row) for row in connection.execute(sql["nearest"], values)]


def list_blocks(connection: Connection, project: int) -> list[Block]:
    """Return the blocks of a scope; equal ones hold the same."""
    return [Block(*row) for row in connection.execute(sql["editions"], {"project": project})]


def read_block(
    connection: Connection, block_id: int, model: str
) -> tuple[list[Placed], list[bytes]]:
    """Return the passages of a block with their vectors of one model, in one order."""
    block = connection.execute(sql["passages_of"], {"id": block_id}).fetchone()
    ids = sorted(_ids(block["passages"])) if block is not None else []
    values = {"passages": json.dumps(ids), "model": model}
    rows = connection.execute(sql["block_vectors"], values).fetchall()
    return [Placed(*row[:3]) for row in rows], [row["vector"] for row in rows]


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


def measured_by(connection: Connection) -> str:
    """Return what calculates the cosines on a connection."""
    known = connection.execute(sql["extension"]).fetchone()
    return "sqlite-vec" if known else "numpy"


def _signs(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    import numpy as np

    bits = np.packbits(vectors > 0, axis=1)
    missing = -bits.shape[1] % (BITS_A_WORD // 8)
    return np.pad(bits, ((0, 0), (0, missing)))


def candidates_of(size: int, most: int) -> int:
    """Return of how many passages of a scope the cosine is calculated to find the nearest.

    Each takes some 4 us; what they find of the nearest is in docs/decisions/store.md.
    """
    return 60 + 2 * most + min(size // 200, 300)


def _likely(blocks: list[Row], vector: bytes, most: int) -> list[int]:
    """Return the passages that are likely the nearest, in the order of their ids."""
    import numpy as np

    passages = np.frombuffer(b"".join([row["passages"] for row in blocks]), dtype="<i8")
    count = candidates_of(passages.size, most)
    if passages.size > count:
        codes = np.frombuffer(b"".join([row["codes"] for row in blocks]), dtype="<u8")
        codes = codes.reshape(passages.size, -1)
        passages = passages[_most_alike(codes, np.frombuffer(vector, dtype="<f4"), count)]
    ordered: list[int] = np.sort(passages).tolist()  # so a page of vectors is read once
    return ordered


def _most_alike(codes: Codes, asked: NDArray[np.float32], most: int) -> NDArray[np.intp]:
    """Return which codes agree most in sign with a vector, its greater numbers counting more."""
    import numpy as np

    alike = np.arange(codes.shape[0])
    if alike.size > ALIKE:
        asked_code = _signs(asked[np.newaxis]).view("<u8")[0]
        apart = np.zeros(alike.size, dtype=np.uint16)
        for word in range(codes.shape[1]):  # a sum over the second axis takes three times as long
            apart += np.bitwise_count(codes[:, word] ^ asked_code[word])
        alike = np.argpartition(apart, ALIKE - 1)[:ALIKE]
    bits = np.unpackbits(codes[alike].view(np.uint8), axis=1, count=asked.size)
    weight = bits.astype(np.float32) @ asked
    return alike[np.argpartition(-weight, most - 1)[:most]]


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
