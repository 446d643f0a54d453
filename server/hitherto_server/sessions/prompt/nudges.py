"""At most one short line beside the memories of a prompt, where this prompt needs it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.core.text import opening_of
from hitherto_server.recall.block import as_data
from hitherto_server.sessions.moments import is_late
from hitherto_server.sessions.past.lookups import joined
from hitherto_server.store.nudges import may_nudge, note_nudge, take_back_nudge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hitherto_server.recall.admission import Admission
    from hitherto_server.recall.hits import Found
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.sessions.prompt.reading import Prompt, Reading, Speaker
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.nudges import NudgeKind

log = logging.getLogger(__name__)

OPENING, CLOSING = "<hitherto-nudge>", "</hitherto-nudge>"
MOST_FILES = 3
MOST_REQUEST_CHARS = 80
LEAST_COSINE, LEAST_COVERAGE = 0.40, 0.5
ONCE = "session"
"""The subject of what is said once a session."""


@dataclass(frozen=True)
class Nudge:
    """A line for the agent: what it is about, and who found that it is needed."""

    kind: NudgeKind
    subject: str
    text: str
    by: Speaker

    @property
    def line(self) -> str:
        """The line as the model reads it."""
        return f"{OPENING}[{self.by}] {self.text}{CLOSING}"


@dataclass(frozen=True)
class Answered:
    """What a prompt is answered already."""

    admission: Admission
    has_past: bool
    """Whether earlier sessions that it asks about were found, or none is to be given."""
    keeps_preference: bool
    """Whether what it shows of a preference is kept without the agent."""


def nudges_for(prompt: Prompt, reading: Reading, answered: Answered) -> list[Nudge]:
    """Return what a prompt may be told, what matters most first."""
    return list(_wanted(prompt, reading, answered))


async def with_nudge(
    tools: Tools, prompt: Prompt, reply: Reply, wanted: Sequence[Nudge]
) -> tuple[Reply, Nudge | None]:
    """Add the first of the nudges that the session may be given, and note that it is given."""
    if not wanted or not tools.settings.nudges or is_late(tools, prompt.call):
        return reply, None
    try:
        nudge = await tools.store.writer.run(
            lambda c: _take(c, tools, prompt, wanted), durable=False
        )
        if nudge is not None and is_late(tools, prompt.call):
            await tools.store.writer.run(partial(_take_back, prompt=prompt, nudge=nudge))
            nudge = None
    except HithertoError as error:  # the ledger holds already what the reply gives
        log.warning("%s is not nudged: %s", prompt.call.session_id, error)
        return reply, None
    return (joined(prompt, reply, nudge.line), nudge) if nudge else (reply, None)


def _wanted(prompt: Prompt, reading: Reading, answered: Answered) -> Iterator[Nudge]:
    work, near = reading.unsaved, near_misses(answered.admission)
    if work is not None and reading.another_task.holds:
        told = _unsaved_line(work.files, work.edits, work.request)
        yield Nudge("nudge:task-boundary", work.prompt_id, told, reading.another_task.by)
    if reading.asks_session.holds:
        if not answered.has_past:
            yield Nudge("nudge:session-lookup", ONCE, SESSION_LINE, reading.asks_session.by)
    elif reading.tier == "must" and near and not answered.admission.injected:
        yield Nudge("nudge:recall", prompt.id or ONCE, _recall_line(near), reading.tier_by)
    if reading.lasting is not None and reading.lasting.holds and not answered.keeps_preference:
        yield Nudge("nudge:preference", ONCE, PREFERENCE_LINE, "judged")


SESSION_LINE = (
    "This asks about an earlier session, and its words find none: `recall` with scope sessions"
    " takes others. If that finds none either, say so."
)
PREFERENCE_LINE = (
    "This shows how the person wants work done from now on. If so, keep it in a sentence:"
    " `remember` with scope user and kind preference."
)


def near_misses(admission: Admission) -> int:
    """Return how many memories are near a prompt and not sure enough to be given unasked."""
    return sum(
        one.outcome == "dropped" and one.reason == one.found.below and _is_near(one.found)
        for one in admission.decisions
    )


def _is_near(found: Found) -> bool:
    """Tell whether somebody who asks would be answered with it: what was judged is no riddle."""
    scores = found.scores
    is_alike = (scores.passage or 0.0) >= LEAST_COSINE or (scores.coverage or 0.0) >= LEAST_COVERAGE
    return is_alike and found.relevance is None


def _unsaved_line(files: Sequence[str], edits: int, request: str) -> str:
    named = ", ".join(files[:MOST_FILES])
    more = f" and {len(files) - MOST_FILES} more" if len(files) > MOST_FILES else ""
    asked = " ".join(opening_of(" ".join(request.split()), MOST_REQUEST_CHARS).split())
    done_for = f' for "{asked}"' if asked else ""
    counted = "1 edit" if edits == 1 else f"{edits} edits"
    return as_data(
        f"Nothing is stored of the work{done_for} ({counted}: {named}{more}). If it taught"
        " something that outlasts it, `remember` that before the next task."
    )


def _recall_line(near: int) -> str:
    counted = "1 memory is" if near == 1 else f"{near} memories are"
    return (
        f"This goes back to earlier work, and {counted} near it without being sure enough to be"
        " given unasked: `recall` with the names that matter before you decide."
    )


def _take(
    connection: Connection, tools: Tools, prompt: Prompt, wanted: Sequence[Nudge]
) -> Nudge | None:
    session, project = prompt.call.session_id, prompt.project.number if prompt.project else None
    most, at_ms = tools.settings.nudges, tools.clock()
    for one in wanted:
        if may_nudge(connection, session, project, most=most, kind=one.kind, subject=one.subject):
            note_nudge(connection, session, at_ms=at_ms, kind=one.kind, subject=one.subject)
            return one
    return None


def _take_back(connection: Connection, prompt: Prompt, nudge: Nudge) -> None:
    session = prompt.call.session_id
    take_back_nudge(connection, session, kind=nudge.kind, subject=nudge.subject)
