"""Fusion and floors, as pure functions of what was measured."""

from __future__ import annotations

import pytest

from hitherto_server.recall.arms import Evidence
from hitherto_server.recall.floors import explicit_floor
from hitherto_server.recall.fusion import fuse
from hitherto_server.recall.hits import Scores
from hitherto_server.recall.nearest import Nearest


def near(**cosines: float) -> dict[int, Nearest]:
    return {int(name[1:]): Nearest(cosine, 0, 1) for name, cosine in cosines.items()}


def test_words_count_beside_the_best_and_cosines_beside_the_best_and_the_least() -> None:
    found = Evidence(words={1: 8.0, 2: 4.0}, passages=near(_1=0.5, _2=0.8, _3=0.3))
    ranking = fuse(found, 0.6)
    assert ranking.fused == {
        1: pytest.approx(0.6 * 0.4 + 0.4),
        2: pytest.approx(0.6 + 0.4 * 0.5),
        3: pytest.approx(0.0),
    }
    assert ranking.numbers == (2, 1, 3)


def test_of_two_near_cosines_the_lesser_does_not_count_as_nothing() -> None:
    fused = fuse(Evidence(passages=near(_1=0.7, _2=0.8)), 0.6).fused
    assert fused == {1: pytest.approx(0.75), 2: 1.0}


def test_for_a_chunk_of_a_transcript_words_count_more() -> None:
    found = {"words": {1: 8.0}, "passages": near(_1=0.4, _2=0.8)}
    assert fuse(Evidence(**found), 0.8).fused[1] == pytest.approx(0.2)
    assert fuse(Evidence(**found, chunks={1}), 0.8).fused[1] == pytest.approx(0.6)


def test_what_the_named_person_said_comes_before_what_is_as_near() -> None:
    evidence = Evidence(passages=near(_1=0.79, _2=0.8), said={1})
    assert fuse(evidence, 0.8).numbers == (1, 2)
    assert max(score or 0.0 for score in fuse(evidence, 0.8).fused.values()) <= 1.0


def test_a_side_that_was_not_measured_is_left_out() -> None:
    assert fuse(Evidence(words={1: 8.0, 2: 4.0}), 0.6).fused == {1: 1.0, 2: 0.5}
    assert fuse(Evidence(passages=near(_1=0.4, _2=0.8)), 0.6).fused == {1: 0.0, 2: 1.0}


def test_a_memory_without_a_vector_is_ranked_by_its_words() -> None:
    evidence = Evidence(words={1: 8.0, 2: 4.0}, passages=near(_1=0.8))
    assert fuse(evidence, 0.6).fused[2] == 0.5
    assert fuse(evidence, 0.6).scores_of(2, evidence).passage is None


def test_a_negative_cosine_counts_as_none_at_all() -> None:
    assert fuse(Evidence(passages=near(_1=-0.2, _2=0.8)), 0.6).fused[1] == 0.0


def test_a_rare_name_counts_more_than_a_common_one() -> None:
    evidence = Evidence(
        words={},
        names={1: {"rare_name"}, **{n: {"common_name"} for n in range(2, 12)}},
        known_names={"rare_name": 1, "common_name": 10},
    )
    assert fuse(evidence, 0.6).numbers[0] == 1


def test_an_exact_id_comes_first_even_unmeasured() -> None:
    evidence = Evidence(words={1: 8.0}, exact={2})
    assert fuse(evidence, 0.6).numbers == (2, 1)
    assert fuse(Evidence(exact={2}), 0.6).fused == {2: None}


def test_nothing_found_is_nothing_ranked() -> None:
    assert fuse(Evidence(), 0.6).numbers == ()


@pytest.mark.parametrize(
    ("scores", "passes"),
    [
        (Scores(coverage=0.2), True),
        (Scores(coverage=0.19), False),
        (Scores(coverage=0.0, passage=0.15), True),
        (Scores(coverage=0.0, passage=0.14), False),
        (Scores(is_exact=True), True),
        (Scores(names=frozenset({"parse_config"})), True),
        (Scores(file="a.py"), True),
        (Scores(coverage=0.0, bm25=3.0, is_chunk=True), True),
        (Scores(coverage=0.0, bm25=3.0), False),
        (Scores(), False),
    ],
)
def test_the_floor_for_those_who_ask(scores: Scores, passes: bool) -> None:
    assert (explicit_floor(scores) is None) == passes
