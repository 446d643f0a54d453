"""Two statements are told apart by their slots: values, units, subjects, and what they deny."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_server.gates.slots import compare


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The limit is 500 ms.", "The limit is 0.5 s."),
        ("Jobs stop after 90 minutes.", "Jobs stop after 1.5 hours."),
        ("A dump takes 1 GB.", "A dump takes 1024 MB."),
        ("Retries: 3 times.", "Retries: three times."),
        ("It runs at 2:00.", "It runs at 02:00."),
        ("Call it once per minute.", "Call it every minute."),
        ("`app.py` holds the routes.", "src/app.py holds the routes."),
        ("The pod doesn't need root.", "The pod does not need root."),
        ("The cache is disabled.", "The cache is not enabled."),
        ("Run the tests before the push.", "Push after the tests have run."),
        ("Don't ship without tests.", "Ship with tests."),
        ("Config lives in /etc/app.", "The configuration is kept in /etc/app."),
    ],
)
def test_the_same_in_other_words_differs_in_no_slot(older: str, newer: str) -> None:
    assert compare(older, newer).verdict == "same"


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("Timeout is 30 s", "Timeout is 90 s", "value changed 30 s -> 90 s"),
        ("We run Redis 6.2.1.", "We run Redis 7.0.0.", "value changed 6.2.1 -> 7.0.0"),
        ("It listens on port 80.", "It listens on port 8080.", "value changed 80 -> 8080"),
        ("Due 2026-03-01.", "Due 2026-04-01.", "value changed 2026-03-01 -> 2026-04-01"),
        ("Retry two times.", "Retry five times.", "value changed two -> five"),
        ("We use yarn.", "We use pnpm.", "value changed yarn -> pnpm"),
        ("The job is written in Go.", "The job is written in Rust.", "value changed Go -> Rust"),
        ("CI runs on Jenkins.", "We moved CI from Jenkins to Drone.", "replaced Jenkins"),
        ("Das Limit ist 30 Sekunden.", "Das Limit ist 90 Sekunden.",
         "value changed 30 Sekunden -> 90 Sekunden"),
    ],
)  # fmt: skip
def test_another_value_of_the_same_thing_is_a_changed_value(
    older: str, newer: str, reason: str
) -> None:
    compared = compare(older, newer)
    assert (compared.verdict, compared.reason) == ("value", reason)


def test_the_same_digits_in_another_unit_are_a_changed_unit() -> None:
    assert compare("Keep it 30 days.", "Keep it 30 months.").verdict == "unit"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Use the cache.", "Do not use the cache."),
        ("Use the cache.", "Never use the cache."),
        ("The cache is enabled.", "The cache is disabled."),
        ("Traffic is allowed.", "Traffic is denied."),
        ("The page is public.", "The page is private."),
        ("The calls are sync.", "The calls are async."),
        ("The volume is encrypted.", "The volume is unencrypted."),
        ("Tests are required.", "Tests are optional."),
        ("Migrate before the deploy.", "Migrate after the deploy."),
        ("Indent with tabs, not spaces.", "Indent with spaces, not tabs."),
        ("Use UDP for voice and TCP for chat.", "Use TCP for voice and UDP for chat."),
        ("Der Export enthält Entwürfe.", "Der Export enthält keine Entwürfe."),
        ("The debugger is on in production.", "The debugger is off in production."),
    ],
)
def test_what_one_affirms_and_the_other_denies_differs_in_polarity(older: str, newer: str) -> None:
    assert compare(older, newer).verdict == "polarity"
    assert compare(newer, older).verdict == "polarity"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The staging database is Postgres 15.", "The production database is Postgres 16."),
        ("The upload worker retries 3 times.", "The export worker retries 5 times."),
        ("`load` raises KeyError.", "`save` raises KeyError."),
        ("The Go client caches replies.", "The Rust client caches replies."),
        ("Refunds in the EU take 5 days.", "Refunds in the US take 9 days."),
    ],
)
def test_another_subject_is_no_contradiction(older: str, newer: str) -> None:
    assert compare(older, newer).verdict == "subject"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The worker retries failed jobs.", "The worker logs failed jobs."),
        ("Admins can delete projects.", "Only admins can delete projects."),
        ("The export is CSV.", "The export is CSV with semicolons, for Excel."),
        ("The job has a timeout.", "The job has a timeout of 30 s."),
    ],
)
def test_a_detail_or_another_word_bars_the_same(older: str, newer: str) -> None:
    assert compare(older, newer).verdict in {"word", "extra"}


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_can_be_compared(older: str, newer: str) -> None:
    compared = compare(older, newer)
    assert 0 <= compared.likeness <= 1
    assert 0 <= compared.shared <= 1


@pytest.mark.parametrize(
    "odd", ["\u017fix times", "once per \u017fecond", "5 per m\u0131n", "\u0663\u0660 s"]
)
def test_a_letter_that_only_folds_to_another_makes_no_amount(odd: str) -> None:
    compared = compare("The worker retries 6 times a minute.", f"The worker retries {odd}.")
    assert compared.verdict != "same"


def test_texts_that_repeat_few_words_are_compared_in_no_time() -> None:
    began = time.thread_time()
    compare("aa bb " * 333, "bb aa cc " * 222)
    assert time.thread_time() - began < 5


@given(st.text(max_size=300))
def test_a_text_never_differs_from_itself(text: str) -> None:
    assert compare(text, text).verdict == "same"
