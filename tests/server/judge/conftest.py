"""A judge over a real database, and what it is asked."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import SystemOneStub
from tests.wiring import TestClock

from hitherto_server.gates.secrets import redact
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.client import make_judge
from hitherto_server.judge.configuration import Backend, JudgeConfig
from hitherto_server.judge.profiles import PROFILES
from hitherto_server.judge.questions import AskChoice, AskNoul, AskScore
from hitherto_server.judge.surface import Surface
from hitherto_server.store.database import open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from pathlib import Path

    from hitherto_server.judge.client import Judge
    from hitherto_server.judge.questions import Question

SAME = AskNoul("Do `a` and `b` say the same?")
KIND = AskChoice("Which kind?", {"fact": "It states one.", "none": "None of these."})
WORTH = AskScore("How much is it worth?", ("nothing", "something", "much"))
QUESTIONS: Mapping[str, Question] = {"same": SAME, "kind": KIND, "worth": WORTH}
ANSWERS: Mapping[str, Any] = {
    "same": 0.9,
    "kind": {"fact": 0.7, "none": 0.3},
    "worth": [0.1, 0.2, 0.7],
}
STATE = {"a": "The port is 8080.", "b": "We serve on 8080."}
HOOK = Asking(origin="hook", session_id="s-1")
WORK = Asking(origin="maintenance", retries=1)


def surface(name: str = "likeness", **changes: Any) -> Surface:
    """Return a surface of a test's own."""
    values: dict[str, Any] = {
        "name": name,
        "version": 1,
        "asks": "?",
        "moment": "",
        "sends": "",
        "timeout_s": 5.0,
        "thresholds": {"least_probability": 0.8},
        "action": "",
        "fallback": "",
        "effect": "advises",
        "samples": QUESTIONS,
        "locked": ("apply",),
        **changes,
    }
    return Surface(**values)


@dataclass
class Seconds:
    """A clock of seconds that goes when it is told to."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Bench:
    """A judge, and the server that answers it."""

    judge: Judge
    stub: SystemOneStub
    clock: TestClock
    seconds: Callable[[], float]
    env_file: Path
    database: Path
    extra: dict[str, Any] = field(default_factory=dict)

    async def use(self, profile: str = "custom", **changes: Any) -> None:
        """Choose the stub as the backend."""
        values = {"base_url": self.stub.url, "model": "jev-1.13.0", **changes}
        backend = Backend(PROFILES[profile], **values)
        await self.judge.change(lambda config: JudgeConfig(config.on, backend, config.surfaces))


@asynccontextmanager
async def judging(
    root: Path, stub: SystemOneStub, seconds: Callable[[], float] | None = None
) -> AsyncIterator[Bench]:
    """Open a database with a judge over it."""
    import time

    clock = TestClock()
    seconds = seconds or time.monotonic
    store = await open_store(root / "memory.db", backups=root, clock=clock, readers=2)
    env_file = root / ".env"
    judge = make_judge(store, clock, env_file, lambda text: redact(text).text, now_s=seconds)
    try:
        await judge.load()
        yield Bench(judge, stub, clock, seconds, env_file, root / "memory.db")
    finally:
        await judge.close()
        await store.close()


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(dict(ANSWERS)) as serving:
        yield serving


@pytest.fixture
async def bench(tmp_path: Path, stub: SystemOneStub) -> AsyncIterator[Bench]:
    """Return a judge that asks the stub."""
    async with judging(tmp_path, stub) as made:
        await made.use()
        yield made
