"""Figures beside cases that can be worked out by hand."""

from __future__ import annotations

import pytest

from hitherto_server.benches.scoring import calibration_of, figures_of, ndcg, spearman
from hitherto_server.benches.trial import UNSAID, Aspect, Label, Said

YES_NO = Aspect("a", ("yes", "no"), positive="yes")
THREE = Aspect("a", ("low", "middle", "high"))


def label(expected: str, grade: float | None = None, item: str = "i") -> Label:
    return Label(item, "a", hard=False, expected=expected, grade=grade)


def test_precision_and_recall_are_of_the_label_that_counts() -> None:
    judged = [
        (label("yes"), Said("yes")),
        (label("yes"), Said("no")),
        (label("no"), Said("yes")),
        (label("no"), Said("no")),
        (label("no"), Said("yes")),
    ]
    found = figures_of(YES_NO, judged)
    assert (found.accuracy, found.precision, found.recall) == (2 / 5, 1 / 3, 1 / 2)
    assert found.confusion["no"] == {"yes": 2, "no": 1, "undecided": 0}


def test_what_is_undecided_was_not_found_and_is_not_wrong() -> None:
    judged = [(label("yes"), Said("yes")), (label("yes"), UNSAID), (label("no"), Said("no"))]
    found = figures_of(YES_NO, judged)
    assert (found.undecided, found.accuracy, found.precision, found.recall) == (1, 1.0, 1.0, 0.5)


def test_what_was_never_said_has_no_precision() -> None:
    found = figures_of(YES_NO, [(label("yes"), Said("no"))])
    assert (found.precision, found.recall) == (None, 0.0)


def test_nothing_decided_has_no_accuracy() -> None:
    found = figures_of(YES_NO, [(label("yes"), UNSAID)])
    assert (found.accuracy, found.precision, found.recall) == (None, None, 0.0)


def test_with_several_labels_shares_are_means_over_them() -> None:
    judged = [
        (label("low"), Said("low")),
        (label("middle"), Said("low")),
        (label("high"), Said("high")),
    ]
    found = figures_of(THREE, judged)
    assert found.recall == pytest.approx(2 / 3)
    assert found.precision == pytest.approx((1 / 2 + 1) / 2)


def test_probabilities_that_come_true_as_often_as_they_claim_have_no_error() -> None:
    claims = [(0.75, True), (0.75, True), (0.75, True), (0.75, False)]
    found = calibration_of(claims)
    assert found is not None
    assert found.error == pytest.approx(0)
    assert [(one.count, one.claimed, one.right) for one in found.bins] == [(4, 0.75, 0.75)]


def test_claims_that_never_come_true_are_off_by_all_they_claim() -> None:
    found = calibration_of([(0.9, False), (0.1, False)])
    assert found is not None
    assert found.error == pytest.approx(0.5)
    assert len(found.bins) == 2


def test_certainty_has_a_bin_too() -> None:
    found = calibration_of([(1.0, True), (0.0, False)])
    assert found is not None
    assert found.error == 0


def test_no_claims_have_no_calibration() -> None:
    assert calibration_of([]) is None


def test_a_chance_is_right_where_what_it_is_of_is_expected() -> None:
    judged = [(label("no"), Said("no", chance=0.2, of="yes"))]
    found = figures_of(YES_NO, judged).calibration
    assert found is not None
    assert found.error == pytest.approx(0.2)


def test_the_rank_correlation_of_the_same_order_is_one() -> None:
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 1, 1], [1, 2, 3]) is None


def test_equal_values_share_their_rank() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 2, 3]) == pytest.approx(1)


def test_the_best_order_gains_all() -> None:
    assert ndcg([3, 0, 1], [0.9, 0.1, 0.5]) == pytest.approx(1)
    worst = ndcg([3, 0, 1], [0.1, 0.9, 0.5])
    assert worst is not None
    assert worst < 0.7
    assert ndcg([0, 0], [1, 2]) is None


def test_levels_are_compared_with_the_label_s() -> None:
    judged = [
        (label("low", 1, "a"), Said("low", grade=1.5)),
        (label("high", 9, "b"), Said("high", grade=7)),
    ]
    found = figures_of(THREE, judged).levels
    assert found is not None
    assert found.mean_error == pytest.approx(1.25)
    assert found.within_one == pytest.approx(0.5)
    assert found.correlation == pytest.approx(1)
    assert found.ndcg is None


def test_candidates_of_one_request_are_ranked_among_themselves() -> None:
    judged = [
        (label("high", 4, "a"), Said("high", order=-1)),
        (label("low", 0, "a"), Said("low", order=-2)),
        (label("high", 4, "b"), Said("low", order=-9)),
        (label("low", 0, "b"), Said("low", order=-10)),
    ]
    found = figures_of(THREE, judged).levels
    assert found is not None
    assert (found.correlation, found.ndcg, found.mean_error) == (1, 1, None)
