"""The floor where nobody asked: what must speak for a memory, and what is not enough."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hitherto_server.core.settings import Settings
from hitherto_server.recall.floor_weights import FLOOR
from hitherto_server.recall.floors import (
    FEW_HOLDERS,
    automatic_floor,
    measured,
    probability,
    raised,
)
from hitherto_server.recall.hits import Scores
from hitherto_server.recall.query import prepare
from hitherto_server.recall.wishes import is_housekeeping, is_question

QUERY = prepare("why does the refund queue wait ninety seconds before it retries?")
ABOUT = Scores(passage=0.62, held=frozenset({"refund", "queue", "seconds", "retries"}))
NEAR_ONLY = Scores(passage=0.45, held=frozenset())
WORDS_ONLY = Scores(passage=0.05, held=frozenset({"queue", "seconds"}))
FAR = Scores(passage=0.08, held=frozenset())


def passes(*found: Scores, least: float = FLOOR) -> list[bool]:
    floor = automatic_floor(QUERY, found, least=least)
    return [floor(one) is None for one in found]


def test_the_setting_is_the_floor_that_was_fitted() -> None:
    assert Settings.injection_floor == FLOOR


def test_what_is_near_and_shares_its_words_is_given() -> None:
    assert passes(ABOUT, FAR, NEAR_ONLY) == [True, False, False]


def test_a_store_of_one_memory_answers_too() -> None:
    assert passes(ABOUT) == [True]
    assert passes(FAR) == [False]


@pytest.mark.parametrize("other", [NEAR_ONLY, WORDS_ONLY, FAR, Scores()])
def test_neither_meaning_nor_words_alone_suffice(other: Scores) -> None:
    assert passes(other) == [False]


def test_an_id_always_suffices() -> None:
    assert passes(replace(FAR, is_exact=True)) == [True]


def test_a_question_about_an_identifier_is_given_what_few_hold() -> None:
    asked, told = prepare("what does `drain_queue` do?"), prepare("rename drain_queue")
    holder = Scores(passage=0.1, names=frozenset({"drain_queue"}), held=frozenset({"drain_queue"}))
    assert automatic_floor(asked, [holder], least=FLOOR)(holder) is None
    unmarked = prepare("who calls drain_queue and when")
    assert automatic_floor(unmarked, [holder], least=FLOOR)(holder) is None
    assert automatic_floor(told, [holder], least=FLOOR)(holder) is not None
    many = [replace(holder, passage=0.1 + step / 100) for step in range(FEW_HOLDERS + 1)]
    assert automatic_floor(asked, many, least=FLOOR)(many[0]) is not None


def test_a_question_about_a_file_is_no_question_about_an_identifier() -> None:
    asked = prepare("how long is src/queue.py?")
    tied = Scores(passage=0.1, names=frozenset({"src/queue.py"}), held=frozenset({"src/queue.py"}))
    assert automatic_floor(asked, [tied], least=FLOOR)(tied) is not None


@pytest.mark.parametrize(
    "prompt",
    [
        "why is it slow",
        "can we drop it now",
        "is it safe?",
        "warum startet es nicht",
        "ok and where is it",
    ],
)
def test_a_question_is_told_without_its_mark(prompt: str) -> None:
    assert is_question(prompt)


@pytest.mark.parametrize("prompt", ["can you rename it", "add a test", "whatever works", ""])
def test_a_request_is_no_question(prompt: str) -> None:
    assert not is_question(prompt)


def test_without_a_model_many_shared_words_suffice() -> None:
    assert passes(replace(ABOUT, passage=None)) == [True]
    assert passes(replace(WORDS_ONLY, passage=None)) == [False]


def test_a_word_that_all_candidates_hold_says_little() -> None:
    rare = measured(QUERY, [ABOUT, FAR])[0][1]
    common = measured(QUERY, [ABOUT, *[replace(FAR, held=ABOUT.held)] * 11])[0][1]
    assert common.shared < rare.shared / 2


def test_a_word_of_every_request_counts_less() -> None:
    query = prepare("fix the refund test")
    held = [Scores(held=frozenset({word})) for word in ("fix", "refund")]
    fix, refund = (one.shared for _, one in measured(query, held))
    assert fix < refund / 2


def test_beside_a_better_one_a_memory_that_shares_less_is_not_given() -> None:
    weaker = Scores(passage=0.40, held=frozenset({"refund", "queue"}))
    assert passes(ABOUT, weaker) == [True, False]


@pytest.mark.parametrize(
    "prompt",
    [
        "fix the typo in the queue's docstring",
        "rename the helper in queue.py",
        "sort the imports of the refund module",
        "please reword the heading",
        "korrigiere die Tippfehler im Kommentar",
    ],
)
def test_housekeeping_is_told(prompt: str) -> None:
    assert is_housekeeping(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "why is the comment table so slow?",
        "should I rename the error code?",
        "the import of the supplier file fails",
        "add a retry to the refund queue",
    ],
)
def test_a_question_or_a_change_of_behaviour_is_no_housekeeping(prompt: str) -> None:
    assert not is_housekeeping(prompt)


def test_housekeeping_needs_more_evidence() -> None:
    done, said = prepare("rename the refund queue"), prepare("drain the refund queue")
    found = Scores(passage=0.5, held=frozenset({"refund", "queue"}))
    kept, given = (probability(measured(query, [found])[0][1]) for query in (done, said))
    assert kept < FLOOR <= given


def test_a_drop_says_how_likely_it_was() -> None:
    reason = automatic_floor(QUERY, [FAR], least=FLOOR)(FAR)
    assert reason is not None
    assert reason.startswith("below the floor: probability 0.0")
    assert reason.endswith(f"< {FLOOR:.2f}")


def test_nothing_found_needs_no_floor() -> None:
    automatic_floor(QUERY, [], least=FLOOR)


def test_a_memory_that_was_wrong_once_needs_twice_the_odds() -> None:
    assert raised(0.65, 0) == pytest.approx(0.65)
    assert raised(0.5, 1) == pytest.approx(2 / 3)
    assert 0.65 < raised(0.65, 1) < raised(0.65, 2) < 1
