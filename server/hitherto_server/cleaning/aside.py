"""Sets aside what keeps being false: into the trash, as an action that can be taken back."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.cleaning.applying import Deed, act
from hitherto_server.cleaning.expendable import find_expendable
from hitherto_server.core.clock import DAY_MS
from hitherto_server.store.cleaning import BY_ITSELF, list_false

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Aside:
    """What a person called wrong again and again goes some days after, if nothing speaks for it."""

    store: Store
    clock: Clock
    days: int
    """0: nothing is set aside."""

    async def set_aside(self) -> int:
        """Put what keeps being false into the trash and return how many memories that are."""
        if not self.days:
            return 0
        now_ms = self.clock()
        until_ms = now_ms - self.days * DAY_MS
        if not await self.store.readers.run(lambda c: list_false(c, until_ms=until_ms)):
            return 0
        count = await self.store.writer.run(lambda c: _set_aside(c, until_ms, now_ms))
        if count:
            log.info("%d memories that kept being false were set aside", count)
        return count


def _set_aside(connection: Connection, until_ms: int, now_ms: int) -> int:
    numbers = list_false(connection, until_ms=until_ms)
    found = find_expendable(connection, now_ms=now_ms, backend=None, only=numbers)
    for one in found:  # each by itself: so each is taken back by itself
        deed = Deed("expendable", "apply", BY_ITSELF, now_ms, "trash")
        act(connection, deed, [one.entry])
    return len(found)
