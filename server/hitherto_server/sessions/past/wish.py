"""What a question about earlier sessions is after: a time, a subject, or just what came last."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hitherto_server.recall.query import prepare

if TYPE_CHECKING:
    from hitherto_server.recall.query import PreparedQuery

FOREVER_MS = 2**62
MOST_CHARS = 1500
WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
UNITS = {"day": 1, "tag": 1, "week": 7, "woche": 7, "month": 30, "monat": 30}
NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4}
AGO = re.compile(
    r"\b(?:(\d{1,3})|(?:an? )?(an?|one|two|three|four|couple|few))(?: of)? (day|week|month)s? ago\b"
)
YESTERDAY = re.compile(r"\b(?:yesterday|gestern|hier soir|ayer|last night)\b")
TODAY = re.compile(r"\b(?:today|this (?:morning|afternoon|evening)|heute|aujourd'hui|hoy)\b")
LAST_WEEK = re.compile(r"\b(?:last week|letzte woche|la semaine derni\u00e8re|la semana pasada)\b")
THIS_WEEK = re.compile(r"\b(?:this week|diese woche|cette semaine|esta semana)\b")
WEEKDAY = re.compile(rf"\b(?:on |last |since )?({WEEKDAYS})\b")
DATE = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")
ABOUT_SESSIONS = re.compile(
    r"\b(?:last|previous|earlier|former|recent|past|prior|time|times|session|sessions|conversation"
    r"|conversations|chat|chats|yesterday|today|tonight|morning|afternoon|evening|night|week|weeks"
    r"|month|months|days?|ago|left|leave|off|stop|stopped|where|did|do|done|doing|were|was|work"
    r"|worked|working|talk|talked|discuss|discussed|remember|recap|summarize|summarise|summary"
    r"|status|continue|continuing|resume|pick|picking|catch|happened|about|together|far|so|progress"
    r"|look|lookup|search|find|history|letzte\w*|mal|gestern|heute|sitzung\w*|gemacht|haben|wir"
    r"|woche|qu|nous|vous|derni\u00e8re|fois|hier|avons|fait|session\w*|ayer|\u00faltima|vez|hicimos"
    rf"|{WEEKDAYS}|20\d\d-\d\d-\d\d)\b"
)
"""Words of the asking itself: what is left is the subject."""


@dataclass(frozen=True)
class PastWish:
    """A question about earlier sessions, taken apart."""

    subject: PreparedQuery | None
    """What it is about; None: whatever there was."""
    from_ms: int = 0
    to_ms: int = FOREVER_MS
    may_be_plain: bool = False
    """Whether what seems to be its subject may be words of the asking in another language."""

    @property
    def has_time(self) -> bool:
        return self.to_ms < FOREVER_MS


def wish_in(question: str, now_ms: int) -> PastWish:
    """Take a question apart, by the clock and the calendar of this machine."""
    question = question[:MOST_CHARS]
    plain = question.lower()
    span = _span_in(plain, datetime.fromtimestamp(now_ms / 1000))  # noqa: DTZ006 - their own days
    subject = prepare(ABOUT_SESSIONS.sub(" ", plain))
    named = prepare(question)  # names keep their letters
    has_subject = bool(subject.words or named.names)
    from_ms, to_ms = span or (0, FOREVER_MS)
    if not has_subject:
        return PastWish(None, from_ms, to_ms)
    about = prepare(f"{subject.text} {' '.join(named.names)}")
    return PastWish(about, from_ms, to_ms, may_be_plain=not (question.isascii() or named.names))


def _span_in(plain: str, now: datetime) -> tuple[int, int] | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if found := DATE.search(plain):
        return _date(found)
    if found := AGO.search(plain):
        return _ago(today, found)
    monday = -today.weekday()
    named = ((YESTERDAY, -1, 0), (LAST_WEEK, monday - 7, monday), (THIS_WEEK, monday, 1))
    for wording, first, beyond in (*named, (TODAY, 0, 1)):
        if wording.search(plain):
            return _days(today, first, beyond)
    if found := WEEKDAY.search(plain):
        back = (today.weekday() - WEEKDAYS.split("|").index(found[1])) % 7 or 7
        return _days(today, -back, -back + 1)
    return None


def _ago(today: datetime, found: re.Match[str]) -> tuple[int, int]:
    """Return the days that are meant: `two weeks ago` is said of many."""
    unit = UNITS[found[3]]
    days = (int(found[1]) if found[1] else NUMBERS[found[2]]) * unit
    is_exact = unit == 1 and found[2] not in {"few", "couple"}
    slack = 0 if is_exact else max(days // 2, 1)
    return _days(today, -days - slack, -days + 1 + slack)


def _date(found: re.Match[str]) -> tuple[int, int] | None:
    try:
        day = datetime(int(found[1]), int(found[2]), int(found[3]))  # noqa: DTZ001 - as above
    except ValueError:
        return None
    return _days(day, 0, 1)


def _days(today: datetime, first: int, beyond: int) -> tuple[int, int]:
    ends = (today + timedelta(days=first), today + timedelta(days=beyond))
    return int(ends[0].timestamp() * 1000), int(ends[1].timestamp() * 1000)
