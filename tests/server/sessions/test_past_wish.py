"""What a question about earlier sessions is after, taken from its words."""

from __future__ import annotations

from datetime import datetime

import pytest

from hitherto_server.sessions.past.wish import wish_in

NOW = datetime(2026, 11, 30, 14, 5)  # noqa: DTZ001 - a Monday of the person's own calendar
NOW_MS = int(NOW.timestamp() * 1000)


def day(month: int, number: int) -> int:
    return int(datetime(2026, month, number).timestamp() * 1000)  # noqa: DTZ001 - as above


@pytest.mark.parametrize(
    "question",
    [
        "What did we do last time?",
        "where did we leave off",
        "Can you recap our previous session?",
        "pick up where we stopped",
        "Was haben wir letztes Mal gemacht?",
        "qu'avons-nous fait la derni\u00e8re fois ?",
    ],
)
def test_what_came_last_has_no_subject_and_no_time(question: str) -> None:
    wish = wish_in(question, NOW_MS)
    assert (wish.subject, wish.has_time) == (None, False)


@pytest.mark.parametrize(
    ("question", "first", "beyond"),
    [
        ("what did we do yesterday?", day(11, 29), day(11, 30)),
        ("was haben wir gestern gemacht?", day(11, 29), day(11, 30)),
        ("what did we work on this morning?", day(11, 30), day(12, 1)),
        ("and 3 days ago?", day(11, 27), day(11, 28)),
        ("what happened last week?", day(11, 23), day(11, 30)),
        ("what did we do on Friday?", day(11, 27), day(11, 28)),
        ("what did we do last Monday?", day(11, 23), day(11, 24)),
        ("what did we do on 2026-11-05?", day(11, 5), day(11, 6)),
        ("where were we two weeks ago?", day(11, 9), day(11, 24)),
    ],
)
def test_a_time_is_the_days_of_the_persons_calendar(question: str, first: int, beyond: int) -> None:
    wish = wish_in(question, NOW_MS)
    assert (wish.from_ms, wish.to_ms, wish.subject) == (first, beyond, None)


def test_what_is_left_of_a_question_is_its_subject_and_names_keep_their_letters() -> None:
    wish = wish_in("where were we on the tide table in src/TideTable.py yesterday?", NOW_MS)
    assert wish.subject is not None
    assert set(wish.subject.words) == {"tide", "table"}
    assert "src/TideTable.py" in wish.subject.names
    assert wish.has_time


def test_a_day_that_is_none_is_no_time() -> None:
    assert not wish_in("what did we do on 2026-13-77?", NOW_MS).has_time
