"""Compares new memories with what is near in meaning, once they have their vectors."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.gates.neighbours import Subject, look_by_meaning, say
from hitherto_server.store import neighbours as rows

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.gates.neighbours import Neighbourhood
    from hitherto_server.maintenance.judged_work import JudgedWork
    from hitherto_server.models.traits import Traits
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row

BATCH = 16

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Comparer:
    """Says by rule what a memory repeats or contradicts; nothing is changed or refused by it."""

    store: Store
    clock: Clock
    judged: JudgedWork | None = None
    """Takes over what was compared by rule."""

    async def catch_up(self, model: Traits) -> None:
        """Compare all that wait for it and that the model, which made their vectors, reads."""
        wait = partial(rows.list_waiting, model=model.name, most=BATCH)
        while waiting := await self.store.readers.run(wait):
            for memory_id in waiting:
                await self._compare(memory_id, model)

    async def _compare(self, memory_id: str, model: Traits) -> None:
        try:
            looked = await self.store.readers.run(partial(_look, memory_id=memory_id, model=model))
        except HithertoError:
            raise
        except Exception:
            # one text that trips a rule must not keep all others from being compared
            log.exception("memory %s was not compared", memory_id)
            looked = None
        say = partial(self._say, memory_id=memory_id, looked=looked)
        if await self.store.writer.run(say) and self.judged is not None:
            self.judged.notify()

    def _say(
        self, connection: Connection, *, memory_id: str, looked: tuple[Row, Neighbourhood] | None
    ) -> bool:
        """Say what rules see, and tell whether a judgment is asked for as well."""
        at_ms = self.clock()
        rows.note_done(connection, memory_id)
        now = rows.find_subject(connection, memory_id)
        if now is None:
            return False
        if looked is not None:
            row, around = looked
            if now["revision"] != row["revision"]:  # it was changed meanwhile
                rows.note_waiting(connection, memory_id, at_ms=at_ms)
                return False
            say(connection, _subject(row), around, at_ms=at_ms)
        return self.judged is not None and self.judged.ask_for(connection, now, at_ms=at_ms)


def _look(
    connection: Connection, memory_id: str, model: Traits
) -> tuple[Row, Neighbourhood] | None:
    row = rows.find_subject(connection, memory_id)
    if row is None or not model.reads(row["content"]):
        return None  # all texts of a language that it can't read lie near each other
    return row, look_by_meaning(connection, _subject(row), model.name)


def _subject(row: Row) -> Subject:
    return Subject(row["project"], row["content"], row["number"], row["changed_at_ms"])
