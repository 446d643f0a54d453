"""How long a prompt, or a subagent's start, may take: longer where a judge is asked.

A file tells the hooks of it.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hitherto_server.judge.asking import Asks
    from hitherto_server.judge.surface import Surface
    from hitherto_server.sessions.call import HookCall

JUDGED_PROMPT_MS = 1200
"""As the hooks' own, which import nothing of this; a test compares them."""
AFTERWARDS_MS = 100
"""What is left to do after a judgment: admit, enter in the ledger, answer."""
log = logging.getLogger(__name__)


@dataclass
class JudgedPrompts:
    """Keeps the file that is there while prompts are judged."""

    mark: Path
    judge: Asks
    may_ask: Callable[[], bool] = lambda: True
    """Tells cheaply whether there is anybody to ask; if not, no question is loaded."""
    _is_marked: bool | None = None

    def keep(self) -> None:
        """Make or remove the file if a person's choice changed."""
        is_wanted = self.may_ask() and any(map(self.judge.is_on, _on_prompts()))
        if is_wanted == self._is_marked:
            return
        self._is_marked = is_wanted
        try:
            if is_wanted:
                self.mark.touch(mode=0o600)
            else:
                self.mark.unlink(missing_ok=True)
        except OSError as error:  # prompts have less time, or hooks wait longer than they need
            log.warning("%s could not be changed: %s", self.mark.name, error.strerror)

    def close(self) -> None:
        """Remove the file: nobody is asked any more."""
        self._is_marked = None
        self.mark.unlink(missing_ok=True)


def judge_until(call: HookCall, now_ms: int, delivery_ms: int) -> float:
    """Return when (`time.monotonic()`) a call's judgment must be there."""
    whole_ms = JUDGED_PROMPT_MS if call.deadline_ms is None else call.deadline_ms
    left_ms = whole_ms - (now_ms - call.at_ms) - delivery_ms - AFTERWARDS_MS
    return time.monotonic() + left_ms / 1000


def _on_prompts() -> tuple[Surface, ...]:
    """Return what is asked of a prompt, or as a subagent begins."""
    from hitherto_server.judge.surfaces import (
        brief_rank,
        historical_query,
        prompt_urgency,
        rerank,
        session_lookup,
        task_boundary,
        user_learning,
    )

    modules = (rerank, historical_query, brief_rank, prompt_urgency, session_lookup)
    return (*(one.SURFACE for one in (*modules, task_boundary, user_learning)),)
