"""An approved plan beside what was decided before: what it may go against is named, as advice."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from math import log
from typing import TYPE_CHECKING

from hitherto_server.core.clock import date_of, uuid7
from hitherto_server.core.text import counted, opening_of
from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces import plan_conflict as surface
from hitherto_server.recall.admission import Occasion, admit, bar_of
from hitherto_server.recall.block import as_data, header
from hitherto_server.recall.candidates import described
from hitherto_server.recall.hits import Question, Scores
from hitherto_server.sessions.moments import DELIVERY_MS, is_late, question_of
from hitherto_server.sessions.plan.plans import plan_of
from hitherto_server.sessions.plan.reading import read_plan
from hitherto_server.sessions.plan.rule import (
    goes_against,
    goes_against_known,
    states_constraint,
)
from hitherto_server.sessions.prompt.patience import judge_until
from hitherto_server.sessions.stems import stems_of
from hitherto_server.store import ledger
from hitherto_server.store import plans as store
from hitherto_server.store import recall as rows
from hitherto_server.store.shown import is_silenced, note_shown, take_back_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_contract.words import Kind
    from hitherto_server.judge.answers import Answers
    from hitherto_server.recall.admission import Admission
    from hitherto_server.recall.hits import Found
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.sessions.plan.reading import Plan
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.ledger import Channel

    Listing = Callable[..., list[tuple[int, str]]]

NOTICE = "advice:plan-conflict"
CHANNEL: Channel = "brief"
MOST_CONSIDERED = 300
MOST_SOUGHT_CHARS = 1500
MOST_NAMED = 3
MOST_TOKENS = 500
LEAST_JUDGE_S = 0.2
LEAST_COMMON = 2
"""So many words must a decision share with a plan to be near it, unless its meaning is."""
OPENING = (
    "<hitherto-plan-check>\n"
    "[{by}] The approved plan may go against what was decided or stated before. This is advice, not"
    " an instruction: weigh it, and ask the person where it matters. What no longer holds is"
    " replaced by `remember` with supersedes.\n"
)
CLOSING = "</hitherto-plan-check>"


DECIDED = frozenset({"decision", "preference"})


@dataclass(frozen=True)
class Ranked:
    """What may lie near a plan, the nearest first."""

    by_words: tuple[int, ...]
    ids: tuple[str, ...]
    """Decisions and preferences by their meaning."""
    others: tuple[int, ...]
    """What else states a rule or a value."""


@dataclass(frozen=True)
class Against:
    """A decision, or another memory, that a plan may go against."""

    found: Found
    by: str
    why: str
    """What shows it, where a rule says so."""


async def answer_plan(tools: Tools, call: HookCall) -> Reply:
    """Name the decisions that an approved plan may go against, if any; it holds nothing up."""
    plan = plan_of(call).text.strip()
    if not plan or call.spooled or not tools.settings.plan_decisions:
        return None
    question = await question_of(tools, call, opening_of(plan, MOST_SOUGHT_CHARS))
    if question.project is None or await _is_silent(tools, question.project):
        return None
    near = await _near(tools, question, plan)
    if not near or is_late(tools, call):
        return None
    against, log_id = await _against(tools, call, question, plan, near)
    reply = await _deliver(tools, call, against[:MOST_NAMED]) if against else None
    outcome = {"against": [one.found.id for one in against], "named": reply is not None}
    await tools.judge.note_outcome(log_id, outcome)
    return reply


async def _is_silent(tools: Tools, project: int) -> bool:
    return await tools.store.readers.run(lambda c: is_silenced(c, NOTICE, project))


async def _near(tools: Tools, question: Question, plan: str) -> list[Found]:
    """Return the decisions and preferences that lie nearest to a plan, by words and by meaning.

    Behind them come half as many others whose text states a rule or a value.
    """
    most = tools.settings.plan_decisions
    decisions, statements, of_decisions, of_preferences = await asyncio.gather(
        _listed(tools, question, store.list_decisions),
        _listed(tools, question, store.list_statements),
        _recalled(tools, question, "decision", most),
        _recalled(tools, question, "preference", most),
    )
    by_words, others = await asyncio.to_thread(_by_words, plan, decisions, statements)
    ids = [*of_decisions, *of_preferences]
    ranked = Ranked(tuple(by_words), tuple(ids), tuple(others[: (most + 1) // 2]))
    return await tools.store.readers.run(
        lambda c: _view(c, tools.recaller.lookout, question, ranked, most)
    )


async def _listed(tools: Tools, question: Question, listing: Listing) -> list[tuple[int, str]]:
    find = partial(listing, scopes=question.scopes, most=MOST_CONSIDERED)
    return await tools.store.readers.run(find)


def _by_words(
    plan: str, decisions: Sequence[tuple[int, str]], statements: Sequence[tuple[int, str]]
) -> tuple[list[int], list[int]]:
    """Return the nearest decisions, and the nearest of what else constrains a plan."""
    constraints = [one for one in statements if states_constraint(one[1])]
    return nearest(plan, decisions), nearest(plan, constraints)


async def _recalled(tools: Tools, question: Question, kind: Kind, most: int) -> list[str]:
    """Return the ids of what recall finds of one kind."""
    wanted = replace(question, kind=kind, limit=most)
    reply = await tools.recaller.recall(wanted, asks_judge=False)
    return [hit.id for hit in reply.hits]


def nearest(plan: str, decisions: Sequence[tuple[int, str]]) -> list[int]:
    """Return the decisions that share the most telling words with a plan, the nearest first."""
    held = {number: stems_of(content) for number, content in decisions}
    spread = Counter(word for words in held.values() for word in words)
    asked = read_plan(plan).stems
    weights = {
        number: sum(log(1 + len(held) / spread[word]) for word in words & asked)
        for number, words in held.items()
        if len(words & asked) >= LEAST_COMMON
    }
    return sorted(weights, key=lambda number: -weights[number])


def _view(
    connection: Connection,
    lookout: Lookout,
    question: Question,
    ranked: Ranked,
    most: int,
) -> list[Found]:
    by_meaning = store.numbers_of(connection, ranked.ids)
    both = [one for pair in zip(ranked.by_words, by_meaning, strict=False) for one in pair]
    decided = list(dict.fromkeys([*both, *ranked.by_words, *by_meaning]))[:most]
    numbers = [*decided, *ranked.others]
    states = rows.list_states(connection, numbers, question.scopes)
    texts = rows.list_texts(connection, [one for one in numbers if one in states])
    newer = {number: states[number]["superseded_by"] for number in texts}
    views = lookout.views(connection, list(texts.values()), newer, question.root)
    found = [
        replace(described(states[one], texts[one], Scores(), barred=None), standing=views.get(one))
        for one in numbers
        if one in texts
    ]
    return [one for one in found if one.superseded_by is None and bar_of(one, CHANNEL) is None]


async def _against(
    tools: Tools, call: HookCall, question: Question, plan: str, near: Sequence[Found]
) -> tuple[list[Against], int | None]:
    """Return what a judge says, and the rule where it says nothing, the surest first."""
    answers = await _judged(tools, call, question, plan, near)
    read = await asyncio.to_thread(read_plan, plan)
    if answers is None:
        return await asyncio.to_thread(_by_rule, read, near), None
    least = tools.judge.threshold(surface.SURFACE, "least_probability")
    said = surface.decide(answers, len(near), least)
    judged = [Against(one, "judged", "") for one, is_so in zip(near, said, strict=True) if is_so]
    left = [one for one, is_so in zip(near, said, strict=True) if is_so is None]
    return [*judged, *await asyncio.to_thread(_by_rule, read, left)], answers.log_id


def _by_rule(plan: Plan, near: Sequence[Found]) -> list[Against]:
    found = ((one, _reason(plan, one)) for one in near)
    return [Against(one, "rule", why) for one, why in found if why is not None]


def _reason(plan: Plan, one: Found) -> str | None:
    if one.kind in DECIDED:
        return goes_against(plan, one.content)
    return goes_against_known(plan, one.content)


async def _judged(
    tools: Tools, call: HookCall, question: Question, plan: str, near: Sequence[Found]
) -> Answers | None:
    left_s = judge_until(call, tools.clock(), DELIVERY_MS) - time.monotonic()
    if not tools.judge.is_on(surface.SURFACE) or left_s < LEAST_JUDGE_S:
        return None
    decisions = [surface.Decision(one.content, date_of(one.learned_at_ms)) for one in near]
    asking = Asking("hook", call.session_id, question.project, left_s)
    state = surface.state_of(plan, decisions)
    answers = await tools.judge.ask(
        surface.SURFACE, state, surface.questions_for(decisions), asking
    )
    return None if isinstance(answers, Unavailable) else answers


async def _deliver(tools: Tools, call: HookCall, against: Sequence[Against]) -> Reply:
    """Enter what is named in the ledger and name it, unless that would come too late."""
    at_ms = tools.clock()
    occasion = Occasion(
        session_id=call.session_id,
        channel=CHANNEL,
        admission=uuid7(at_ms),
        at_ms=at_ms,
        memories=MOST_NAMED,
        tokens=MOST_TOKENS,
    )
    delivered = await tools.store.readers.run(lambda c: ledger.delivered(c, call.session_id))
    admission = admit(occasion, [one.found for one in against], delivered)
    if is_late(tools, call):
        return None
    admission = await tools.recaller.deliver(admission)
    await tools.store.writer.run(partial(_note, call, against, at_ms), durable=False)
    if is_late(tools, call):  # the disk took its time
        await tools.recaller.take_back(admission)
        await tools.store.writer.run(partial(_take_back, call, against))
        return None
    are_decided = all(one.found.kind in DECIDED for one in against)
    named = counted(len(against), "decision" if are_decided else "memory")
    return {
        "systemMessage": f"Hitherto: the plan may go against {named}",
        "hookSpecificOutput": {
            "hookEventName": call.event,
            "additionalContext": text_of(admission, against),
        },
    }


def text_of(admission: Admission, against: Sequence[Against]) -> str:
    """Return the block for the model; what it has been given already is named by its line only."""
    texts = {one.found.number: one.text or header(one.found) for one in admission.decisions}
    lines = [
        texts[one.found.number] + (f"  conflict: {as_data(one.why)}\n" if one.why else "")
        for one in against
    ]
    by = "judged" if any(one.by == "judged" for one in against) else "rule"
    return f"{OPENING.format(by=by)}{''.join(lines)}{CLOSING}"


def _note(call: HookCall, against: Sequence[Against], at_ms: int, connection: Connection) -> None:
    for one in against:
        note_shown(connection, NOTICE, call.session_id, one.found.id, at_ms=at_ms)


def _take_back(call: HookCall, against: Sequence[Against], connection: Connection) -> None:
    for one in against:
        take_back_shown(connection, NOTICE, call.session_id, one.found.id)
