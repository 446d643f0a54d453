"""Answers that were given before, to the very same question about the very same state."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.core.clock import DAY_MS
from hitherto_server.core.errors import HithertoError
from hitherto_server.judge.log import as_json, from_json
from hitherto_server.judge.questions import as_wire
from hitherto_server.judge.reading import WireReply
from hitherto_server.store.judgments import Cached, find_cached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.configuration import Backend
    from hitherto_server.judge.log import JudgmentLog
    from hitherto_server.judge.questions import Question
    from hitherto_server.store.database import Store

PINNED_MS = 30 * DAY_MS
ALIAS_MS = DAY_MS
"""An alias may mean another model tomorrow."""


@dataclass(frozen=True)
class Known:
    """Keeps answers by hashes, so that nothing of what was judged stands in it."""

    store: Store
    log: JudgmentLog
    clock: Clock

    async def find(self, request_hash: str) -> WireReply | None:
        """Return the answers that were given to a request, if they still serve."""
        at_ms = self.clock()
        try:
            row = await self.store.readers.run(lambda c: find_cached(c, request_hash, at_ms))
        except HithertoError:  # the store says so itself, wherever it is asked
            return None
        if row is None:
            return None
        by_key = {key: from_json(one) for key, one in json.loads(row["answers"]).items()}
        return WireReply(by_key, row["model"], bool(row["calibrated"]))

    def keep(self, request_hash: str, backend: Backend, reply: WireReply) -> None:
        """Keep a reply of which every answer can be used; nobody waits for it."""
        if reply.usable < len(reply.by_key):
            return
        at_ms = self.clock()
        lasts_ms = PINNED_MS if reply.model == backend.wire_model else ALIAS_MS
        answers = json.dumps({key: as_json(one) for key, one in reply.by_key.items()})
        self.log.note(
            Cached(request_hash, reply.model, reply.calibrated, answers, at_ms, at_ms + lasts_ms)
        )


def request_hash(
    backend: Backend, state: Any, questions: Mapping[str, Question], *, careful: bool
) -> str:
    """Return what a request is known by: it changes with whatever an answer depends on."""
    asked = {key: as_wire(one) for key, one in questions.items()}
    text = json.dumps([backend.identity, careful, asked, state])
    return hashlib.sha256(text.encode()).hexdigest()
