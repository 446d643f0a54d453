"""What a subagent is given at its start: memories about the task that it was dispatched with."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.sessions.bookkeeping import MAX_FIELD_CHARS, kept
from hitherto_server.sessions.dispatches import DEFAULT_TYPE, Dispatch, Start
from hitherto_server.sessions.moments import (
    DELIVERY_MS,
    asked_in,
    deliver,
    occasion_of,
    question_of,
)
from hitherto_server.sessions.prompt.keeper import QUERY_CHARS, ends_of, redacted_ends
from hitherto_server.sessions.prompt.patience import judge_until
from hitherto_server.sessions.prompt.silence import silent_because
from hitherto_server.sessions.prompt.sought import sought

if TYPE_CHECKING:
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools

DISPATCHING = frozenset({"Task", "Agent"})
"""The tool that starts a subagent, by its former and its present name."""
LINK_WAIT_S = 0.06
JUDGED_LINK_WAIT_S = 0.25
JUDGED_FROM_MS = 1000
"""A start with so much time has some for a judge, and more for a link."""


async def note_dispatch(tools: Tools, call: HookCall) -> None:
    """Remember, without its secrets, what a subagent is about to be given to do."""
    if call.text("tool_name") not in DISPATCHING or not tools.settings.subagent_memories:
        return
    parts = (call.text("tool_input", "description"), call.text("tool_input", "prompt"))
    task = "\n".join(filter(None, parts))
    call_id = call.text("tool_use_id", most=MAX_FIELD_CHARS)
    if not task or not call_id:
        return
    if not call.spooled:
        tools.wake_model()
    redacted = await asyncio.to_thread(redacted_ends, task)
    dispatch = Dispatch(
        call_id=call_id,
        agent_type=call.text("tool_input", "subagent_type", most=MAX_FIELD_CHARS) or DEFAULT_TYPE,
        prompt_id=call.text("prompt_id", most=MAX_FIELD_CHARS),
        task=asked_in(redacted),
        at_ms=call.at_ms,
    )
    tools.dispatches.note(call.session_id, dispatch)


def link_dispatch(tools: Tools, call: HookCall) -> None:
    """Learn from the tool's answer which subagent a call has started."""
    if call.text("tool_name") not in DISPATCHING:
        return
    agent_id = call.text("tool_response", "agentId", most=MAX_FIELD_CHARS)
    call_id = call.text("tool_use_id", most=MAX_FIELD_CHARS)
    if agent_id and call_id:
        tools.dispatches.link(call.session_id, agent_id, call_id)


async def answer_subagent(tools: Tools, call: HookCall) -> Reply:
    """Give a subagent the few memories that its task is about, if its task is known."""
    start = Start(
        agent_id=call.text("agent_id", most=MAX_FIELD_CHARS),
        agent_type=call.text("agent_type", most=MAX_FIELD_CHARS) or DEFAULT_TYPE,
        prompt_id=call.text("prompt_id", most=MAX_FIELD_CHARS),
        at_ms=call.at_ms,
    )
    if not start.agent_id or not tools.settings.subagent_memories:
        return None
    wait_s = 0.0 if call.spooled else _link_wait_s(call)
    dispatch = await tools.dispatches.take(call.session_id, start, wait_s)
    if dispatch is None or call.spooled:
        return None
    wish = sought(dispatch.task)
    if silent_because(dispatch.task) or silent_because(wish):
        return None
    return await _brief(tools, call, start, wish)


async def _brief(tools: Tools, call: HookCall, start: Start, wish: str) -> Reply:
    settings = tools.settings
    question = await question_of(tools, call, wish)
    most = (settings.subagent_memories, settings.subagent_tokens)
    occasion = await occasion_of(tools, call, "subagent", question, most)
    shown = min(QUERY_CHARS, settings.kept_prompt_chars)
    occasion = replace(
        occasion,
        agent=kept(start.agent_id, MAX_FIELD_CHARS),
        query=ends_of(wish, shown) if shown else None,
        judge_until=judge_until(call, tools.clock(), DELIVERY_MS),
    )
    return await deliver(tools, call, await tools.recaller.consider(question, occasion))


def _link_wait_s(call: HookCall) -> float:
    has_time = call.deadline_ms is None or call.deadline_ms >= JUDGED_FROM_MS
    return JUDGED_LINK_WAIT_S if has_time else LINK_WAIT_S
