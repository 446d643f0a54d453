"""What a stop is answered: mostly nothing; once a prompt, what is claimed or learned and not kept.

A block is taken in the database before it is given, so that no restart forgets it, and it is done
with at the next stop, whatever the agent made of it.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.sessions.loop.loops import loop_on_stop
from hitherto_server.sessions.moments import is_late
from hitherto_server.sessions.stop.causes import (
    NOTICES,
    Judged,
    Ruled,
    block_text,
    causes_of,
    person_line,
)
from hitherto_server.sessions.stop.reading import by_rule, claim_of, judge_stop
from hitherto_server.sessions.stop.view import look_at
from hitherto_server.store import obligations as owed
from hitherto_server.store.obligations import DECLINED, LATE, MOVED_ON, PUT_RIGHT, SAID_AGAIN, UNMET
from hitherto_server.store.shown import note_shown, settle, take_back_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.sessions.stop.causes import Cause
    from hitherto_server.sessions.stop.view import Stop
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.shown import ShownOutcome

HOOKS_OWN_MS = 60
"""What a hook takes before it looks at its clock, and after it was answered."""
SETTLED = UNMET | {PUT_RIGHT}

log = logging.getLogger(__name__)


async def answer_stop(tools: Tools, call: HookCall, *, all_heard: bool) -> Reply:
    """Let a stop pass, hold it up once for a reason of ours, or give a loop's next iteration."""
    if call.spooled:
        return None
    call = _shortened(call)
    work = _stop_answered(tools, call, all_heard=all_heard)
    return await tools.in_time.wait(work, _left_s(tools, call))


async def answer_subagent_stop(tools: Tools, call: HookCall, *, all_heard: bool) -> Reply:
    """Let a subagent's stop pass, or hold it up once for a claim that nothing shows."""
    if call.spooled or not call.text("agent_id"):
        return None
    call = _shortened(call)
    work = _subagent_answered(tools, call, all_heard=all_heard)
    return await tools.in_time.wait(work, _left_s(tools, call))


def _shortened(call: HookCall) -> HookCall:
    """Return a call whose time ends a little earlier, so that its hook has ended in time too."""
    if call.deadline_ms is None:
        return call
    return replace(call, deadline_ms=call.deadline_ms - HOOKS_OWN_MS)


def _left_s(tools: Tools, call: HookCall) -> float | None:
    """Return for how long an answer is waited for: a little beyond where it is late."""
    if call.deadline_ms is None:
        return None
    return max(call.deadline_ms - (tools.clock() - call.at_ms), 0) / 1000


async def _stop_answered(tools: Tools, call: HookCall, *, all_heard: bool) -> Reply:
    stop = await look_at(tools, call, all_heard=all_heard)
    tools.prompts.keep_reply_soon(call)
    if stop.is_looping:
        return _with_claim(tools, stop, await loop_on_stop(tools, call, stop.turn))
    # a loop that has ended since is told of; first, for whoever took a block must answer at once
    told = await loop_on_stop(tools, call, stop.turn)
    held_up = await _hold_up(tools, call, stop)
    return {**(told or {}), **held_up} if held_up else told


async def _subagent_answered(tools: Tools, call: HookCall, *, all_heard: bool) -> Reply:
    return await _hold_up(tools, call, await look_at(tools, call, all_heard=all_heard))


def _with_claim(tools: Tools, stop: Stop, reply: Reply) -> Reply:
    """Add to a loop's next iteration what the last one claimed and did not show."""
    if reply is None or reply.get("decision") != "block" or not tools.settings.claim_check:
        return reply
    causes = causes_of(Ruled(claim=claim_of(stop)), Judged(), stop.turn)
    if not causes or causes[0].notice in stop.silent:
        return reply
    return {**reply, "reason": f"{reply['reason']}\n\nHitherto [rule]: {causes[0].why}"}


async def _hold_up(tools: Tools, call: HookCall, stop: Stop) -> Reply:
    await _done_with(tools, stop)
    if stop.has_block or tools.settings.stop_blocks == 0:
        return None
    ruled = await asyncio.to_thread(by_rule, tools, stop)
    judged, log_id = await judge_stop(tools, call, stop)
    causes = [one for one in causes_of(ruled, judged, stop.turn) if one.notice not in stop.silent]
    reply = await _block(tools, call, stop, causes) if causes else None
    if log_id is not None:
        held_up_for = [one.kind for one in causes] if reply else []
        outcome = {"held_up_for": held_up_for, "waits": judged.waits, "worth": judged.worth}
        await tools.judge.note_outcome(log_id, {**outcome, "claim": judged.claim})
    if reply is None:
        await _owe_fix(tools, stop, ruled)
    return reply


async def _block(tools: Tools, call: HookCall, stop: Stop, causes: Sequence[Cause]) -> Reply:
    """Take the prompt's one block and give it; None where none is left or time is up."""
    at_ms = tools.clock()
    job = partial(_take, stop=stop, causes=causes, most=tools.settings.stop_blocks, at_ms=at_ms)
    if is_late(tools, call) or not await tools.store.writer.run(job, durable=False):
        return None
    if is_late(tools, call):  # the disk took its time
        await tools.store.writer.run(partial(_give_back, stop=stop, causes=causes, at_ms=at_ms))
        return None
    return {
        "decision": "block",
        "reason": block_text(causes),
        "systemMessage": person_line(causes),
    }


def _take(
    connection: Connection, stop: Stop, causes: Sequence[Cause], *, most: int, at_ms: int
) -> bool:
    session_id, subject = stop.session_id, stop.subject
    detail = {"causes": [one.notice for one in causes], "by": [one.by for one in causes]}
    if not owed.take_block(connection, session_id, subject, detail=detail, at_ms=at_ms, most=most):
        return False
    for one in causes:
        told = {"why": one.why, "clears": one.clears, "by": one.by}
        owed.raise_obligation(connection, session_id, one.kind, subject, detail=told, at_ms=at_ms)
        owed.count_block(connection, session_id, one.kind, subject)
        note_shown(connection, one.notice, session_id, subject, at_ms=at_ms)
        if one.kind == "store":
            for fix in (known for known in stop.owes if known.kind == "fix"):
                owed.count_block(connection, session_id, "fix", fix.subject)
    return True


def _give_back(connection: Connection, stop: Stop, causes: Sequence[Cause], at_ms: int) -> None:
    owed.give_back_block(connection, stop.session_id, stop.subject)
    for one in causes:
        owed.clear_obligations(
            connection, stop.session_id, (one.kind,), by=LATE, at_ms=at_ms, subject=stop.subject
        )
        take_back_shown(connection, one.notice, stop.session_id, stop.subject)


async def _done_with(tools: Tools, stop: Stop) -> None:
    """Clear what the agent was held up for: whatever it answered, it is asked once."""
    mine = [one for one in stop.owes if (one.kind != "fix" or one.blocks) and _is_over(one, stop)]
    if not mine and not stop.has_block:
        return
    job = partial(_clear, stop=stop, mine=mine, at_ms=tools.clock())
    try:
        await tools.store.writer.run(job, durable=False)
    except HithertoError as error:
        log.warning("what %s was held up for stays open: %s", stop.session_id, error)


def _clear(connection: Connection, stop: Stop, mine: Sequence[owed.Obligation], at_ms: int) -> None:
    came = _came_of(stop)
    raised = owed.raised_for(connection, stop.session_id, stop.subject)
    for one in mine:
        by = came[one.kind][0] if one.subject == stop.subject else MOVED_ON
        owed.clear_obligations(
            connection, stop.session_id, (one.kind,), by=by, at_ms=at_ms, subject=one.subject
        )
    for kind, cleared_by in raised.items():
        if kind not in NOTICES or cleared_by in SETTLED:
            continue  # that was settled at an earlier stop
        # what is cleared by now was cleared by the write of a memory
        because, outcome = came[kind] if cleared_by is None else ("stored", "heeded")
        settle(
            connection,
            NOTICES[kind],
            stop.session_id,
            stop.subject,
            outcome,
            because=because,
            at_ms=at_ms,
        )


def _is_over(one: owed.Obligation, stop: Stop) -> bool:
    """Tell whether an obligation ends with this stop: its own, or one of an earlier prompt."""
    if one.subject == stop.subject:
        return True
    # a subagent's is its own to answer, as long as its prompt goes on
    return stop.agent_id is None and not one.subject.startswith(f"{stop.prompt_id} ")


def _came_of(stop: Stop) -> dict[owed.Owed, tuple[str, ShownOutcome]]:
    """Return how each kind is cleared at the stop after its block, and what that says of it."""
    is_put_right = claim_of(stop) is None
    return {
        "check": (PUT_RIGHT, "heeded") if is_put_right else (SAID_AGAIN, "ignored"),
        "store": (DECLINED, "ignored"),
        "fix": (DECLINED, "ignored"),
    }


async def _owe_fix(tools: Tools, stop: Stop, ruled: Ruled) -> None:
    """Remember a fix that the agent was not asked about since it waits for its person."""
    mended = ruled.learned.mended if ruled.learned else None
    if mended is None or not ruled.waits or any(one.kind == "fix" for one in stop.owes):
        return
    detail = {"error": mended.error, "files": list(mended.files)}
    at_ms = tools.clock()
    await tools.store.writer.run(
        lambda c: owed.raise_obligation(
            c, stop.session_id, "fix", mended.command, detail=detail, at_ms=at_ms
        ),
        durable=False,
    )
