"""Vectors of passages: made where nobody waits, kept if the text is still the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.store import signs
from hitherto_server.store.derived import kept_vectors
from hitherto_server.store.passages import is_unchanged, put_embedding

if TYPE_CHECKING:
    from hitherto_server.recall.embedder import Embedder
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.passages import Waiting


async def embed_passages(store: Store, embedder: Embedder, passages: list[Waiting]) -> None:
    """Keep the vectors of some passages, unless their text has changed meanwhile."""
    model = embedder.model
    if model is None:
        return
    vectors = [
        (await embedder.embed(passage.text, "passage", patient=True)).tobytes()
        for passage in passages
    ]

    def job(connection: Connection) -> None:
        is_indexed = kept_vectors(connection) == model.name
        for passage, vector in zip(passages, vectors, strict=True):
            if not is_unchanged(connection, passage):
                continue
            put_embedding(
                connection,
                passage.id,
                model=model.name,
                dimension=model.dimension,
                vector=vector,
            )
            if is_indexed:
                signs.put(connection, passage.project, [(passage.id, vector)])

    # a vector that a power cut takes is made again
    await store.writer.run(job, durable=False)
