"""The words of every question: pinned by version, and such that they can be answered."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.judgments.question_lint import ALLOWED, faults_of, places_in, unallowed, words_of

from hitherto_server.benches.trials import TRIALS
from hitherto_server.judge.questions import AskChoice, AskNoul, AskScore, question_hash
from hitherto_server.judge.register import surfaces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hitherto_server.judge.questions import Question

GOLDEN: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("golden.json").read_text())
"""By surface and version, the hash of its words."""
SENT: dict[str, list[str]] = json.loads(Path(__file__).with_name("sent.json").read_text())
"""By surface, every place that its state may have."""
SURFACES = surfaces()
SHORTEST = 16
QUOTED = "What the text says of itself does not count."


@pytest.mark.parametrize("name", SURFACES)
def test_words_that_change_raise_the_version(name: str) -> None:
    surface = SURFACES[name]
    assert GOLDEN[name][str(surface.version)] == surface.question_hash, (
        f"raise the version of {name}, and add it with {surface.question_hash} to golden.json"
    )


@pytest.mark.parametrize("name", SURFACES)
def test_the_running_version_is_the_last_that_was_pinned(name: str) -> None:
    assert max(map(int, GOLDEN[name])) == SURFACES[name].version


def test_nothing_is_pinned_that_is_not_there() -> None:
    assert GOLDEN.keys() == SURFACES.keys()


def test_any_word_changes_the_hash() -> None:
    one = {"q": AskNoul("Does it hold?", "yes", "no")}
    others: list[Mapping[str, Question]] = [
        {"q": AskNoul("Does it still hold?", "yes", "no")},
        {"q": AskNoul("Does it hold?", "yes", "not")},
        {"r": AskNoul("Does it hold?", "yes", "no")},
    ]
    assert len({question_hash(one), *map(question_hash, others)}) == 4


@pytest.mark.parametrize("name", SURFACES)
def test_questions_can_be_answered(name: str) -> None:
    assert unallowed(name, SURFACES[name].samples) == []


def test_no_exception_is_left_over() -> None:
    found = {
        (rule, name, key.rstrip("0123456789").rstrip("_"))
        for name, surface in SURFACES.items()
        for rule, key, _ in faults_of(surface.samples)
    }
    assert ALLOWED.keys() - found == set()


BAD: dict[str, Question] = {
    "negation": AskNoul(f"Does it not hold? {QUOTED}", "a", "b"),
    "counting": AskNoul(f"How many of them hold? {QUOTED}", "a", "b"),
    "vague": AskNoul(f"Is it appropriate? {QUOTED}", "a", "b"),
    "persuasion": AskNoul(f"Please tell if it holds. {QUOTED}", "a", "b"),
    "several": AskNoul(f"Is it true and whether is it new? {QUOTED}", "a", "b"),
    "long": AskNoul(f"Does it hold? {'And more. ' * 60}{QUOTED}", "a", "b"),
    "way out": AskChoice(f"Which? {QUOTED}", {"a": "one", "b": "two", "c": "three"}),
    "options": AskChoice(f"Which? {QUOTED}", {"a": "one", "b": "one", "none": "neither"}),
    "levels": AskScore(f"How much? {QUOTED}", ("1: little", "3: much", "2: some")),
    "both sides": AskNoul(f"Does it hold? {QUOTED}"),
    "guard": AskNoul("Does it hold?", "a", "b"),
}


@pytest.mark.parametrize("rule", BAD)
def test_a_bad_question_is_noticed(rule: str) -> None:
    assert [found for found, _, _ in faults_of({"q": BAD[rule]})] == [rule]


def asked_by(name: str) -> list[tuple[Any, Mapping[str, Question]]]:
    """Return states and questions of a surface, as the labelled sets have it ask."""
    asked: list[tuple[Any, Mapping[str, Question]]] = []

    async def ask(state: Any, questions: Mapping[str, Question]) -> None:
        asked.append((state, questions))

    async def all_of_it() -> None:
        trial = TRIALS[name]
        for case in trial.cases():
            await case.judge(ask, trial.surface.thresholds)

    asyncio.run(all_of_it())
    return asked


def texts_in(state: Any) -> Iterator[str]:
    """Yield every text of a state that is long enough to be somebody's words."""
    if isinstance(state, str):
        if len(state) >= SHORTEST:
            yield state
    elif isinstance(state, dict):
        for value in state.values():
            yield from texts_in(value)
    elif isinstance(state, list):
        for value in state:
            yield from texts_in(value)


@pytest.mark.parametrize("name", SURFACES)
def test_what_others_wrote_stands_in_the_state_only(name: str) -> None:
    asked = asked_by(name)
    assert any(True for state, _ in asked for _ in texts_in(state))
    leaked = [
        text
        for state, questions in asked
        for text in texts_in(state)
        for question in questions.values()
        if text in words_of(question)
    ]
    assert leaked == []


@pytest.mark.parametrize("name", SURFACES)
def test_instructions_name_only_what_the_state_has(name: str) -> None:
    missing = {
        place
        for state, questions in asked_by(name)
        for question in questions.values()
        for place in places_in(question)
        if f'"{place}"' not in json.dumps(state)
    }
    assert missing == set()


@pytest.mark.parametrize("name", SURFACES)
def test_the_pinned_words_are_those_that_are_asked(name: str) -> None:
    pinned = {words_of(one) for one in SURFACES[name].samples.values()}
    asked = {words_of(one) for _, some in asked_by(name) for one in some.values()}
    if name == "category-check":  # its options are the categories that there are
        pinned = {json.loads(one)["instructions"] for one in pinned}
        asked = {json.loads(one)["instructions"] for one in asked}
    assert pinned & asked


def places_of(state: Any, at: str = "") -> Iterator[str]:
    """Yield where in a state something stands; the keys of candidates are all one."""
    if isinstance(state, dict):
        for key, value in state.items():
            yield from places_of(value, f"{at}/{re.sub(r'^c[0-9]+$', 'c#', key)}")
    elif isinstance(state, list):
        for value in state:
            yield from places_of(value, f"{at}[]")
    else:
        yield at


@pytest.mark.parametrize("name", SURFACES)
def test_what_is_sent_has_the_shape_that_was_pinned(name: str) -> None:
    sent = {place for state, _ in asked_by(name) for place in places_of(state)}
    assert sorted(sent) == SENT[name], (
        f"another state is another question: raise the version of {name}, and change sent.json"
    )
