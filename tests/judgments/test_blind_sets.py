"""The blind sets: as they were labelled, and large enough to say something."""

from __future__ import annotations

import pytest
from judgment_rules_blind import SETS, SURFACES

from hitherto_server.benches.sets import fixture_hash, sets_in
from hitherto_server.benches.trials import TRIALS

LEAST = 40


def test_the_blind_sets_are_as_they_were_before_anyone_read_a_rule() -> None:
    with sets_in(SETS):
        assert fixture_hash("turns", "prompts", "boundaries", "plans") == "642928b39c75"


@pytest.mark.parametrize("name", SURFACES)
def test_each_rule_meets_every_label_often_enough(name: str) -> None:
    with sets_in(SETS):
        labels = [label for case in TRIALS[name].cases() for label in case.labels]
    for aspect in TRIALS[name].aspects:
        told = [one.expected for one in labels if one.aspect == aspect.name]
        assert len(told) >= LEAST
        assert set(told) == set(aspect.labels)
