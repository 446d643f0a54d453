"""The backends that can be asked, and how each of them fares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from hitherto_server.judge.breaker import Breaker
from hitherto_server.judge.systemone import SystemOne

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.asking import Origin
    from hitherto_server.judge.chat import Chat
    from hitherto_server.judge.configuration import Backend
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.reading import WireReply
    from hitherto_server.judge.wire import Wire

Lane = Literal["hurried", "patient"]


def lane_of(origin: Origin) -> Lane:
    """Return who shares a breaker: what is too slow for a hook may do for background work."""
    return "hurried" if origin in {"hook", "tool"} else "patient"


@dataclass
class Health:
    """How one backend fares."""

    now_s: Callable[[], float]
    not_before_s: float = 0.0
    lanes: dict[Lane, Breaker] = field(default_factory=dict)

    def breaker(self, lane: Lane) -> Breaker:
        """Return the breaker of a lane."""
        return self.lanes.setdefault(lane, Breaker(self.now_s))

    @property
    def rests_s(self) -> float:
        """For how long it asked to be left alone from now on."""
        return max(0.0, self.not_before_s - self.now_s())

    def rest(self, wait_s: float) -> None:
        """Leave it alone for a while."""
        self.not_before_s = max(self.not_before_s, self.now_s() + wait_s)


@dataclass
class Backends:
    """Asks whichever backend is configured, and nobody else."""

    wire: Wire
    clock: Clock
    now_s: Callable[[], float]
    _health: dict[str, Health] = field(default_factory=dict)
    _chatting: Chat | None = None

    def health(self, backend: Backend) -> Health:
        """Return how a backend fares."""
        return self._health.setdefault(backend.identity, Health(self.now_s))

    async def ask(
        self,
        backend: Backend,
        key: str | None,
        state: Any,
        questions: Mapping[str, Question],
        *,
        careful: bool,
    ) -> WireReply:
        """Return what the backend answers; raise `FailedError` if that is nothing."""
        if backend.profile.speaks == "openai":
            chat = self._chat()
            return await chat.ask(backend, key, state, questions, careful=careful)
        return await SystemOne(self.wire, self.clock).ask(backend, key, state, questions)

    def _chat(self) -> Chat:
        from hitherto_server.judge.chat import Chat  # not for those who have no such backend

        if self._chatting is None:
            self._chatting = Chat(self.wire, self.clock)
        return self._chatting
