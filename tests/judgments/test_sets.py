"""The labelled sets: large enough, half hard, of two halves, and without a real secret."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from hitherto_server.benches.items import half_of
from hitherto_server.benches.sets import (
    FOLDER,
    SETS,
    fixture_hash,
    load_categories,
    load_relations,
    load_secrets,
    load_staleness,
)
from hitherto_server.benches.trials import TRIALS
from hitherto_server.gates.secrets import redact

LARGE = {"relations", "stale-check", "edit-stale", "rerank", "brief-rank", "trash-triage"}
"""Relations, staleness, relevance and worth."""
LEAST_LARGE, LEAST = 100, 40


def labels_of(name: str) -> list[tuple[str, str, bool]]:
    return [
        (one.id, one.expected, one.hard)
        for case in TRIALS[name].cases()
        for one in case.labels
        if one.aspect == TRIALS[name].aspects[0].name
    ]


@pytest.mark.parametrize("name", TRIALS)
def test_a_surface_has_enough_labels(name: str) -> None:
    assert len(labels_of(name)) >= (LEAST_LARGE if name in LARGE else LEAST)


@pytest.mark.parametrize("name", TRIALS)
def test_half_of_the_items_are_hard(name: str) -> None:
    labels = labels_of(name)
    assert sum(hard for _, _, hard in labels) / len(labels) >= 0.5


@pytest.mark.parametrize("name", TRIALS)
def test_each_half_has_a_fair_share_of_every_label(name: str) -> None:
    counts = Counter((half_of(item), label) for item, label, _ in labels_of(name))
    labels = TRIALS[name].aspects[0].labels
    shares = {
        (half, label): counts[half, label] for half in ("development", "test") for label in labels
    }
    assert min(shares.values()) >= 5, shares


@pytest.mark.parametrize("name", TRIALS)
def test_labels_are_of_the_aspects_that_there_are(name: str) -> None:
    known = {(one.name, label) for one in TRIALS[name].aspects for label in one.labels}
    found = {(one.aspect, one.expected) for case in TRIALS[name].cases() for one in case.labels}
    assert found == known


def test_every_set_is_used_and_every_file_is_a_set() -> None:
    there = {path.name for path in (files("hitherto_server.benches") / FOLDER).iterdir()}
    assert there == {f"{name}.jsonl" for name in SETS}
    assert {name for one in TRIALS.values() for name in one.sets} == set(SETS)


def test_no_two_items_of_a_set_say_the_same() -> None:
    pairs = [(one.older.content, one.newer.content) for one in load_relations()]
    assert len(set(pairs)) == len(pairs)
    memories = [(file.path, one.content) for file in load_staleness() for one in file.memories]
    assert len(set(memories)) == len(memories)


def test_every_file_of_a_stale_check_has_changed() -> None:
    assert [one.path for one in load_staleness() if one.before == one.after] == []


def test_only_the_later_of_two_contradictions_replaces() -> None:
    for one in load_relations():
        if one.supersedes:
            assert one.relation == "conflicting"
            assert one.older.recorded_on < one.newer.recorded_on


def test_a_right_category_is_one_that_there_is() -> None:
    for one in load_categories():
        assert one.filed_under in one.categories
        assert one.right is None or one.right in one.categories


def test_the_set_of_secrets_holds_recipes_and_no_values() -> None:
    text = (files("hitherto_server.benches") / FOLDER / "secrets.jsonl").read_text("utf-8")
    drawn = [one for one in load_secrets() if one.secret]
    assert [one.id for one in drawn if one.value in text] == []
    assert [line for line in text.splitlines() if redact(line).changed] == []


def test_a_value_is_drawn_alike_in_every_run() -> None:
    assert load_secrets() == load_secrets()


def test_the_hash_of_a_set_is_of_its_letters() -> None:
    assert fixture_hash("relations") != fixture_hash("worth")
    assert fixture_hash("relations", "worth") != fixture_hash("relations")
