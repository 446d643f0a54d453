"""The reranker that is tried: it learns what sets answers apart, and the same each time."""

from __future__ import annotations

import numpy as np
import pytest
from reranker_features import fit
from retrieval_sets import load_projects


def questions(seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Make questions whose answer has the greatest first feature; the second is noise."""
    made = []
    for rows in np.random.default_rng(seed).random((40, 10, 2)):
        right = np.zeros(10)
        right[rows[:, 0].argmax()] = 1.0
        made.append((rows, right))
    return made


def test_it_learns_what_sets_answers_apart() -> None:
    weights = fit(questions(1))
    assert weights[0] > 5 * abs(weights[1])


def test_the_same_questions_give_the_same_weights() -> None:
    assert fit(questions(2)).tolist() == fit(questions(2)).tolist()


def test_a_question_without_an_answer_among_its_candidates_teaches_nothing() -> None:
    empty = (np.full((10, 2), 9.0), np.zeros(10))
    assert fit([*questions(3), empty]).tolist() == fit(questions(3)).tolist()


def test_the_labelled_projects_are_as_large_as_is_said_and_split_by_project() -> None:
    projects = load_projects()
    assert len(projects) >= 4
    assert all(len(project.chunks) >= 60 for project in projects)
    assert sum(len(project.questions) for project in projects) >= 200
    assert {project.split for project in projects} == {"train", "dev"}


@pytest.mark.parametrize("project", load_projects(), ids=lambda project: str(project.name))
def test_every_answer_is_a_memory_of_its_project(project: object) -> None:
    keys = {chunk.key for chunk in project.chunks}  # type: ignore[attr-defined]
    asked = project.questions  # type: ignore[attr-defined]
    assert all(one.answers <= keys for one in asked)
    assert {one.category for one in asked} == {"asked", "unasked"}
    assert any(len(one.answers) > 1 for one in asked)
