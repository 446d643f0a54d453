"""The labelled prompts are what their README says, and are counted as it says."""

from __future__ import annotations

import pytest
from injection import ANOTHER, Measured, Outcome
from labelled import PROMPTS, LabelledPrompt, read_projects


def test_every_label_names_a_memory_and_half_of_the_prompts_want_nothing() -> None:
    projects = read_projects(PROMPTS)
    assert len(projects) >= 4
    prompts = [prompt for project in projects for prompt in project.prompts]
    assert len(prompts) >= 240
    assert sum(not prompt.wants for prompt in prompts) >= 0.45 * len(prompts)
    for project in projects:
        names = {memory.name for memory in project.memories}
        assert len(names) == len(project.memories)
        assert all(prompt.wants <= names for prompt in project.prompts)
        assert all(len(prompt.wants) <= 3 for prompt in project.prompts)


def test_no_project_is_in_both_halves() -> None:
    halves: dict[str, set[str]] = {}
    for project in read_projects(PROMPTS):
        halves.setdefault(project.half, set()).update(memory.text for memory in project.memories)
    assert set(halves) == {"fit", "report"}
    assert not halves["fit"] & halves["report"]


def test_what_is_given_is_counted() -> None:
    def outcome(wants: set[str], *given: str) -> Outcome:
        prompt = LabelledPrompt(0, "", "task", 1, frozenset(wants))
        return Outcome("p", "report", prompt, given)

    found = Measured.of(
        [
            outcome({"a", "b"}, "a", "c"),
            outcome({"d"}),
            outcome(set(), ANOTHER),
            outcome(set()),
        ]
    )
    assert vars(found) == {
        "precision": pytest.approx(1 / 3, abs=1e-3),
        "coverage": 0.5,
        "recall": pytest.approx(1 / 3, abs=1e-3),
        "silence": 0.5,
    }


def test_nothing_given_has_no_precision() -> None:
    assert Measured.of([]).precision is None
