"""Cases of one prompt: prompt-urgency and what rides on it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.sets import load_boundaries, load_prompts
from hitherto_server.benches.trial import UNSAID, Aspect, Case, Label, Said, Trial
from hitherto_server.judge.surfaces import (
    prompt_urgency,
    session_lookup,
    task_boundary,
    user_learning,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.benches.items import Boundary, Prompted
    from hitherto_server.benches.trial import Ask


def urgency_case(one: Prompted) -> Case:
    """Return a prompt as its urgency is asked about."""
    return Case((Label(one.id, "urgency", one.hard, one.urgency),), partial(_urgency, item=one))


async def _urgency(ask: Ask, thresholds: Mapping[str, float], *, item: Prompted) -> Sequence[Said]:
    state = prompt_urgency.state_of(item.request, item.project)
    answers = await ask(state, prompt_urgency.questions_for())
    choice = None if answers is None else answers.choice(prompt_urgency.KEY)
    if answers is None or choice is None:
        return [UNSAID]
    tier = prompt_urgency.decide(answers, thresholds["least_confidence"])
    return [Said(tier, choice.probabilities[choice.choice], choice.choice)]


def lookup_case(one: Prompted) -> Case:
    """Return a prompt that may ask about an earlier session."""
    expected = lookup_label(asks=one.asks_about_a_session)
    return Case((Label(one.id, "lookup", one.hard, expected),), partial(_lookup, item=one))


def lookup_label(*, asks: bool) -> str:
    """Return the label of what asks about a session, or does not."""
    return "earlier session" if asks else "other"


async def _lookup(ask: Ask, thresholds: Mapping[str, float], *, item: Prompted) -> Sequence[Said]:
    answers = await ask(session_lookup.state_of(item.request), session_lookup.questions_for())
    if answers is None:
        return [UNSAID]
    asks = session_lookup.decide(answers, thresholds["least_probability"])
    label = None if asks is None else lookup_label(asks=asks)
    return [Said(label, answers.noul(session_lookup.KEY), "earlier session")]


def learning_case(one: Prompted) -> Case:
    """Return a prompt that may show a lasting preference."""
    expected = learning_label(lasts=one.lasting_preference)
    return Case((Label(one.id, "learning", one.hard, expected),), partial(_learning, item=one))


def learning_label(*, lasts: bool) -> str:
    """Return the label of what shows a lasting preference, or none."""
    return "lasting" if lasts else "none"


async def _learning(ask: Ask, thresholds: Mapping[str, float], *, item: Prompted) -> Sequence[Said]:
    answers = await ask(user_learning.state_of(item.request), user_learning.questions_for())
    if answers is None:
        return [UNSAID]
    lasts = user_learning.decide(answers, thresholds["least_probability"])
    label = None if lasts is None else learning_label(lasts=lasts)
    return [Said(label, answers.noul(user_learning.KEY), "lasting")]


def boundary_case(one: Boundary) -> Case:
    """Return a prompt after work that nobody stored."""
    expected = boundary_label(begins=one.new_task)
    return Case((Label(one.id, "boundary", one.hard, expected),), partial(_boundary, item=one))


def boundary_label(*, begins: bool) -> str:
    """Return the label of what begins another task, or goes on."""
    return "another task" if begins else "goes on"


async def _boundary(ask: Ask, thresholds: Mapping[str, float], *, item: Boundary) -> Sequence[Said]:
    work = task_boundary.UnsavedWork(item.earlier_request, item.files, len(item.files))
    answers = await ask(task_boundary.state_of(item.request, work), task_boundary.questions_for())
    if answers is None:
        return [UNSAID]
    begins = task_boundary.decide(answers, thresholds["least_probability"])
    label = None if begins is None else boundary_label(begins=begins)
    return [Said(label, answers.noul(task_boundary.KEY), "another task")]


PROMPT_URGENCY = Trial(
    prompt_urgency.SURFACE,
    ("prompts",),
    (Aspect("urgency", prompt_urgency.TIERS),),
    lambda: [urgency_case(one) for one in load_prompts()],
)
TASK_BOUNDARY = Trial(
    task_boundary.SURFACE,
    ("boundaries",),
    (Aspect("boundary", ("another task", "goes on"), positive="another task"),),
    lambda: [boundary_case(one) for one in load_boundaries()],
)
SESSION_LOOKUP = Trial(
    session_lookup.SURFACE,
    ("prompts",),
    (Aspect("lookup", ("earlier session", "other"), positive="earlier session"),),
    lambda: [lookup_case(one) for one in load_prompts()],
)
USER_LEARNING = Trial(
    user_learning.SURFACE,
    ("prompts",),
    (Aspect("learning", ("lasting", "none"), positive="lasting"),),
    lambda: [learning_case(one) for one in load_prompts()],
)
