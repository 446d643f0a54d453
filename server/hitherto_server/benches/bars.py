"""What a run must show before a locked switch opens, with enough cases behind each figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hitherto_server.judge.surfaces import importance_kind

if TYPE_CHECKING:
    from hitherto_server.benches.report import Report
    from hitherto_server.benches.scoring import Figures

Missed = Callable[["Report"], Iterator[str]]

LEAST_DECIDED, LEAST_DECIDED_IN_TEST = 90, 35
"""Importances that were sure enough to be written: ten lucky ones prove nothing."""
LEAST_LABELLED, LEAST_OF_A_BAND = 150, 40
LEAST_WITHIN_ONE, LEAST_CORRELATION = 0.80, 0.75
MOST_TURNED = 0.02
"""Of what much hangs on, said to be worth little, or the other way round."""
MOST_UNAVAILABLE = 0.02


def missed_of(report: Report, switch: str, *, timeout_s: float) -> list[str]:
    """Return what keeps a switch locked after a run of labelled sets; nothing: it passed."""
    found = [*_of_any(report, timeout_s), *BARS[switch](report)]
    return found if report.sample == "labelled" else ["the sample has no labels", *found]


def _of_any(report: Report, timeout_s: float) -> Iterator[str]:
    usage = report.usage
    if usage is None or not usage.requests:
        yield "nothing was asked"
        return
    if usage.unavailable > MOST_UNAVAILABLE:
        yield f"no judgment came to {usage.unavailable:.1%} of the requests (at most 2 %)"
    if usage.p95_ms is not None and usage.p95_ms > timeout_s * 1000:
        yield f"95 % of the answers took {usage.p95_ms:.0f} ms (at most {timeout_s * 1000:.0f})"
    if not report.calibrated:
        yield "the answers are not calibrated"


def _of_importance(report: Report) -> Iterator[str]:
    figures = report.parts["importance"]
    whole, test = figures["all"], figures["test"]
    least = {"all": LEAST_DECIDED, "test": LEAST_DECIDED_IN_TEST}
    if whole.count < LEAST_LABELLED:
        yield f"{whole.count} labelled importances (at least {LEAST_LABELLED})"
    for band, said in whole.confusion.items():
        if sum(said.values()) < LEAST_OF_A_BAND:
            yield f"{sum(said.values())} of {band} importance (at least {LEAST_OF_A_BAND})"
    for name, part in (("all", whole), ("test", test)):
        yield from (f"{name}: {one}" for one in _of_levels(part, least[name]))
    if (turned := _turned(whole)) > MOST_TURNED:
        yield f"{turned:.1%} of high and low were taken for the other (at most 2 %)"


def _of_levels(part: Figures, least: int) -> Iterator[str]:
    decided = part.count - part.undecided
    if decided < least:
        yield f"{decided} importances were sure (at least {least})"
    levels = part.levels
    if levels is None:
        return
    if (levels.within_one or 0.0) < LEAST_WITHIN_ONE:
        yield f"{levels.within_one or 0.0:.1%} within one level (at least 80 %)"
    if (levels.correlation or 0.0) < LEAST_CORRELATION:
        yield f"rank correlation {levels.correlation or 0.0:.2f} (at least 0.75)"


def _turned(part: Figures) -> float:
    turned = part.confusion["high"]["low"] + part.confusion["low"]["high"]
    return turned / max(part.count - part.undecided, 1)


BARS: dict[str, Missed] = {importance_kind.APPLY_IMPORTANCE: _of_importance}
"""One for each locked switch of a surface; a test holds that none is without."""
