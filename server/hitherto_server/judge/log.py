"""Writes down what was judged, after the answer was given: nobody waits for the log."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import HithertoError
from hitherto_server.judge.answers import Choice, Noul, Score, Unavailable
from hitherto_server.store.judgments import Outcome, last_id, put_notes
from hitherto_server.store.sessions import add_to_counter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.answers import Answer
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.judgments import Note

log = logging.getLogger(__name__)

MOST_WAITING = 5000
AT_ONCE = 500
GATHER_S, AGAIN_S = 0.1, 5.0
LOST = "lost_judgment_notes"
"""The counter of what could not be logged."""


@dataclass
class JudgmentLog:
    """Takes notes at once and writes them a moment later, in their order."""

    store: Store
    clock: Clock
    waiting: list[Note] = field(default_factory=list)
    lost: int = 0
    """What had to be dropped, as far as it is not counted in the database yet."""
    _next_id: int | None = None
    _task: asyncio.Task[None] | None = None
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def next_id(self) -> int:
        """Return a number for a judgment, newer than all before."""
        if self._next_id is None:
            found = await self.store.readers.run(last_id)
            # another ask may have waited for the same reader
            self._next_id = max(found, self._next_id or 0)
        self._next_id += 1
        return self._next_id

    def note(self, note: Note) -> None:
        """Take a note."""
        if len(self.waiting) >= MOST_WAITING:
            self.lost += 1
            return
        self.waiting.append(note)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._write_soon())

    def note_outcome(self, log_id: int, outcome: Mapping[str, Any]) -> None:
        """Take a note of what was done with a judgment."""
        self.note(Outcome(log_id, json.dumps(dict(outcome), ensure_ascii=False, default=str)))

    async def _write_soon(self) -> None:
        await asyncio.sleep(GATHER_S)
        while self.waiting:
            try:
                await self.flush()
            except HithertoError as error:
                log.warning("judgments wait to be logged: %s", error.message)
                await asyncio.sleep(AGAIN_S)

    async def flush(self) -> None:
        """Write what waits, now; on a failure it waits on."""
        async with self._writing:
            while self.waiting:
                some, lost = self.waiting[:AT_ONCE], self.lost

                def job(connection: Connection, some: list[Note] = some, lost: int = lost) -> None:
                    put_notes(connection, some, self.clock())
                    if lost:
                        add_to_counter(connection, LOST, lost)

                await self.store.writer.run(job, durable=False)
                del self.waiting[: len(some)]
                self.lost -= lost

    async def close(self) -> None:
        """Write what waits and end."""
        if self._task is not None:
            async with self._writing:  # what is being written now must not be written again
                self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        try:
            await self.flush()
        except HithertoError as error:
            log.warning("%d notes on judgments are lost: %s", len(self.waiting), error.message)


def as_json(answer: Answer | Unavailable) -> dict[str, Any]:
    """Return an answer as it is kept."""
    match answer:
        case Noul(probability):
            return {"noul": probability}
        case Choice(choice, probabilities, confidence):
            return {
                "choice": choice,
                "probabilities": dict(probabilities),
                "confidence": confidence,
            }
        case Score(score, odds, confidence):
            return {"score": score, "probabilities": list(odds), "confidence": confidence}
        case Unavailable(reason, detail):
            return {"unavailable": reason, "detail": detail}


def from_json(said: Mapping[str, Any]) -> Answer:
    """Return an answer that was kept."""
    if "noul" in said:
        return Noul(said["noul"])
    if "choice" in said:
        return Choice(said["choice"], said["probabilities"], said["confidence"])
    return Score(said["score"], tuple(said["probabilities"]), said["confidence"])
