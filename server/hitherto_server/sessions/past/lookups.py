"""A prompt that asks about an earlier session is given what is kept of it."""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.sessions.moments import is_late
from hitherto_server.sessions.past.finding import block_of, past_sessions
from hitherto_server.store import ledger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.recall.admission import Occasion
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.sessions.past.finding import PastSession
    from hitherto_server.sessions.prompt.reading import Prompt

log = logging.getLogger(__name__)

MOST_TOKENS = 400


async def with_past(
    tools: Tools, prompt: Prompt, reply: Reply, occasion: Occasion
) -> tuple[Reply, bool]:
    """Add the earlier sessions that a prompt is after, and tell whether any was found."""
    if prompt.project is None or is_late(tools, prompt.call):
        return reply, False
    try:
        found = await past_sessions(
            tools,
            prompt.text,
            prompt.project.number,
            tools.settings.earlier_sessions,
            session_id=prompt.call.session_id,
            tokens=MOST_TOKENS,
        )
        if not found or is_late(tools, prompt.call):
            return reply, bool(found)
        given = partial(ledger.put, rows=_rows(occasion, found))
        await tools.store.writer.run(given, durable=False)
    except HithertoError as error:  # the ledger holds already what the reply gives
        log.warning("%s is told of no earlier session: %s", prompt.call.session_id, error)
        return reply, False
    counted = "1 earlier session" if len(found) == 1 else f"{len(found)} earlier sessions"
    return joined(prompt, reply, block_of(found), notice=counted), True


def _rows(occasion: Occasion, found: Sequence[PastSession]) -> list[ledger.LedgerRow]:
    """Return what the ledger keeps of them: which, and when they began, but none of their words."""
    return [
        ledger.LedgerRow(
            session_id=occasion.session_id,
            admission=occasion.admission,
            channel=occasion.channel,
            query=occasion.query,
            memory_number=None,
            revision=None,
            outcome="injected",
            reason=ledger.EARLIER,
            standing=None,
            scores=json.dumps(
                {
                    "session_id": one.session_id,
                    "began_at_ms": one.began_at_ms,
                    "branch": one.branch,
                }
            ),
            tokens=None,
            decided_at_ms=occasion.at_ms,
        )
        for one in found
    ]


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
