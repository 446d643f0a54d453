"""Notes in words of their own: what nears, values, stances and words of change say of them."""

from __future__ import annotations

import pytest

from hitherto_server.gates.duplicates import judge
from hitherto_server.gates.kinship import SHIPPED, likelihood, measured
from hitherto_server.gates.kinship_weights import WITH_MEANING, WORDS_ONLY
from hitherto_server.gates.slots import compare
from hitherto_server.gates.statements.reading import read
from hitherto_server.gates.statements.stances import changes, denies, permits


def test_the_same_in_other_words_is_a_duplicate() -> None:
    found = judge(
        "Money columns hold integer cents, never floats (`amount_cents`).",
        "No float for money anywhere: prices and fees are cents as integers, see `amount_cents`.",
        0.75,
    )
    assert (found.relation, found.reason) == ("duplicate_of", "the same in other words")


def test_another_value_in_other_words_is_an_update_that_names_the_amounts() -> None:
    found = judge(
        "Thumbnails are at most 320 px wide (media worker).",
        "The media worker now makes thumbnails of up to 480 px, phones got better screens.",
        0.68,
    )
    assert (found.relation, found.slot) == ("possible_conflict", "value")
    assert "320" in found.reason
    assert "480" in found.reason


def test_what_is_said_to_be_gone_is_an_update() -> None:
    found = judge(
        "Emails are sent with Mandrill, templates live in mail/.",
        "Mandrill was retired, all emails go through Postmark since the spring.",
        0.66,
    )
    assert (found.slot, found.reason) == ("value", "replaced Mandrill")


def test_notes_on_one_topic_that_both_hold_are_neither() -> None:
    found = judge(
        "Thumbnails are made by the media worker.",
        "The media worker logs to its own file, rotated at night.",
        0.40,
    )
    assert found.relation is None


def test_without_a_vector_nothing_is_said_of_freely_worded_notes() -> None:
    found = judge(
        "Emails are sent with a vendor, templates live in mail/.",
        "Since spring all mails are on another vendor, the old account is archived.",
        None,
    )
    assert found.relation is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Editors are allowed to embed raw scripts in `page_block` bodies of a campaign site.",
            "Editors can't embed raw scripts in `page_block` bodies of any campaign site.",
        ),
        (
            "`sweep_carts` keeps abandoned carts of guests for 14 days in the table.",
            "Abandoned carts of guests stay in the table for 30 days, then `sweep_carts` runs.",
        ),
        (
            "`sweep_carts` keeps abandoned carts.",
            "`sweep_carts` keeps abandoned carts; orders, invoices and refunds go to the archive.",
        ),
    ],
    ids=["allowed and denied", "another amount", "says much more"],
)
def test_some_things_bar_a_duplicate_however_near(older: str, newer: str) -> None:
    assert judge(older, newer, 0.89).kinship != "duplicate"


def test_an_edit_of_one_word_is_left_to_the_slots() -> None:
    older, newer = "The worker drops jobs.", "The worker now mails jobs."
    assert judge(older, older.replace("drops", "mails"), 0.80).relation is None
    assert judge(older, newer, 0.80).relation == "possible_conflict"


def test_an_amount_beside_other_things_is_no_change_where_words_say_so() -> None:
    found = judge(
        "The export of invoices takes 3 minutes on the small machine.",
        "A new colleague of the export team starts in 6 weeks; invoices are checked by Ada.",
        None,
    )
    assert found.relation is None


def test_the_nearer_the_likelier_both() -> None:
    older, newer = "The relay listens on port 80.", "Port of the relay moved to 8080 last week."
    compared = compare(older, newer)
    far, near = (
        likelihood(measured(older, newer, compared, cosine)).contradiction
        for cosine in (0.40, 0.60)
    )
    assert far < near


def test_weights_name_the_features_that_are_measured() -> None:
    features = set(vars(measured("One thing.", "Another.", compare("One thing.", "Another."), 0.5)))
    for columns in (WITH_MEANING, *SHIPPED[:1]):
        assert all(set(column) == features | {"bias"} for column in columns)
    for column in WORDS_ONLY:
        assert set(column) == features - {"cosine", "near"} | {"bias"}


@pytest.mark.parametrize(
    "text",
    [
        "We moved to Kafka.",
        "It's no longer used.",
        "They're on Go 1.22.",
        "The old box is shut down.",
    ],
)
def test_words_of_change_are_heard(text: str) -> None:
    assert changes(text) > 0


def test_words_that_only_contain_one_are_none() -> None:
    assert changes("The snowplough renewal is known.") == 0


def test_leave_and_denial_are_heard() -> None:
    assert permits("Guests may write.")
    assert not permits("Guests write.")
    assert denies("Guests can't write.", read("Guests can't write."))
    assert denies("Writing is forbidden.", read("Writing is forbidden."))
    assert not denies("Guests write.", read("Guests write."))


def test_binary_sizes_of_orchestrators_are_sizes() -> None:
    assert compare("The limit is 1Gi.", "The limit is 1024Mi.").verdict == "same"
