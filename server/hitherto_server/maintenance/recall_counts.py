"""Counts how often memories were given to somebody who asked, and writes that down now and then."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store

TOGETHER_S = 2.0
"""What is given within this time is one write."""

log = logging.getLogger(__name__)


@dataclass
class RecallCounts:
    """Keeps the way that answers a recall free of writes."""

    store: Store
    clock: Clock
    _counts: Counter[str] = field(default_factory=Counter)
    _waiting: asyncio.Task[None] | None = None

    def note(self, ids: Iterable[str]) -> None:
        """Count memories that were just given, by their ids."""
        self._counts.update(ids)
        if self._counts and (self._waiting is None or self._waiting.done()):
            self._waiting = asyncio.create_task(self._write_soon(), name="recall counts")

    async def close(self) -> None:
        """Write what is counted."""
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.gather(self._waiting, return_exceptions=True)
        await self._write()

    async def _write_soon(self) -> None:
        await asyncio.sleep(TOGETHER_S)
        await self._write()

    async def _write(self) -> None:
        counts, self._counts = dict(self._counts), Counter()
        if not counts:
            return
        from hitherto_server.store.cleaning import put_recalled

        job = partial(put_recalled, counts=counts, at_ms=self.clock())
        try:
            await self.store.writer.run(job, durable=False)
        except HithertoError as error:
            log.warning("what was recalled was not counted: %s", error.message)
