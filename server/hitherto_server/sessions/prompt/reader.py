"""Loads what reads prompts, once and on a thread: no start of a server waits for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass
class PromptReader:
    """Knows whether what reads a prompt beside its recall is loaded."""

    _loading: asyncio.Task[None] | None = None

    @property
    def is_loading(self) -> bool:
        """Whether it was begun."""
        return self._loading is not None

    def warm(self) -> None:
        """Begin to load what reading needs, unless that was done."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(_load), name="prompt rules")

    async def is_loaded(self, within_s: float) -> bool:
        """Wait for it as long as that, and tell whether everything is there."""
        self.warm()
        if self._loading is None:
            return False
        if not self._loading.done():
            await asyncio.wait({self._loading}, timeout=within_s)
        return self._loading.done()


def _load() -> None:
    from hitherto_server.sessions.past import lookups
    from hitherto_server.sessions.prompt import another_task, nudges, preference_rules, urgency
    from hitherto_server.sessions.prompt import rules as prompt_rules

    del lookups, nudges, urgency
    prompt_rules.warm()
    another_task.warm()
    preference_rules.warm()
