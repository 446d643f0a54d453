"""One judgment's tries at its backend: breaker, patience, deadline and the one retry."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.judge.backends import lane_of
from hitherto_server.judge.wire import FailedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from hitherto_server.judge.asking import Asking
    from hitherto_server.judge.backends import Backends
    from hitherto_server.judge.breaker import Breaker
    from hitherto_server.judge.configuration import Backend
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.reading import WireReply

LEAST_S = 0.05
"""With less left nothing is asked."""
BEFORE_RETRY_S, LEAST_FOR_RETRY_S = 0.5, 0.25


@dataclass(frozen=True)
class Call:
    """What is asked of whom, on whose behalf, and until when."""

    backend: Backend
    key: str | None
    state: Any
    questions: Mapping[str, Question]
    asking: Asking
    careful: bool
    """Ask so that the order of the options decides nothing: something follows from it."""
    timeout_s: float
    ends_at_s: float
    is_wanted: Callable[[], Awaitable[bool]]
    """Whether it may be asked a second time: it may be switched off by then."""


@dataclass(frozen=True)
class Tries:
    """Asks a backend unless it is better left alone."""

    backends: Backends
    now_s: Callable[[], float]

    async def ask(self, call: Call) -> WireReply:
        """Return the reply; raise `FailedError` if there is none in time."""
        for left in range(call.asking.retries, -1, -1):
            began_s = self.now_s()
            try:
                return await self._try(call)
            except FailedError as error:
                wait_s = max(error.wait_s or 0.0, BEFORE_RETRY_S)
                needs_s = wait_s + max(self.now_s() - began_s, LEAST_FOR_RETRY_S)
                if not left or not self._may_pass(call, error) or self._left_s(call) < needs_s:
                    raise
                await asyncio.sleep(wait_s)
                if not await call.is_wanted():
                    raise FailedError("cancelled", "it was turned off meanwhile") from None
        raise AssertionError

    def _may_pass(self, call: Call, error: FailedError) -> bool:
        is_closed = self._breaker(call).state == "closed"
        return is_closed and error.reason in {"http", "not_before"} and error.may_pass

    async def _try(self, call: Call) -> WireReply:
        health, breaker = self.backends.health(call.backend), self._breaker(call)
        if health.rests_s > 0:
            raise FailedError("not_before", f"it asked for {health.rests_s:.0f} s of patience")
        if self._left_s(call) < LEAST_S:
            raise FailedError("budget", "no time is left to ask")
        if not breaker.admits():
            raise FailedError("breaker_open", "it failed lately and is left alone for a while")
        try:
            async with asyncio.timeout(self._left_s(call)):
                reply = await self._asked(call)
        except TimeoutError:
            breaker.fail(timed_out=True)
            raise FailedError("timeout", f"no answer within {call.timeout_s:.2g} s") from None
        except FailedError as error:
            self._count(call, error)
            raise
        except BaseException:  # cancelled: that shows nothing
            breaker.let_go()
            raise
        breaker.succeed()
        return reply

    async def _asked(self, call: Call) -> WireReply:
        reply = await self.backends.ask(
            call.backend, call.key, call.state, call.questions, careful=call.careful
        )
        if reply.usable == 0:
            first = next(iter(reply.by_key.values()))
            raise FailedError("invalid", getattr(first, "detail", "no usable answer"))
        return reply

    def _count(self, call: Call, error: FailedError) -> None:
        if error.wait_s is not None:
            self.backends.health(call.backend).rest(error.wait_s)
        breaker = self._breaker(call)
        if error.is_of_the_request or error.reason == "not_before":
            breaker.let_go()
        else:
            breaker.fail(timed_out=False)

    def _breaker(self, call: Call) -> Breaker:
        return self.backends.health(call.backend).breaker(lane_of(call.asking.origin))

    def _left_s(self, call: Call) -> float:
        return call.ends_at_s - self.now_s()
