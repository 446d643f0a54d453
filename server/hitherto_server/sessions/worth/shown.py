"""What came of what a session was shown unasked: borne out, acted on, contradicted, or ignored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from hitherto_server.sessions.stop.causes import NOTICES
from hitherto_server.sessions.worth.acts import DEEDS
from hitherto_server.sessions.worth.assess import AGAINST, WORDS
from hitherto_server.sessions.worth.traces import is_at
from hitherto_server.store.obligations import STORED, UNMET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.sessions.worth.acts import Act
    from hitherto_server.sessions.worth.assess import Change, Worth
    from hitherto_server.sessions.worth.traces import Traces
    from hitherto_server.store.shown import ShownOutcome

BORNE_OUT = frozenset({*AGAINST, "judged-stale", "edited"})
LOOKS = frozenset({"look", "command", "other"})
"""Edits of its file are none: a notice comes because of them."""
HOLDING = frozenset({"current", "unverified"})
UNTOLD = frozenset({"nudge:session-lookup"})
"""What it asks for leaves no trace."""
OWED_FOR = {notice: owed for owed, notice in NOTICES.items()}
"""What a stop is held up for, by the name under which the block is counted."""


class Shown(NamedTuple):
    """Something that a session was shown."""

    kind: str
    subject: str
    at_ms: int


class Cleared(NamedTuple):
    """Something that a session owed and is done with, and how."""

    kind: str
    subject: str
    at_ms: int
    by: str


class Settled(NamedTuple):
    """What came of it, and what shows that."""

    outcome: ShownOutcome
    because: str


@dataclass(frozen=True)
class Course:
    """How a session went on, as far as it tells what came of what it was shown."""

    acts: Sequence[Act] = ()
    changes: Sequence[Change] = ()
    stored_ms: Sequence[int] = ()
    """When it stored or changed a memory."""
    called_ms: Sequence[int] = ()
    """When it called a tool of ours."""
    planned_ms: Sequence[int] = ()
    """When a plan of it was approved."""
    cleared: Sequence[Cleared] = ()
    traces: Mapping[str, tuple[int, Traces]] = field(default_factory=dict)
    """The memories that it was shown something of, by id: number and traces."""


def settled(shown: Shown, course: Course) -> Settled:
    """Return what came of one thing that was shown."""
    family = shown.kind.partition(":")[0]
    match family:
        case "notice":
            return _of_memory(shown, course)
        case "advice":
            return _of_advice(shown, course)
        case "nudge":
            return _of_nudge(shown, course)
        case "block":
            return _of_block(shown, course)
        case _:
            return Settled("unclear", "nothing shows what comes of it")


def _of_memory(shown: Shown, course: Course) -> Settled:
    if shown.subject not in course.traces:
        return _went_on(shown, course)
    number, traces = course.traces[shown.subject]
    later = [one for one in course.changes if one.number == number and one.at_ms > shown.at_ms]
    for change in later:
        if change.kind in BORNE_OUT:
            return Settled("right", WORDS[change.kind])
    if any(change.kind == "confirmed" for change in later):
        return Settled("wrong", WORDS["confirmed"])
    for act in _after(shown, course):
        if act.kind in LOOKS and _is_about(act, shown.subject, traces):
            return Settled("heeded", "the session looked at what it is about")
    return _went_on(shown, course)


def _of_advice(shown: Shown, course: Course) -> Settled:
    """Return what came of advice on a plan: that the decision holds does not refute it."""
    if any(at_ms > shown.at_ms for at_ms in course.planned_ms):
        return Settled("heeded", "another plan was approved")
    found = _of_memory(shown, course)
    return _went_on(shown, course) if found.outcome == "wrong" else found


def _is_about(act: Act, memory_id: str, traces: Traces) -> bool:
    named = (memory_id, *traces.files)
    return any(is_at(act.path, file) for file in traces.files) or any(
        one in act.text for one in named
    )


def _of_nudge(shown: Shown, course: Course) -> Settled:
    if shown.kind in UNTOLD:
        return Settled("unclear", "nothing shows what comes of it")
    wanted = course.called_ms if shown.kind == "nudge:recall" else course.stored_ms
    if any(at_ms > shown.at_ms for at_ms in (*wanted, *course.stored_ms)):
        return Settled("heeded", "the session did what it asks for")
    return _went_on(shown, course)


def _of_block(shown: Shown, course: Course) -> Settled:
    owed = OWED_FOR.get(shown.kind)
    for one in course.cleared:
        if (one.kind, one.subject) == (owed, shown.subject) and one.by not in UNMET:
            return Settled("right", f"cleared: {one.by}"[:80])
    if owed in STORED and any(at_ms > shown.at_ms for at_ms in course.stored_ms):
        return Settled("right", "the session stored something")
    return _went_on(shown, course)


def _after(shown: Shown, course: Course) -> list[Act]:
    return [act for act in course.acts if act.at_ms > shown.at_ms and act.kind in DEEDS]


def _went_on(shown: Shown, course: Course) -> Settled:
    if _after(shown, course):
        return Settled("ignored", "the session went on without it")
    return Settled("unclear", "nothing was done after it")


def standing_settled(standing: str, worth: Worth) -> Settled:
    """Return whether the standing that a memory was given with was right, as far as that shows."""
    outcome: ShownOutcome = "unclear"
    if standing in HOLDING:
        if worth.blame == "false":
            outcome = "wrong"
        elif worth.outcome == "used" and worth.because != WORDS["edited"]:
            outcome = "right"
    elif worth.outcome == "contradicted" or worth.because == WORDS["edited"]:
        outcome = "right"
    elif worth.because == WORDS["confirmed"]:
        outcome = "wrong"
    return Settled(outcome, worth.because)
