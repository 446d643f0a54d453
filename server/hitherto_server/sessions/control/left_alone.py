"""A call of a session that is paused or ignored: nothing is kept, and the person is told once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.clock import minute_of
from hitherto_server.sessions.call import FILE_FIELDS
from hitherto_server.sessions.client.clients import FILES
from hitherto_server.sessions.moments import DELIVERY_MS
from hitherto_server.store.sessions import next_generation

if TYPE_CHECKING:
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.store.quiet import QuietRule

TOLD_AT = frozenset({"SessionStart", "UserPromptSubmit"})


async def leave_alone(tools: Tools, call: HookCall, rule: QuietRule) -> Reply:
    """Keep nothing of a call; a session that is known still counts that its context is gone."""
    if rule.kind == "pause" and call.event == "SessionStart" and call.text("source") != "resume":
        # else what was given before would not be given again after the pause
        job = partial(next_generation, session_id=call.session_id, at_ms=call.at_ms)
        await tools.store.writer.run(job)
    if call.spooled or call.event not in TOLD_AT or _is_late(tools, call):
        return None
    if tools.quiet.has_told(call.session_id, rule):
        return None
    return {"systemMessage": line_for(rule)}


async def without_hidden(tools: Tools, call: HookCall) -> HookCall:
    """Return a call without the names of its files, if one lies in an ignored folder."""
    if not tools.quiet.in_force("ignore"):
        return call
    for name in call.files:
        if await asyncio.to_thread(tools.quiet.hides, Path(call.text("cwd") or "/", name)):
            given = call.body["tool_input"]
            kept = {key: value for key, value in given.items() if key not in (*FILE_FIELDS, FILES)}
            return replace(call, body={**call.body, "tool_input": kept})
    return call


def _is_late(tools: Tools, call: HookCall) -> bool:
    """Tell whether nobody would get the line: then it is for the next call."""
    return call.deadline_ms is not None and (
        tools.clock() - call.at_ms > call.deadline_ms - DELIVERY_MS
    )


def line_for(rule: QuietRule) -> str:
    """Return the line that a person sees in a session that is left alone."""
    match rule.kind, rule.path:
        case "ignore", path:
            return f"Hitherto ignores {path}: it keeps nothing and says nothing here"
        case _, None:
            where = "in this session"
        case _, path:
            where = f"in {path}"
    return f"Hitherto is paused {where} {until(rule)}: it keeps nothing and says nothing"


def until(rule: QuietRule) -> str:
    """Say in local time when a pause ends."""
    if rule.until_ms is None:
        return "until `hitherto resume`"
    return f"until {minute_of(rule.until_ms)}"
