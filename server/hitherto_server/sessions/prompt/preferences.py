"""What a person wants from now on becomes a memory, after their prompt was answered."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.core.text import opening_of
from hitherto_server.recall.block import as_data, in_one_line
from hitherto_server.sessions.prompt.keeper import AFTER_REPLY_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hitherto_contract import RememberRequest
    from hitherto_server.core.settings import Settings
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply
    from hitherto_server.sessions.prompt.preference_rules import Heard, Preference
    from hitherto_server.sessions.prompt.reading import Lasting

log = logging.getLogger(__name__)

IMPORTANCE = 6
"""Above what an agent notes: a session's start gives it a place."""
TAG = "preference"
TELLS = frozenset({"Stop", "UserPromptSubmit"})
"""Events whose answer the person reads, and which come behind what was kept."""
MOST_TOLD_CHARS = 80
MOST_UNTOLD = 64


@dataclass(frozen=True)
class Kept:
    """A preference, and whether it is a memory at once or has to prove itself."""

    preference: Preference
    is_sure: bool


@dataclass
class Preferences:
    """Keeps what prompts state that is to last."""

    writes: WriteContext
    settings: Settings
    hear: Callable[[str], Heard]
    """Returns the person's own sentences of a prompt, and what they state."""
    _untold: dict[str, list[str]] = field(default_factory=dict)
    """By session, what was kept and its person was not told of yet."""
    _closing: asyncio.Event = field(default_factory=asyncio.Event)
    _keeping: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def is_on(self) -> bool:
        """Whether anything is kept: where no prompt is, no preference is either."""
        return self.settings.preferences > 0 and self.settings.kept_prompt_chars > 0

    def keep_soon(self, call: HookCall, lasting: Lasting | None = None) -> None:
        """Keep what a prompt states, in a moment; `lasting` is what a judge said of it.

        Of no other event anything is kept.
        """
        if not self.is_on or call.event != "UserPromptSubmit":
            return
        keeping = asyncio.create_task(self._keep(call, lasting))
        self._keeping.add(keeping)
        keeping.add_done_callback(self._keeping.discard)

    def finds_in(self, prompt: str, lasting: Lasting | None) -> bool:
        """Tell whether something of a prompt would be kept."""
        return self.is_on and bool(chosen(self.hear(prompt), lasting))

    def with_kept(self, call: HookCall, reply: Reply) -> Reply:
        """Add to a reply, for the person alone and once, what was kept of an earlier prompt."""
        if call.event not in TELLS or call.text("agent_id"):
            return reply
        kept = self._untold.pop(call.session_id, [])
        if not kept:
            return reply
        said = (reply or {}).get("systemMessage")
        lines = [said] if said else []
        return {**(reply or {}), "systemMessage": "; ".join([*lines, *kept])}

    async def close(self) -> None:
        """Keep what waits, at once."""
        self._closing.set()
        await asyncio.gather(*self._keeping)

    async def _keep(self, call: HookCall, lasting: Lasting | None) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), AFTER_REPLY_S)
        wanted = await asyncio.to_thread(self._choose, call, lasting)
        for one in wanted:
            try:
                await self._store(call, one)
            except HithertoError as error:
                log.warning("a preference was not stored: %s", error.message)

    def _choose(self, call: HookCall, lasting: Lasting | None) -> Sequence[Kept]:
        from hitherto_server.gates.secrets import redact

        found = chosen(self.hear(call.text("prompt")), lasting)
        return [one for one in found if not redact(one.preference.content).changed]

    async def _store(self, call: HookCall, kept: Kept) -> None:
        from hitherto_server.gates.proposing import Shown, propose
        from hitherto_server.gates.remember import remember

        request = _request(call, kept.preference)
        if request is None:
            return
        if kept.is_sure:
            remembered = await remember(self.writes, request)
            if remembered.outcome == "stored":
                self._tell_later(call.session_id, kept.preference, remembered.id)
            return
        said = kept.preference.content
        shown = Shown(call.session_id, call.body_hash, said, "user", call.at_ms)
        await propose(self.writes, request, shown)

    def _tell_later(self, session_id: str, kept: Preference, memory_id: str) -> None:
        where = "in every project" if kept.is_user_wide else "in this project"
        said = as_data(in_one_line(opening_of(kept.content, MOST_TOLD_CHARS)))
        line = (
            f"Hitherto: remembered {where}: \u201c{said}\u201d"
            f" (`hitherto forget {memory_id}` takes it back)"
        )
        self._untold.setdefault(session_id, []).append(line)
        while len(self._untold) > MOST_UNTOLD:
            self._untold.pop(next(iter(self._untold)))


def chosen(heard: Heard, lasting: Lasting | None) -> list[Kept]:
    """Return what is kept of a prompt: what was asked for outright, and what was judged to last.

    What only a rule found is kept as a candidate, unless a judge says that it does not last.
    """
    from hitherto_server.sessions.prompt.preference_rules import of_sentence, preferences_in

    found = preferences_in(heard)
    if lasting is None:
        return [Kept(one, one.is_explicit) for one in found]
    if not lasting.holds:
        return [Kept(one, is_sure=True) for one in found if one.is_explicit]
    if not found and len(heard.sentences) == 1 and lasting.calibrated:
        found = [of_sentence(heard.sentences[0])]
    return [Kept(one, lasting.calibrated or one.is_explicit) for one in found]


def _request(call: HookCall, preference: Preference) -> RememberRequest | None:
    import hitherto_contract as contract

    if call.folder is None and not preference.is_user_wide:
        return None
    return contract.RememberRequest(
        content=preference.content,
        kind=preference.kind,
        scope="user" if preference.is_user_wide else "project",
        tags=[TAG],
        importance=IMPORTANCE,
        source="user-told",
        source_ref=f"prompt:{call.text('prompt_id', most=100) or call.body_hash[:16]}",
        project_dir=call.folder,
        session_id=call.session_id,
        actor="hook",
    )
