"""Reads a prompt: what it shows is judged in one request, else told by rules."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import HithertoError
from hitherto_server.core.text import name_of, opening_of
from hitherto_server.judge.answers import Answers, Choice
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces import (
    prompt_urgency,
    session_lookup,
    task_boundary,
    user_learning,
)
from hitherto_server.recall.pipeline import LEAST_JUDGE_S
from hitherto_server.sessions.prompt import another_task
from hitherto_server.sessions.prompt import rules as prompt_rules
from hitherto_server.sessions.prompt.reading import Lasting, Reading, Said
from hitherto_server.store.unsaved import find_unsaved, has_preference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface
    from hitherto_server.sessions.moments import Tools
    from hitherto_server.sessions.prompt.reading import Prompt
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.projects import Project
    from hitherto_server.store.unsaved import Unsaved

log = logging.getLogger(__name__)


async def read_prompt(tools: Tools, prompt: Prompt) -> Reading:
    """Read a prompt; what no judgment says in time, the rules say."""
    unsaved, asks_preference = await _looked_up(tools, prompt)
    ruled = by_rule(prompt.text, unsaved)
    wanted = _wanted(tools, unsaved, asks_preference=asks_preference)
    left_s = prompt.until - time.monotonic()
    if not wanted or left_s < LEAST_JUDGE_S:
        return ruled
    return judged(await _ask(tools, prompt, ruled, wanted, left_s), tools, ruled)


def by_rule(text: str, unsaved: Unsaved | None) -> Reading:
    """Return what the words of a prompt say of it."""
    begins = unsaved is not None and another_task.begins(
        text, has_ended=unsaved.has_ended, earlier=unsaved.request, files=unsaved.files
    )
    asks = prompt_rules.asks_about_a_session(text)
    return Reading(
        tier=prompt_rules.tier_of_searched(text, asks_session=asks),
        asks_session=Said(asks, "rule"),
        another_task=Said(begins, "rule"),
        unsaved=unsaved,
    )


def judged(answers: Answers | None, tools: Tools, ruled: Reading) -> Reading:
    """Return a reading with what a judge said in place of what the rules said."""
    if answers is None:
        return ruled
    threshold = tools.judge.threshold
    urgency = answers.choice(prompt_urgency.KEY)
    tier = prompt_urgency.decide(answers, threshold(prompt_urgency.SURFACE, "least_confidence"))
    asks = session_lookup.decide(answers, threshold(session_lookup.SURFACE, "least_probability"))
    turns = task_boundary.decide(answers, threshold(task_boundary.SURFACE, "least_probability"))
    wants = user_learning.decide(answers, threshold(user_learning.SURFACE, "least_probability"))
    return Reading(
        # who can't tell says nothing of the size: what is set stands
        tier=tier or ruled.tier,
        tier_by="judged" if tier else "rule",
        confidence=urgency.confidence if isinstance(urgency, Choice) else None,
        asks_session=ruled.asks_session if asks is None else Said(asks, "judged"),
        another_task=ruled.another_task if turns is None else Said(turns, "judged"),
        unsaved=ruled.unsaved,
        lasting=None if wants is None else Lasting(wants, answers.calibrated),
        log_id=answers.log_id,
    )


async def _looked_up(tools: Tools, prompt: Prompt) -> tuple[Unsaved | None, bool]:
    """Return what is not stored of earlier work, and whether a preference is to be asked about.

    Where neither makes a difference, no reader is taken from the recall.
    """
    settings, judge = tools.settings, tools.judge
    may_turn = judge.is_on(task_boundary.SURFACE) or another_task.may_begin(prompt.text)
    asks_work = settings.nudges > 0 and may_turn
    keeps = settings.preferences > 0 and settings.kept_prompt_chars > 0
    asks_preference = keeps and judge.is_on(user_learning.SURFACE)

    def look(connection: Connection) -> tuple[Unsaved | None, bool]:
        session = prompt.call.session_id
        unsaved = find_unsaved(connection, session, prompt.id) if asks_work else None
        return unsaved, asks_preference and not has_preference(connection, session)

    if not asks_work and not asks_preference:
        return None, False
    try:
        unsaved, asks_preference = await tools.store.readers.run(look)
    except HithertoError as error:
        log.warning("what a session has not stored is not known: %s", error)
        return None, False
    return unsaved and replace(
        unsaved, files=_named(unsaved.files, prompt.project)
    ), asks_preference


def _named(files: tuple[str, ...], project: Project | None) -> tuple[str, ...]:
    """Return files as the project names them: no path of the machine is told to anybody."""
    root = f"{project.root}/" if project else "/"
    return tuple(one.removeprefix(root) if one.startswith(root) else name_of(one) for one in files)


def _wanted(tools: Tools, unsaved: Unsaved | None, *, asks_preference: bool) -> list[Surface]:
    """Return what is worth asking, the request's lead first."""
    nudges = tools.settings.nudges > 0
    worth = (
        (prompt_urgency.SURFACE, True),
        (task_boundary.SURFACE, nudges and unsaved is not None),
        (session_lookup.SURFACE, nudges),
        (user_learning.SURFACE, asks_preference),
    )
    return [one for one, is_worth in worth if is_worth and tools.judge.is_on(one)]


async def _ask(
    tools: Tools, prompt: Prompt, ruled: Reading, wanted: list[Surface], left_s: float
) -> Answers | None:
    asking = Asking(
        "hook",
        prompt.call.session_id,
        prompt.project.number if prompt.project else None,
        left_s,
        riders=tuple(one.name for one in wanted[1:]),
        preview=opening_of(prompt.text, tools.settings.kept_prompt_chars),
    )
    state, questions = asked_of(prompt.text, prompt.project, ruled.unsaved, wanted)
    answers = await tools.judge.ask(wanted[0], state, questions, asking)
    return answers if isinstance(answers, Answers) else None


def asked_of(
    text: str, project: Project | None, unsaved: Unsaved | None, wanted: list[Surface]
) -> tuple[Mapping[str, Any], Mapping[str, Question]]:
    """Return the state and the questions of the surfaces that are asked, as one request."""
    state: dict[str, Any] = {}
    questions: dict[str, Question] = {}
    names = {one.name for one in wanted}
    if prompt_urgency.SURFACE.name in names:
        state |= prompt_urgency.state_of(text, project.name if project else None)
        questions |= prompt_urgency.questions_for()
    if task_boundary.SURFACE.name in names and unsaved is not None:
        work = task_boundary.UnsavedWork(unsaved.request, unsaved.files, unsaved.edits)
        state |= task_boundary.state_of(text, work)
        questions |= task_boundary.questions_for()
    for rider in (session_lookup, user_learning):
        if rider.SURFACE.name in names:
            state |= rider.state_of(text)
            questions |= rider.questions_for()
    return state, questions
