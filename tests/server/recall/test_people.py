"""Who is known where a question is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.recall.people import MOST_SCOPES, Acquaintances, acquainted

if TYPE_CHECKING:
    from server.recall.conftest import Shelf  # type: ignore[import-not-found]


async def test_who_said_something_in_a_scope_is_known_there_and_nowhere_else(shelf: Shelf) -> None:
    await shelf.add("The cache is kept for an hour.", actor="Maria Lopez")
    await shelf.add("The cache is kept for a day.", actor="jonas", project=2)
    await shelf.add("Answer in English.", actor="Priya", project=None)
    await shelf.add("The cache is small.", actor="agent")
    known = await shelf.store.readers.run(lambda c: acquainted(c, (1, 0)))
    assert known.people == {"maria", "lopez", "priya"}
    assert known.project == {"p"}


async def test_a_name_that_is_a_common_word_is_no_name(shelf: Shelf) -> None:
    await shelf.add("The cache is kept for an hour.", actor="Will")
    known = await shelf.store.readers.run(lambda c: acquainted(c, (1,)))
    assert known.people == set()


async def test_who_is_known_is_read_once_and_kept_in_mind_within_a_bound(shelf: Shelf) -> None:
    acquaintances = Acquaintances()
    before = await acquaintances.of(shelf.store, (1,))
    await shelf.add("The cache is kept for an hour.", actor="maria")
    assert await acquaintances.of(shelf.store, (1,)) is before
    for number in range(MOST_SCOPES + 5):
        await acquaintances.of(shelf.store, (number,))
    assert len(acquaintances.known) == MOST_SCOPES
