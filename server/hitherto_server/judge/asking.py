"""How a part asks for a judgment: the one method that all surfaces use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from hitherto_server.judge.answers import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface

Origin = Literal["hook", "tool", "maintenance", "backfill", "ui", "cli", "bench"]


@dataclass(frozen=True)
class Asking:
    """On whose behalf something is asked, and how long the whole of it may take."""

    origin: Origin
    session_id: str | None = None
    project_id: int | None = None
    deadline_s: float | None = None
    """Bounds the surface's own timeout further; total, connecting included."""
    riders: tuple[str, ...] = ()
    """Names of other surfaces whose questions share the request."""
    retries: Literal[0, 1] = 0
    """1 in background work only."""
    uses_cache: bool = True
    preview: str | None = None
    """What the log shows instead of the state's beginning."""


class Asks(Protocol):
    """Whoever answers typed questions."""

    async def ask(
        self,
        surface: Surface,
        state: Any,
        questions: Mapping[str, Question],
        asking: Asking,
    ) -> Answers | Unavailable:
        """Return the answers, or why there are none; never raises but for its own cancellation.

        `state` is JSON: strings, numbers, lists and maps. Its secrets are taken out before it is
        sent. Never call it inside a transaction or while a lock is held.
        """
        ...

    def threshold(self, surface: Surface, name: str) -> float:
        """Return a threshold as the person set it, else the surface's own."""
        ...

    def is_on(self, surface: Surface, switch: str | None = None) -> bool:
        """Tell whether the surface may ask; with `switch`, whether that locked act is allowed."""
        ...

    async def note_outcome(self, log_id: int | None, outcome: Mapping[str, Any]) -> None:
        """Write beside a logged judgment what was done with it; ids and words, never texts."""
        ...


class NobodyAsks:
    """Stands where no judge is wired: every rule answers for itself."""

    async def ask(
        self, surface: Surface, state: Any, questions: Mapping[str, Question], asking: Asking
    ) -> Answers | Unavailable:
        """Answer that there is no backend."""
        return Unavailable("no_backend")

    def threshold(self, surface: Surface, name: str) -> float:
        """Return the surface's own threshold."""
        return surface.thresholds[name]

    def is_on(self, surface: Surface, switch: str | None = None) -> bool:
        """Tell that nothing is asked."""
        return False

    async def note_outcome(self, log_id: int | None, outcome: Mapping[str, Any]) -> None:
        """Note nothing."""
