"""A loop at a stop: the next iteration is asked for, or the loop waits or ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, assert_never, cast

from hitherto_server.judge.answers import Unavailable
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces import loop_goal
from hitherto_server.sessions.bookkeeping import kept, prompt_id_of
from hitherto_server.sessions.loop.words import (
    CAP,
    SHOWN_ENTRIES,
    end_line,
    iteration_text,
    pause_line,
)
from hitherto_server.sessions.moments import is_late
from hitherto_server.sessions.stop.view import project_of
from hitherto_server.sessions.stop.waiting import (
    LAST_CHARS,
    LAST_SENTENCES,
    SENTENCE,
    is_blocked,
)
from hitherto_server.store.loops import (
    ask_iteration,
    end_loop,
    has_written,
    is_by_client,
    is_first_telling,
    journal_of,
    last_loop,
    pause_loop,
    take_back,
    used_tool,
    write_entry,
)

if TYPE_CHECKING:
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.evidence import Command, Evidence
    from hitherto_server.store.loops import Ended, Entry, Loop, Paused

REPLY_CHARS = 200
"""Of the agent's last words, kept in the journal where it wrote nothing itself."""
ANSWER_MS = 200
"""What is left to do after a judgment: the next iteration is noted, the answer is sent."""
LEAST_ASKING_S = 0.25


@dataclass(frozen=True)
class LoopStop:
    """What counts of a stop for a loop."""

    prompt_id: str
    message: str
    now_ms: int
    used_tool: bool
    """Since the iteration was asked for, as far as we hear of tools."""
    by_person: bool
    """False: the prompt of this turn was the client's own, as when a subagent has ended."""
    waits_for_agents: bool
    """Subagents are at work in the background: the client wakes the session when they end."""
    needs_person: bool
    """Only the person can go on, as the last words have it and no note of the agent denies."""


@dataclass(frozen=True)
class Move:
    """What becomes of a loop at a stop."""

    kind: Literal["ask", "pause", "end", "stay"]
    iteration: int = 0
    idle: int = 0
    reason: Paused | Ended | None = None


STAY = Move("stay")


def next_move(loop: Loop, stop: LoopStop) -> Move:
    """Decide by the rules alone what becomes of a loop at a stop."""
    if stop.now_ms >= loop.until_ms:
        return Move("end", reason="time")
    if loop.state == "paused" and _stays_paused(loop, stop):
        return Move("pause", reason=loop.reason) if not loop.prompt_id else STAY
    if stop.waits_for_agents:
        return STAY
    if stop.needs_person:
        return Move("pause", reason="waiting")
    return _going_on(loop, stop)


def _going_on(loop: Loop, stop: LoopStop) -> Move:
    is_new_turn = stop.prompt_id != loop.prompt_id
    if loop.asked_at_ms and is_new_turn and stop.by_person:
        return Move("ask", loop.iteration)  # the person came between: the same once more
    idle = 0 if stop.used_tool or is_new_turn else loop.idle
    if idle >= CAP:
        return Move("pause", reason="idle")
    if loop.iteration >= loop.most_iterations:
        return Move("end", reason="iterations")
    return Move("ask", loop.iteration + 1, idle)


def _stays_paused(loop: Loop, stop: LoopStop) -> bool:
    return not loop.prompt_id or loop.prompt_id == stop.prompt_id or not stop.by_person


async def live_loop(tools: Tools, session_id: str) -> Loop | None:
    """Return the loop that goes on in a session, or waits there."""
    loop = await tools.store.readers.run(partial(last_loop, session_id=session_id))
    return loop if loop is not None and loop.is_live else None


async def loop_on_stop(tools: Tools, call: HookCall, evidence: Evidence) -> Reply:
    """Answer the stop of a session in which a loop goes on; else say once that one has ended."""
    if call.spooled or call.text("agent_id"):
        return None
    loop = await tools.store.readers.run(partial(last_loop, session_id=call.session_id))
    if loop is None:
        return None
    if not loop.is_live:
        return await _told(tools, loop)
    stop = await _stop_of(tools, call, loop)
    move = next_move(loop, stop)
    if move.kind == "ask" and move.iteration > loop.iteration:
        move = await _unless_reached(tools, call, loop, evidence, move)
    return await _make(tools, call, loop, stop, move)


async def _make(tools: Tools, call: HookCall, loop: Loop, stop: LoopStop, move: Move) -> Reply:
    match move.kind:
        case "ask":
            return await _ask(tools, call, loop, stop, move)
        case "pause":
            return await _pause(tools, loop, stop, move)
        case "end":
            return await _end(tools, loop, stop, move)
        case "stay":
            return None
        case _:
            assert_never(move.kind)


async def _stop_of(tools: Tools, call: HookCall, loop: Loop) -> LoopStop:
    prompt_id = prompt_id_of(call)

    def look(connection: Connection) -> tuple[bool, bool, bool]:
        by_client = is_by_client(connection, loop.session_id, prompt_id)
        return used_tool(connection, loop), has_written(connection, loop), by_client

    has_used_tool, says_itself, by_client = await tools.store.readers.run(look)
    message = call.text("last_assistant_message")
    return LoopStop(
        prompt_id=prompt_id,
        message=message,
        now_ms=tools.clock(),
        used_tool=has_used_tool,
        by_person=not by_client,
        waits_for_agents=_has_agents(call),
        needs_person=not says_itself and needs_person(message),
    )


def needs_person(message: str) -> bool:
    """Tell whether a message ends with a step that only a person can take."""
    sentences = [one for one in SENTENCE.split(message[-LAST_CHARS:]) if one.strip()]
    return is_blocked("\n".join(sentences[-LAST_SENTENCES:]))


def _has_agents(call: HookCall) -> bool:
    tasks = call.body.get("background_tasks")
    return isinstance(tasks, list) and any(
        isinstance(one, dict) and one.get("type") == "subagent" and one.get("status") == "running"
        for one in tasks
    )


async def _unless_reached(
    tools: Tools, call: HookCall, loop: Loop, evidence: Evidence, move: Move
) -> Move:
    """Ask whether the task is done; without a usable answer the loop goes on."""
    spent_ms = tools.clock() - call.at_ms
    left_s = None if call.deadline_ms is None else (call.deadline_ms - spent_ms - ANSWER_MS) / 1000
    surface = loop_goal.SURFACE
    if not tools.judge.is_on(surface) or (left_s is not None and left_s < LEAST_ASKING_S):
        return move
    journal = await tools.store.readers.run(partial(journal_of, number=loop.id))
    state = loop_goal.state_of(
        loop.task,
        call.text("last_assistant_message"),
        [one.text for one in journal],
        [loop_goal.Ran(c.line, c.exit_code, c.failed, c.tail) for c in _lately(evidence, loop)],
    )
    asking = Asking(
        origin="hook",
        session_id=call.session_id,
        project_id=await project_of(tools, call),
        deadline_s=left_s,
    )
    answers = await tools.judge.ask(surface, state, loop_goal.questions_for(), asking)
    if isinstance(answers, Unavailable):
        return move
    least = tools.judge.threshold(surface, "least_probability")
    is_reached = loop_goal.decide(answers, least) is True
    outcome = {"loop": loop.id, "iteration": loop.iteration, "ended": is_reached}
    await tools.judge.note_outcome(answers.log_id, outcome)
    return Move("end", reason="goal") if is_reached else move


def _lately(evidence: Evidence, loop: Loop) -> list[Command]:
    """Return the commands of the iteration that ends."""
    return [one for one in evidence.commands if one.at_ms >= loop.asked_at_ms]


async def _ask(tools: Tools, call: HookCall, loop: Loop, stop: LoopStop, move: Move) -> Reply:
    """Block the stop with the next iteration; a second copy of the stop finds the loop moved on."""
    at_ms = max(tools.clock(), loop.asked_at_ms + 1)
    idle = move.idle + 1

    def job(connection: Connection) -> list[Entry] | None:
        is_asked = ask_iteration(
            connection, loop, move.iteration, prompt_id=stop.prompt_id, idle=idle, at_ms=at_ms
        )
        if not is_asked:
            return None
        _write_reply(connection, loop, stop)
        return journal_of(connection, loop.id, SHOWN_ENTRIES)

    # the client waits; a kill loses nothing, and a power cut ends the session too
    journal = await tools.store.writer.run(job, durable=False)
    if journal is None:
        return None
    if is_late(tools, call):
        await tools.store.writer.run(partial(take_back, before=loop, at_ms=at_ms))
        return None
    text = iteration_text(loop, move.iteration, journal, at_ms, idle=idle)
    return {"decision": "block", "reason": text}


async def _pause(tools: Tools, loop: Loop, stop: LoopStop, move: Move) -> Reply:
    reason = cast("Paused", move.reason)

    def job(connection: Connection) -> bool:
        is_first = pause_loop(connection, loop, reason, stop.prompt_id)
        if is_first:
            _write_reply(connection, loop, stop)
        return is_first

    is_first = await tools.store.writer.run(job, durable=False)
    return {"systemMessage": pause_line(loop, reason)} if is_first else None


async def _end(tools: Tools, loop: Loop, stop: LoopStop, move: Move) -> Reply:
    reason = cast("Ended", move.reason)

    def job(connection: Connection) -> bool:
        if not end_loop(connection, loop.id, reason, stop.now_ms):
            return False
        _write_reply(connection, loop, stop)
        return is_first_telling(connection, loop.id)

    is_first = await tools.store.writer.run(job, durable=False)
    return {"systemMessage": end_line(loop, reason)} if is_first else None


async def _told(tools: Tools, loop: Loop) -> Reply:
    """Say once that a loop has ended since the last stop."""
    if loop.is_told or loop.reason in {"person", "session"}:
        return None
    job = partial(is_first_telling, number=loop.id)
    is_first = await tools.store.writer.run(job, durable=False)
    return {"systemMessage": end_line(loop, cast("Ended", loop.reason))} if is_first else None


def _write_reply(connection: Connection, loop: Loop, stop: LoopStop) -> None:
    text = kept(" ".join(stop.message.split()), REPLY_CHARS)
    if text:
        write_entry(connection, loop, "reply", text, stop.now_ms)
