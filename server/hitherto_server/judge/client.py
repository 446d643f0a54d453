"""The judge: asks the backend that a person chose, within a deadline, and never raises."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import HithertoError
from hitherto_server.judge.answers import Answers, Noul, Unavailable
from hitherto_server.judge.asked import Asked, answers_of, entry_of
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.backends import Backends
from hitherto_server.judge.known import Known, request_hash
from hitherto_server.judge.limits import why_unaskable, without_secrets
from hitherto_server.judge.log import JudgmentLog
from hitherto_server.judge.redaction import Redactor, TooMuchError
from hitherto_server.judge.switches import Switches
from hitherto_server.judge.trial import QUESTIONS, STATE, TRIAL
from hitherto_server.judge.trying import Call, Tries
from hitherto_server.judge.wire import FailedError, Wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.configuration import JudgeConfig
    from hitherto_server.judge.probing import Probed
    from hitherto_server.judge.questions import Question
    from hitherto_server.judge.surface import Surface
    from hitherto_server.store.database import Store

    IsIgnored = Callable[[int], Awaitable[bool]]

logger = logging.getLogger(__name__)

PREVIEW_CHARS, READ_FOR_PREVIEW = 500, 4000


async def never_ignored(_: int) -> bool:
    """Tell that no project's folder is left alone."""
    return False


@dataclass
class Judge:
    """Implements `Asks`."""

    switches: Switches
    redactor: Redactor
    backends: Backends
    known: Known
    log: JudgmentLog
    clock: Clock
    now_s: Callable[[], float]
    is_ignored: IsIgnored = never_ignored
    """Tells of a project's number whether its folder is left alone: nothing of it is sent."""
    on_change: Callable[[], None] = lambda: None
    """Told when a person changed what is set."""
    _running: set[asyncio.Task[Answers]] = field(default_factory=set)
    _warming: asyncio.Task[None] | None = None
    _forgets: int = 0
    _forgetting: int = 0

    async def load(self) -> None:
        """Read what is switched on; to be called before anything is asked."""
        await self.switches.read()
        self._warming = asyncio.get_running_loop().create_task(self._warm())

    async def ask(
        self, surface: Surface, state: Any, questions: Mapping[str, Question], asking: Asking
    ) -> Answers | Unavailable:
        """Return the answers, or why there are none; never raises but for its own cancellation."""
        try:
            return await self._ask(surface, state, questions, asking)
        except Exception as error:  # noqa: BLE001 - whoever asks has a rule for every failure
            # the text of an error may hold what was to be judged
            logger.error("a bug met a judgment: %s", _where(error))
            return Unavailable("invalid", type(error).__name__)

    async def _ask(
        self, surface: Surface, state: Any, questions: Mapping[str, Question], asking: Asking
    ) -> Answers | Unavailable:
        began_s, at_ms = self.now_s(), self.clock()
        await self.switches.refresh()
        config = self.switches.config
        why = self.switches.why_not(surface)
        if why is not None or config.backend is None:
            if self.switches.killed:
                self._break_off()
            # nothing was tried, so nothing is logged
            return Unavailable(*(why or ("no_backend", "")))
        if asking.project_id is not None and await self.is_ignored(asking.project_id):
            return Unavailable("ignored")
        timeout_s = config.timeout_of(surface)
        if asking.deadline_s is not None:
            timeout_s = min(timeout_s, asking.deadline_s)
        asked = Asked(
            surface, asking, questions, began_s, at_ms, timeout_s, config.backend, self._forgets
        )
        return await self._logged(asked, await self._found(self._judged(asked, state)))

    def threshold(self, surface: Surface, name: str) -> float:
        """Return a threshold as the person set it, else the surface's own."""
        return self.switches.threshold(surface, name)

    def is_on(self, surface: Surface, switch: str | None = None) -> bool:
        """Tell whether the surface may ask; with `switch`, whether that locked act is allowed."""
        return self.switches.is_on(surface, switch)

    async def note_outcome(self, log_id: int | None, outcome: Mapping[str, Any]) -> None:
        """Write beside a logged judgment what was done with it; ids and words, never texts."""
        if log_id is not None:
            self.log.note_outcome(log_id, outcome)

    async def change(self, change: Callable[[JudgeConfig], JudgeConfig]) -> JudgeConfig:
        """Change what is set; what runs is broken off if it may run no more."""
        before = self.switches.config
        made = await self.switches.change(change)
        if not made.on or made.backend != before.backend:
            self._break_off()
        await self._warm()
        self.on_change()
        return made

    async def try_out(self) -> dict[str, Any]:
        """Ask the backend one question that everybody can answer, and return what came of it."""
        if (backend := self.switches.config.backend) is not None:
            self.backends.health(backend).lanes.clear()  # a person wants to know it now
        got = await self.ask(TRIAL, STATE, QUESTIONS, Asking(origin="ui", uses_cache=False))
        if isinstance(got, Unavailable):
            return {"answered": False, "reason": got.reason, "detail": got.detail}
        answer = got.by_key["port"]
        return {
            "answered": isinstance(answer, Noul),
            "detail": answer.detail if isinstance(answer, Unavailable) else "",
            "probability": got.noul("port"),
            "model": got.model,
            "calibrated": got.calibrated,
            "latency_ms": got.latency_ms,
            "cost_usd": got.cost_usd,
        }

    async def probe(self, base_url: str, model: str | None) -> Probed:
        """Find out what a server speaks; the key goes along only where it was given for."""
        from hitherto_server.judge.probing import Probe, Probed

        await self.switches.refresh()
        if self.switches.killed:
            return Probed(None, detail="HITHERTO_JUDGE=off: nobody is asked anything")
        key = self.switches.key
        sent = key.value if key is not None and key.given_for == base_url else None
        return await Probe(self.backends.wire, self.clock).look(base_url, model, sent)

    async def flush(self) -> None:
        """Write down what was judged until now."""
        await self.log.flush()

    @asynccontextmanager
    async def forgetting(self) -> AsyncIterator[None]:
        """Forget every text that was seen, and show none of what is asked until the end of it.

        What waits is written down first, so that it is erased with all else.
        """
        self._forgets += 1
        self._forgetting += 1
        self.redactor.forget()
        try:
            await self.flush()
            yield
        finally:
            self._forgets += 1
            self._forgetting -= 1

    async def close(self) -> None:
        """Break off what runs, write the log and close the connections."""
        self._break_off()
        if self._warming is not None:
            await asyncio.gather(self._warming, return_exceptions=True)
        await self.switches.close()
        await self.log.close()
        await self.backends.wire.close()

    async def _warm(self) -> None:
        """Load what asking needs before somebody waits for it."""
        config = self.switches.config
        if config.on and config.backend is not None and not self.switches.killed:
            await asyncio.to_thread(self.redactor.text, "its patterns are read at first use")
            with suppress(FailedError):  # whoever asks is told
                await self.backends.wire.warm(config.backend.base_url)

    def _break_off(self) -> None:
        for task in self._running:
            task.cancel()

    async def _found(self, judged: Coroutine[Any, Any, Answers]) -> Answers | Unavailable:
        """Await a judgment; whatever goes wrong with it is a reason."""
        task = asyncio.get_running_loop().create_task(judged)
        self._running.add(task)
        try:
            return await task
        except FailedError as error:
            return Unavailable(error.reason, error.detail)
        except asyncio.CancelledError:
            if (me := asyncio.current_task()) is not None and me.cancelling():
                raise
            return Unavailable("cancelled", "it was turned off meanwhile")
        except HithertoError as error:
            return Unavailable("invalid", error.code)
        except Exception as error:  # noqa: BLE001 - whoever asks has a rule for every failure
            # the text of an error may hold what was to be judged
            logger.error("a bug met a judgment: %s", _where(error))
            return Unavailable("invalid", type(error).__name__)
        finally:
            self._running.discard(task)

    async def _judged(self, asked: Asked, state: Any) -> Answers:
        backend, careful = asked.backend, asked.surface.effect == "acts"
        try:
            async with asyncio.timeout(max(asked.timeout_s, 0)):
                clean, questions = await self._cleaned(asked, state)
                known_as = request_hash(backend, clean, questions, careful=careful)
                kept = await self.known.find(known_as) if asked.asking.uses_cache else None
                if kept is None:
                    await self.backends.wire.warm(backend.base_url)
        except TimeoutError:
            raise FailedError("budget", "no time was left to ask") from None
        if kept is not None:
            return answers_of(asked, kept, latency_ms=self._since_ms(asked), cached=True)
        call = Call(
            backend=backend,
            key=self.switches.key_for_backend(),
            state=clean,
            questions=questions,
            asking=asked.asking,
            careful=careful,
            timeout_s=asked.timeout_s,
            ends_at_s=asked.began_s + asked.timeout_s,
            is_wanted=partial(self._is_wanted, asked),
        )
        reply = await Tries(self.backends, self.now_s).ask(call)
        if asked.asking.uses_cache:
            self.known.keep(known_as, backend, reply)
        return answers_of(asked, reply, latency_ms=self._since_ms(asked), cached=False)

    async def _is_wanted(self, asked: Asked) -> bool:
        """Tell whether the same may still be asked of the same backend."""
        await self.switches.refresh()
        is_same = self.switches.config.backend == asked.backend
        return is_same and self.switches.why_not(asked.surface) is None

    async def _cleaned(self, asked: Asked, state: Any) -> tuple[Any, Mapping[str, Question]]:
        """Return state and questions without secrets, and note how the state begins."""
        if (why := why_unaskable(asked.questions, asked.backend.profile)) is not None:
            raise FailedError(why.reason, why.detail)
        try:
            clean = await self.redactor.clean(state)
            text = json.dumps(clean, ensure_ascii=False, allow_nan=False)
            text.encode()
        except TooMuchError as error:
            raise FailedError("budget", str(error)) from None
        except (TypeError, ValueError, RecursionError):
            raise FailedError("invalid", "the state is no JSON") from None
        shown = asked.asking.preview
        shown = text if shown is None else self.redactor.text(shown[:READ_FOR_PREVIEW])
        asked.preview = shown[:PREVIEW_CHARS] if asked.surface.shows_text else None
        questions = without_secrets(asked.questions, self.redactor.text)
        if questions is None:
            raise FailedError("invalid", "the name of an option holds a secret")
        return clean, questions

    async def _logged(self, asked: Asked, found: Answers | Unavailable) -> Answers | Unavailable:
        try:
            number = await self.log.next_id()
        except HithertoError:  # the store can't even be read; nothing will be logged in it
            return found
        entry = entry_of(
            asked,
            found,
            number=number,
            latency_ms=self._since_ms(asked),
            preview=asked.preview if self._may_show(asked) else None,
        )
        self.log.note(entry)
        return replace(found, log_id=number)

    def _may_show(self, asked: Asked) -> bool:
        """Tell whether nothing was to be forgotten since it was asked."""
        return not self._forgetting and asked.forgets == self._forgets

    def _since_ms(self, asked: Asked) -> float:
        return round((self.now_s() - asked.began_s) * 1000, 1)


def make_judge(
    store: Store,
    clock: Clock,
    env_file: Path,
    redact: Callable[[str], str],
    *,
    now_s: Callable[[], float] = time.monotonic,
) -> Judge:
    """Return a judge that asks nobody until a person has chosen whom."""
    wire, log = Wire(), JudgmentLog(store, clock)
    return Judge(
        switches=Switches(store, clock, env_file, now_s),
        redactor=Redactor(redact),
        backends=Backends(wire, clock, now_s),
        known=Known(store, log, clock),
        log=log,
        clock=clock,
        now_s=now_s,
    )


def _where(error: Exception) -> str:
    """Return what kind of error it is and where it rose, without what it says."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace else "?"
    return f"{type(error).__name__} in {place}"
