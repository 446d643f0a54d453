"""What a prompt is given: the few memories that it is about, as much as it needs, and one line."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from hitherto_server.recall.pipeline import LEAST_JUDGE_S
from hitherto_server.sessions.moments import (
    DELIVERY_MS,
    asked_in,
    deliver,
    occasion_of,
    question_of,
)
from hitherto_server.sessions.prompt.patience import judge_until
from hitherto_server.sessions.prompt.reading import Prompt, Reading, sized
from hitherto_server.sessions.prompt.silence import silent_because
from hitherto_server.sessions.prompt.sought import sought

if TYPE_CHECKING:
    from hitherto_server.recall.admission import Admission, Occasion
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools

JUDGED_FROM_MS = 1000
"""A prompt with so much time has some for a judge."""
LOAD_S = 0.02


async def answer_prompt(tools: Tools, call: HookCall, noting: asyncio.Task[int | None]) -> Reply:
    """Give the few memories that a prompt is about, if any; all else runs beside the recall."""
    text = asked_in(call.text("prompt"))
    wish = sought(text)
    if silent_because(text) or silent_because(wish):
        if await noting is not None:
            tools.prompts.keep_soon(call)
            tools.preferences.keep_soon(call)
        return None
    tools.wake_model()
    until = judge_until(call, tools.clock(), DELIVERY_MS)
    reading = asyncio.create_task(_read(tools, call, text, until), name="reading a prompt")
    try:
        admission = await _considered(tools, call, wish, until, reading)
    finally:
        noted = await noting
        prompt, read = await reading
    if noted is None:
        return None
    reply = await _answered(tools, prompt, read, admission)
    tools.prompts.keep_soon(call, admission.occasion.admission)
    tools.preferences.keep_soon(call, read.lasting)
    return reply


async def _read(tools: Tools, call: HookCall, text: str, until: float) -> tuple[Prompt, Reading]:
    project = await tools.projects.find(call.folder) if call.folder else None
    prompt = Prompt(call, text, project, until)
    if not await tools.reader.is_loaded(_patience_s(call, until)):
        return prompt, Reading(is_read=False)
    from hitherto_server.sessions.prompt.urgency import read_prompt

    return prompt, await read_prompt(tools, prompt)


def _patience_s(call: HookCall, until: float) -> float:
    """Return how long a server's first prompt waits for what reads it."""
    is_judged = call.deadline_ms is None or call.deadline_ms >= JUDGED_FROM_MS
    return max(until - time.monotonic() - LEAST_JUDGE_S, LOAD_S) if is_judged else LOAD_S


async def _considered(
    tools: Tools,
    call: HookCall,
    wish: str,
    until: float,
    reading: asyncio.Task[tuple[Prompt, Reading]],
) -> Admission:
    """Recall beside the reading, which says how much of it may be given."""

    async def sized_by(occasion: Occasion) -> Occasion:
        _, read = await asyncio.shield(reading)
        return sized(occasion, read)

    question = await question_of(tools, call, wish)
    most = (tools.settings.prompt_memories, tools.settings.prompt_tokens)
    occasion = await occasion_of(tools, call, "prompt", question, most)
    occasion = replace(occasion, judge_until=until)
    return await tools.recaller.consider(question, occasion, sized_by)


async def _answered(tools: Tools, prompt: Prompt, reading: Reading, admission: Admission) -> Reply:
    """Deliver an admission, and beside it what else the prompt needs; log what was done."""
    if not reading.is_read:
        return await deliver(tools, prompt.call, admission)
    from hitherto_server.sessions.past.lookups import with_past
    from hitherto_server.sessions.prompt.nudges import Answered, nudges_for, with_nudge

    has_past, lasting = False, reading.lasting
    reply = await deliver(tools, prompt.call, admission)
    gives_past = tools.settings.earlier_sessions > 0
    if reading.asks_session.holds and gives_past:
        reply, has_past = await with_past(tools, prompt, reply, admission.occasion)
    keeps = lasting is None or tools.preferences.finds_in(prompt.text, lasting)
    wanted = nudges_for(prompt, reading, Answered(admission, has_past or not gives_past, keeps))
    reply, nudge = await with_nudge(tools, prompt, reply, wanted)
    await tools.judge.note_outcome(
        reading.log_id,
        {
            "tier": reading.tier,
            "by": reading.tier_by,
            "given": len(admission.injected) if reply else 0,
            "withheld": admission.occasion.withheld is not None,
            "earlier_sessions": has_past,
            "nudge": nudge.kind if nudge else None,
        },
    )
    return reply
