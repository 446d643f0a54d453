"""A judge over a real store, and a backend that answers as a test has it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import SystemOneStub, use_stub

from hitherto_server.benches.basis import basis_of
from hitherto_server.benches.bench import Bench
from hitherto_server.benches.passes import Passes
from hitherto_server.benches.report import Report
from hitherto_server.benches.sets import load_kinds, load_worth
from hitherto_server.gates.secrets import redact
from hitherto_server.judge.client import make_judge
from hitherto_server.judge.configuration import SurfaceChoice
from hitherto_server.judge.surfaces.importance_kind import APPLY_IMPORTANCE, SURFACE
from hitherto_server.store.database import open_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from hitherto_server.benches.items import Kind, Worth
    from hitherto_server.benches.report import Backend, Sample
    from hitherto_server.judge.client import Judge

NOW_MS = 1_796_000_000_000
LEVELS = 10
KNOWN: dict[str, Kind | Worth] = {one.content: one for one in load_kinds()}
KNOWN |= {one.content: one for one in load_worth()}


def rightly(state: Any, key: str, _question: Any) -> Any:
    """Answer importance and kind as a person labelled them, and be sure of it."""
    item = KNOWN[state["memory"]]
    if key == "importance":
        return level(item.importance - 1)
    return item.kind if item.kind not in {"plan", "workflow"} else "note"


def wrongly(state: Any, key: str, _question: Any) -> Any:
    """Answer with the other end of the scale."""
    item = KNOWN[state["memory"]]
    return level(LEVELS - item.importance) if key == "importance" else "unclear"


def level(most: int) -> list[float]:
    """Return the probability of each level, nearly all of it on one."""
    return [0.91 if one == most else 0.01 for one in range(LEVELS)]


@dataclass
class Measured:
    """A bench, the judge it asks, and the backend behind it."""

    bench: Bench
    judge: Judge
    passes: Passes
    stub: SystemOneStub
    root: Path

    def is_open(self) -> bool:
        """Tell whether the locked switch lets anything through now."""
        return self.judge.is_on(SURFACE, APPLY_IMPORTANCE)

    async def set(self, **changes: Any) -> None:
        """Set something of importance-kind, as a person would."""
        name = SURFACE.name
        await self.judge.change(
            lambda config: replace(
                config,
                surfaces={
                    **config.surfaces,
                    name: replace(config.surfaces.get(name, SurfaceChoice()), **changes),
                },
            )
        )

    async def record(
        self, *, passed: bool, sample: Sample = "labelled", backend: Backend = "configured"
    ) -> None:
        """Keep a run of what is configured now, as if it had been measured."""
        basis = basis_of(SURFACE, self.judge.switches.config)
        switches = (APPLY_IMPORTANCE,) if passed else ()
        run = Report(SURFACE.name, backend, sample, "m", True, basis, {}, None, "", switches)
        await self.passes.record(run)

    async def use(self, model: str) -> None:
        """Ask for this model from now on."""
        self.stub.model = model if "latest" not in model else self.stub.model
        await self.judge.change(
            lambda config: replace(config, backend=replace(config.backend, model=model))  # type: ignore[type-var]
        )


@asynccontextmanager
async def measured_in(root: Path, stub: SystemOneStub) -> AsyncIterator[Measured]:
    """Open a store with a judge and a bench over it."""

    def clock() -> int:
        return NOW_MS

    store = await open_store(root / "memory.db", backups=root, clock=clock, readers=2)
    judge = make_judge(store, clock, root / ".env", lambda text: redact(text).text)
    passes = Passes(store, clock, lambda: judge.switches.config)
    judge.switches.passes = passes
    try:
        await judge.load()
        await passes.load()
        await use_stub(judge, stub)
        yield Measured(Bench(store, judge, passes, root / "models", ""), judge, passes, stub, root)
    finally:
        await judge.close()
        await store.close()


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub(answers=rightly) as serving:
        yield serving


@pytest.fixture
async def measured(tmp_path: Path, stub: SystemOneStub) -> AsyncIterator[Measured]:
    async with measured_in(tmp_path, stub) as found:
        yield found
