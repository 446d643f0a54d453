"""In a large store the commonest words of a question are not asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_server.recall.rarity import Rarity


@pytest.fixture
async def shelf_of_words(shelf):
    """Eight memories hold `export`, four `nightly`, two `ledger`, one `antenna`."""
    for number in range(8):
        words = ["export" * (number < 8), "nightly" * (number < 4), "ledger" * (number < 2)]
        await shelf.add(" ".join([*words, "antenna" * (number < 1), f"filler{number}"]), project=2)
    return shelf


async def rarest(shelf, words: tuple[str, ...], **limits: int) -> tuple[str, ...]:
    rarity = Rarity(**limits)
    return await shelf.store.readers.run(lambda reading: rarity.rarest(reading, words))


ASKED = ("exports", "nightly", "ledgers", "antenna")


async def test_the_commonest_word_is_left_out_and_the_order_stays(shelf_of_words) -> None:
    assert await rarest(shelf_of_words, ASKED, large=1, most_holders=7) == ASKED[1:]


async def test_a_small_store_is_asked_every_word(shelf_of_words) -> None:
    assert await rarest(shelf_of_words, ASKED, large=9, most_holders=1) == ASKED


async def test_the_rarest_word_is_always_asked(shelf_of_words) -> None:
    kept = await rarest(shelf_of_words, ASKED[:3], large=1, most_holders=0)
    assert kept == ("ledgers",)
    assert await rarest(shelf_of_words, ASKED[:1], large=1, most_holders=0) == ASKED[:1]


async def test_a_word_that_no_memory_holds_takes_no_place(shelf_of_words) -> None:
    words = ("unheard", *ASKED)
    assert await rarest(shelf_of_words, words, large=1, most_holders=0) == ("antenna",)


async def test_what_is_left_out_is_still_found_by_the_other_words(shelf_of_words) -> None:
    shelf_of_words.recaller.rarity = Rarity(large=1, most_holders=0)
    found = await shelf_of_words.found("exports of the nightly ledger and its antenna", project=2)
    assert found[0] == 1


async def test_a_large_store_is_asked_for_pieces_of_names_of_one_word_alone(shelf) -> None:
    await shelf.add("`parseConfig` and `retry_upload_slowly` are old.")
    asked = ("`parseConf`", "`parseConfig`", "`retry_upload`", "`retry_uplo`")
    small = [(await shelf.ask(one)).hits for one in asked]
    shelf.recaller.rarity = Rarity(large=1)
    large = [(await shelf.ask(one)).hits for one in asked]
    assert [bool(hits) for hits in small] == [True, True, True, True]
    assert [bool(hits) for hits in large] == [True, True, True, False]


@given(counts=st.dictionaries(st.text(min_size=1), st.integers(0, 99), max_size=9))
def test_a_word_is_left_if_any_is_held(counts: dict[str, int]) -> None:
    rarity = Rarity(most_holders=50)
    kept = rarity.within_budget(counts)
    assert bool(kept) == any(counts.values())
