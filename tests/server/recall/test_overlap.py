"""The words are looked up while the model works: together they take as long as the longer one."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from hitherto_server.recall import looking

from .conftest import ToyModel, unit

if TYPE_CHECKING:
    import pytest

    from .conftest import Shelf


class WaitsForWords(ToyModel):
    """A model that is not done before the words were asked for."""

    def __init__(self) -> None:
        self.made: Future[Any] = Future()

    def begin(self, text: str) -> Any:
        return self.made


async def test_the_words_are_asked_before_the_vector_is_there(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = await shelf.add("Things fail for many reasons.", vector=[1, 0, 0, 0])
    named = await shelf.add("`parse_config` reads twice.", vector=[0.6, 0.8, 0, 0])
    await shelf.rebuild()
    model = shelf.recaller.embedder = WaitsForWords()
    ask_by_words = looking.ask_by_words

    def words_first(*given: Any, **named: Any) -> Any:
        evidence = ask_by_words(*given, **named)
        assert not model.made.done()
        model.made.set_result(unit([1.0, 0.0, 0.0, 0.0]))
        return evidence

    monkeypatch.setattr(looking, "ask_by_words", words_first)
    reply = await shelf.ask("why does parse_config fail")
    assert reply.arms["passages"] == "ok"
    assert {hit.id for hit in reply.hits} == {shelf.ids[near], shelf.ids[named]}
