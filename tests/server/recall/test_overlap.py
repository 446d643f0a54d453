"""While the words of a large store are still looked up, the second reader asks the passages."""

from __future__ import annotations

import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from hitherto_server.core.settings import Settings
from hitherto_server.recall import arms, looking, pipeline
from hitherto_server.recall.hits import Question
from hitherto_server.recall.pipeline import Recaller
from hitherto_server.store.database import open_store

from .conftest import NOW_MS, ToyModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import pytest

    from .conftest import Shelf

TEXT = "why does parse_config fail"
MODEL = ToyModel(**{"why does fail": [1.0, 0.0, 0.0, 0.0]})
LONG_S = 30.0


@asynccontextmanager
async def two_readers(folder: Path) -> AsyncIterator[Recaller]:
    """Lend a recaller over the shelf's file that can look twice at a time."""
    store = await open_store(
        folder / "memory.db", backups=folder / "backups", clock=lambda: NOW_MS, readers=2
    )
    try:
        yield Recaller(store, MODEL, Settings(), clock=lambda: NOW_MS)
    finally:
        await store.close()


async def test_passages_are_asked_while_slow_words_are_looked_up_and_the_answer_is_the_same(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shelf.add("Things fail for many reasons.", vector=[1, 0, 0, 0])
    await shelf.add("`parse_config` reads twice.", vector=[0.6, 0.8, 0, 0])
    await shelf.rebuild()
    shelf.recaller.embedder = MODEL
    expected = await shelf.ask(TEXT)

    asked = threading.Event()
    overlapped: list[bool] = []
    look_by_words, ask_passages = looking.look_by_words, arms.ask_passages

    def slow_words(*given: Any) -> Any:
        overlapped.append(asked.wait(LONG_S))
        return look_by_words(*given)

    def passages(*given: Any, **named: Any) -> Any:
        asked.set()
        return ask_passages(*given, **named)

    monkeypatch.setattr(pipeline, "look_by_words", slow_words)
    monkeypatch.setattr(pipeline, "ask_passages", passages)
    async with two_readers(tmp_path) as recaller:
        found = await recaller.recall(Question(TEXT, 1, None))

    assert overlapped == [True]
    assert len(found.hits) == 2
    assert (found.hits, found.arms) == (expected.hits, expected.arms)
