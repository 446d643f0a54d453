"""What is to be said of a turn that ends: judged in one request, else by rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.judge.answers import Answers
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces import agent_message, claim_check, turn_worth
from hitherto_server.judge.turn_state import state_of
from hitherto_server.sessions.moments import DELIVERY_MS
from hitherto_server.sessions.stop.causes import Judged, Ruled
from hitherto_server.sessions.stop.claims import claims_in
from hitherto_server.sessions.stop.learned import Learned, has_worked, learned_in
from hitherto_server.sessions.stop.mending import Mended
from hitherto_server.sessions.stop.showing import unshown
from hitherto_server.sessions.stop.turn_end import ended
from hitherto_server.sessions.stop.waiting import asks_person

if TYPE_CHECKING:
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Tools
    from hitherto_server.sessions.stop.showing import Unshown
    from hitherto_server.sessions.stop.view import Stop

AFTERWARDS_MS = 200
"""What is left to do after a judgment: the block is taken, the answer is sent."""
LEAST_ASKING_S = 0.25
QUESTIONS = {
    agent_message.SURFACE.name: agent_message.questions_for,
    turn_worth.SURFACE.name: turn_worth.questions_for,
    claim_check.SURFACE.name: claim_check.questions_for,
}


def by_rule(tools: Tools, stop: Stop) -> Ruled:
    """Return what the rules say of a turn's end, as far as anything may follow from it."""
    return Ruled(
        claim=claim_of(stop) if tools.settings.claim_check else None,
        learned=_learned(stop) if may_ask(tools, stop) and not stop.lessons.declined else None,
        waits=asks_person(stop.message),
    )


def claim_of(stop: Stop) -> Unshown | None:
    """Return the claim that the evidence speaks against, if the message makes one."""
    asked, whole = "\n".join(stop.prompts), stop.is_whole
    return unshown(stop.message, asked, stop.own, stop.everything, is_whole=whole)


def may_ask(tools: Tools, stop: Stop) -> bool:
    """Tell whether the agent may be asked at all to store what it learned."""
    is_own_end = stop.agent_id is None and not stop.is_forced and not stop.goes_on
    return is_own_end and not stop.has_stored and stop.lessons.times < tools.settings.lesson_asks


def _learned(stop: Stop) -> Learned | None:
    """Return what the turn learned, or what an earlier one mended that ended with a question."""
    asked = next(iter(stop.prompts), "")
    if (learned := learned_in(stop.message, stop.turn, asked)) is not None:
        return learned
    fix = next((one for one in stop.owes if one.kind == "fix" and not one.blocks), None)
    if fix is None:
        return None
    told = fix.detail
    return Learned(mended=Mended(fix.subject, told["error"], tuple(told["files"]), 0))


async def judge_stop(tools: Tools, call: HookCall, stop: Stop) -> tuple[Judged, int | None]:
    """Ask what is worth asking, in one request; return what was said, and the log's number."""
    wanted = _wanted(tools, stop)
    if not wanted:
        return Judged(), None
    state = state_of(ended(stop.message, stop.turn, stop.own))
    left_s = _left_s(tools, call)  # of a server that has just started the state takes its time
    if left_s < LEAST_ASKING_S:
        return Judged(), None
    asking = Asking(
        "hook",
        stop.session_id,
        stop.project,
        left_s,
        riders=tuple(one.name for one in wanted[1:]),
    )
    questions: dict[str, Question] = {}
    for one in wanted:
        questions |= QUESTIONS[one.name]()
    answers = await tools.judge.ask(wanted[0], state, questions, asking)
    if not isinstance(answers, Answers):
        return Judged(), answers.log_id
    return _judged(tools, answers, wanted), answers.log_id


def _judged(tools: Tools, answers: Answers, wanted: list[Surface]) -> Judged:
    limits = {
        one.name: {name: tools.judge.threshold(one, name) for name in one.thresholds}
        for one in wanted
    }
    message, worth, claim = (
        limits.get(one.name)
        for one in (agent_message.SURFACE, turn_worth.SURFACE, claim_check.SURFACE)
    )
    return Judged(
        claim=claim_check.decide(answers, claim) if claim else "undecided",
        worth=turn_worth.decide(answers, worth) if worth else "undecided",
        waits=agent_message.decide(answers, message).at_all if message else None,
    )


def _wanted(tools: Tools, stop: Stop) -> list[Surface]:
    """Return what is worth asking, the request's lead first."""
    asks_worth = may_ask(tools, stop) and has_worked(stop.turn)
    # whoever did nothing is believed, unless the words alone are an outright claim
    has_ground = bool(stop.turn.size) or bool(claims_in(stop.message))
    worth = (
        (agent_message.SURFACE, asks_worth),
        (turn_worth.SURFACE, asks_worth),
        (claim_check.SURFACE, bool(tools.settings.claim_check) and has_ground),
    )
    return [one for one, is_worth in worth if is_worth and tools.judge.is_on(one)]


def _left_s(tools: Tools, call: HookCall) -> float:
    if call.deadline_ms is None:
        return agent_message.SURFACE.timeout_s
    spent_ms = tools.clock() - call.at_ms
    return (call.deadline_ms - spent_ms - DELIVERY_MS - AFTERWARDS_MS) / 1000
