"""What was said in a session, in its speakers' own words: nothing that was put in by programs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets import redact
from hitherto_server.judge.surfaces.compact_digest import Message
from hitherto_server.sessions.injected import without_injected, without_repeats
from hitherto_server.sessions.prompt.keeper import NOT_ASKED
from hitherto_server.sessions.prompt.silence import silent_because

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.store.digests import Turn

MOST_REPLY_CHARS = 6000
"""Of a reply in a transcript, its end: what it comes to stands there."""


def messages_of(
    turns: Sequence[Turn], replies: Sequence[tuple[int, str]], given: Sequence[tuple[int, str]]
) -> list[Message]:
    """Return what was asked and answered, in order; a reply that isn't kept is looked for.

    What was given in a later turn takes nothing from a reply.
    """
    found: list[Message] = []
    for at, turn in enumerate(turns):
        prompt = without_injected(turn.prompt)
        if prompt and silent_because(prompt) not in NOT_ASKED:
            found.append(Message("person", prompt, turn.at_ms, turn.prompt_id))
        until_ms = turns[at + 1].at_ms if at + 1 < len(turns) else None
        heard = turn.reply or _last_between(replies, turn.at_ms, until_ms)
        before = [text for since_ms, text in given if until_ms is None or since_ms < until_ms]
        reply = without_repeats(without_injected(heard), before)
        if reply:
            found.append(Message("agent", reply, turn.at_ms + 1, turn.prompt_id))
    return found


def _last_between(replies: Sequence[tuple[int, str]], from_ms: int, until_ms: int | None) -> str:
    """Return the last reply of a turn, without its secrets."""
    end = len(replies) if until_ms is None else bisect_left(replies, (until_ms, ""))
    if end <= bisect_right(replies, (from_ms, "")):
        return ""
    # half a secret would no longer look like one
    return redact(replies[end - 1][1]).text[-MOST_REPLY_CHARS:]
