"""Runs in the peer's own Python: its storage class, fed and asked over stdin and stdout."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mcp_memory_service.models.memory import Memory  # type: ignore[import-not-found]
from mcp_memory_service.storage.sqlite_vec import (  # type: ignore[import-not-found]
    SqliteVecMemoryStorage,
)

BATCH = 2000


class Given:
    """Stands in for the model while memories are stored: the vectors were made before."""

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors = vectors

    def encode(self, texts: list[str], **_: Any) -> np.ndarray:
        """Return the next vectors."""
        taken, self.vectors = self.vectors[: len(texts)], self.vectors[len(texts) :]
        return taken


async def seed(storage: Any, folder: Path) -> dict[str, Any]:
    """Store every memory by the storage's own batch function, each project a store of its own."""
    rows = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    vectors = np.load(folder / "vectors.npy")
    real = storage.embedding_model
    stored = 0
    for start in range(0, len(rows), BATCH):
        batch = list(zip(rows, vectors, strict=True))[start : start + BATCH]
        for store in sorted({row["store"] for row, _ in batch}):
            chosen = [pair for pair in batch if pair[0]["store"] == store]
            storage.embedding_model = Given(np.array([vector for _, vector in chosen]))
            memories = [memory_of(row["content"]) for row, _ in chosen]
            outcomes = await storage.store_batch(memories, store=store)
            stored += sum(done for done, _ in outcomes)
    storage.embedding_model = real
    if stored != len(rows):
        return {"failed": f"it stored {stored} of {len(rows)} memories"}
    return {"stored": stored}


def memory_of(content: str) -> Any:
    """Return a memory as its own tools make one."""
    return Memory(content=content, content_hash=hashlib.sha256(content.encode()).hexdigest())


async def recall(storage: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Time one recall."""
    began = time.perf_counter()
    found = await storage.retrieve(order["query"], n_results=order["most"], store=order["store"])
    return {"ms": (time.perf_counter() - began) * 1000, "hits": len(found)}


async def obey(storage: Any, order: dict[str, Any]) -> dict[str, Any]:
    """Do as one order says."""
    if order["do"] == "seed":
        return await seed(storage, Path(order["texts"]))
    if order["do"] == "recall":
        return await recall(storage, order)
    if order["do"] == "close":
        storage.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await storage.close()
        return {"closed": True}
    model = type(storage.embedding_model)
    return {"engine": f"{model.__module__}.{model.__name__}"}


async def main() -> None:
    """Answer orders until there are no more."""
    storage = SqliteVecMemoryStorage(sys.argv[1])
    await storage.initialize()
    for line in sys.stdin:
        try:
            answer = await obey(storage, json.loads(line))
        except Exception as error:  # noqa: BLE001 - whoever measures must learn why
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
