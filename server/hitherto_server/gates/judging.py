"""How a write asks: all its judgments together take no longer than somebody waits for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.answers import Answers
from hitherto_server.judge.asking import Asking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_contract.memories import Placed
    from hitherto_server.judge.asking import Asks, Origin
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface

BUDGET_S = 1.5
"""A call over MCP waits two seconds for everything."""


@dataclass
class Patience:
    """What one write may still ask; after one failure it asks no more."""

    judge: Asks
    origin: Origin | None
    """None: whoever writes can't wait, and nothing is asked."""
    session_id: str | None = None
    project: int | None = None
    ends_at: float = field(default_factory=lambda: time.monotonic() + BUDGET_S)
    has_asked: bool = False
    gave_up: bool = False

    def may_ask(self, surface: Surface) -> bool:
        """Tell whether it is worth preparing a question."""
        return self.origin is not None and not self.gave_up and self.judge.is_on(surface)

    async def ask(
        self, surface: Surface, state: Any, questions: Mapping[str, Question]
    ) -> Answers | None:
        """Return the answers, or None: then the rule stands."""
        left_s = self.ends_at - time.monotonic()
        if self.origin is None or left_s <= 0 or not self.may_ask(surface):
            return None
        asking = Asking(
            self.origin, session_id=self.session_id, project_id=self.project, deadline_s=left_s
        )
        self.has_asked = True
        said = await self.judge.ask(surface, state, questions, asking)
        if isinstance(said, Answers):
            return said
        self.gave_up = True
        return None


def patience_of(
    judge: Asks, request: Placed, project: int | None, *, waits: bool = True
) -> Patience:
    """Return what a write may ask on its caller's behalf."""
    origin: Origin = "cli" if request.actor == "cli" else "ui" if request.actor == "ui" else "tool"
    return Patience(judge, origin if waits else None, request.session_id, project)
