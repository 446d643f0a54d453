"""Prompts are kept after they were answered: redacted, bounded, and only what a person asked."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.core.text import ending_of, opening_of
from hitherto_server.sessions.bookkeeping import prompt_id_of
from hitherto_server.sessions.prompt.silence import silent_because
from hitherto_server.store.turns import NewTurn, put_reply, put_turn

if TYPE_CHECKING:
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.store.database import Store

log = logging.getLogger(__name__)

AFTER_REPLY_S = 0.05
"""The reply goes out first: redaction keeps the interpreter busy."""
QUERY_CHARS = 500
MOST_CHARS = 8000
WINDOW_CHARS = 8192
"""What is redacted of either end: more than is kept, so that no secret is cut in two."""
GAP = "\n…\n"
NOT_ASKED = frozenset({"system text", "slash command", "trivial"})


@dataclass
class PromptKeeper:
    """Keeps prompts beside the calls that brought them."""

    store: Store
    most_chars: int
    _closing: asyncio.Event = field(default_factory=asyncio.Event)
    _keeping: set[asyncio.Task[None]] = field(default_factory=set)

    def keep_soon(self, call: HookCall, admission: str | None = None) -> None:
        """Keep a prompt in a moment, and say in the ledger what its admission was asked."""
        keeping = asyncio.create_task(self._keep(call, admission))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)

    def keep_reply_soon(self, call: HookCall) -> None:
        """Keep in a moment what an agent said at its stop, beside the prompt that it answers."""
        keeping = asyncio.create_task(self._keep_reply(call))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)

    async def close(self) -> None:
        """Keep what waits, at once."""
        self._closing.set()
        await asyncio.gather(*self._keeping)

    async def _keep(self, call: HookCall, admission: str | None) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), AFTER_REPLY_S)
        turn = await asyncio.to_thread(turn_of, call, self.most_chars, admission)
        if turn is None:
            return
        try:
            await self.store.writer.run(lambda c: put_turn(c, turn))
        except HithertoError as error:
            log.warning("a prompt was not kept: %s", error)

    async def _keep_reply(self, call: HookCall) -> None:
        prompt_id = prompt_id_of(call)
        said = call.text("last_assistant_message")
        if not said or not prompt_id or self.most_chars == 0:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), AFTER_REPLY_S)
        reply = ends_of(await asyncio.to_thread(redacted_ends, said), self.most_chars)
        try:
            await self.store.writer.run(
                lambda c: put_reply(c, call.session_id, prompt_id, reply, at_ms=call.at_ms)
            )
        except HithertoError as error:
            log.warning("a reply was not kept: %s", error)


def turn_of(call: HookCall, most_chars: int, admission: str | None = None) -> NewTurn | None:
    """Return a prompt as it is kept; None where nobody asked anything, or nothing is to be kept."""
    if call.event != "UserPromptSubmit" or most_chars == 0:
        return None
    prompt = call.text("prompt")
    if silent_because(ends_of(prompt, WINDOW_CHARS)) in NOT_ASKED:
        return None
    redacted = redacted_ends(prompt)
    return NewTurn(
        session_id=call.session_id,
        prompt_id=prompt_id_of(call) or f"{call.body_hash[:16]}-{call.at_ms}",
        prompt=ends_of(redacted, most_chars),
        at_ms=call.at_ms,
        query=ends_of(redacted, min(QUERY_CHARS, most_chars)),
        admission=admission,
    )


def redacted_ends(prompt: str) -> str:
    """Return a prompt without its secrets, and without its middle if it is very long."""
    from hitherto_server.gates.secrets import redact

    if len(prompt) <= 2 * WINDOW_CHARS:
        return redact(prompt).text
    half = MOST_CHARS // 2
    head = redact(opening_of(prompt, WINDOW_CHARS)).text
    tail = redact(ending_of(prompt, WINDOW_CHARS)).text
    return f"{head[:half]}{GAP}{tail[-half:]}"


def ends_of(text: str, most: int) -> str:
    """Return a text, or its two ends where it is longer than that."""
    if len(text) <= most:
        return text
    half = max(most - len(GAP), 2) // 2
    return f"{text[:half]}{GAP}{text[-half:]}"
