"""A prompt that asks about an earlier session is given what is kept of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.sessions.moments import is_late
from hitherto_server.sessions.past.finding import block_of, past_sessions

if TYPE_CHECKING:
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.sessions.prompt.reading import Prompt

log = logging.getLogger(__name__)

MOST_SESSIONS = 2
MOST_TOKENS = 400


async def with_past(tools: Tools, prompt: Prompt, reply: Reply) -> tuple[Reply, bool]:
    """Add the earlier sessions that a prompt is after, and tell whether any was found."""
    if prompt.project is None or is_late(tools, prompt.call):
        return reply, False
    try:
        found = await past_sessions(
            tools,
            prompt.text,
            prompt.project.number,
            MOST_SESSIONS,
            session_id=prompt.call.session_id,
            tokens=MOST_TOKENS,
        )
    except HithertoError as error:  # the ledger holds already what the reply gives
        log.warning("%s is told of no earlier session: %s", prompt.call.session_id, error)
        return reply, False
    if not found or is_late(tools, prompt.call):
        return reply, bool(found)
    counted = "1 earlier session" if len(found) == 1 else f"{len(found)} earlier sessions"
    return joined(prompt, reply, block_of(found), notice=counted), True


def joined(prompt: Prompt, reply: Reply, text: str, *, notice: str = "") -> Reply:
    """Return a reply with another text for the model, and a word more for the person."""
    said = reply or {}
    context = said.get("hookSpecificOutput", {}).get("additionalContext", "")
    lines = [said["systemMessage"]] if "systemMessage" in said else []
    if notice:
        lines.append(notice if lines else f"Hitherto: {notice}")
    return {
        **said,
        **({"systemMessage": "; ".join(lines)} if lines else {}),
        "hookSpecificOutput": {
            "hookEventName": prompt.call.event,
            "additionalContext": "\n".join(filter(None, (context, text))),
        },
    }
