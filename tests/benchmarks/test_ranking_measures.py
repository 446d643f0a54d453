"""The figures of rankings, against values worked out by hand."""

from __future__ import annotations

import math

from ranking_measures import difference, interval, means, measure


def test_a_perfect_ranking_has_every_figure_at_one() -> None:
    found = measure(["a", "b", "x"], {"a", "b"})
    assert set(vars(found).values()) == {1.0}


def test_a_single_answer_in_second_place_counts_by_its_logarithm() -> None:
    found = measure(["x", "a"], {"a"})
    assert math.isclose(found.ndcg_10, 1 / math.log2(3))
    assert found.mrr == 0.5


def test_any_of_five_is_not_all_of_five() -> None:
    found = measure(["a", "x", "y", "z", "w", "b"], {"a", "b"})
    assert (found.any_5, found.all_5, found.recall_5, found.recall_10) == (1.0, 0.0, 0.5, 1.0)


def test_what_was_not_found_counts_zero_and_what_is_past_ten_too() -> None:
    late = measure([str(number) for number in range(10)] + ["a"], {"a"})
    assert set(vars(late).values()) == {0.0}
    assert measure([], {"a"}) == late


def test_two_equal_systems_differ_by_nothing_and_a_better_one_by_more_than_chance() -> None:
    good, bad = measure(["a"], {"a"}), measure(["x"], {"a"})
    assert difference([good, bad], [good, bad], 1) == {"mean": 0.0, "ci95": [0.0, 0.0]}
    better = difference([good] * 50, [bad] * 50, 1)
    assert better == {"mean": 1.0, "ci95": [1.0, 1.0]}


def test_the_interval_of_a_mean_holds_it_and_is_the_same_each_time() -> None:
    values = [0.0, 1.0] * 40
    low, high = interval(values, 7)
    assert low < 0.5 < high
    assert interval(values, 7) == (low, high)


def test_means_are_taken_figure_by_figure() -> None:
    both = means([measure(["a"], {"a"}), measure([], {"a"})])
    assert both["ndcg_10"] == 0.5
    assert both["mrr"] == 0.5
