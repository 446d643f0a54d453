"""Which locked switches are open: as the running configuration stands, at the moment it counts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.store.benches import BenchRun, list_passes, put_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hitherto_server.benches.report import Report
    from hitherto_server.core.clock import Clock
    from hitherto_server.judge.configuration import JudgeConfig
    from hitherto_server.judge.surface import Surface
    from hitherto_server.store.database import Store


@dataclass
class Passes:
    """Knows every basis that passed; another basis says nothing of this one, and takes nothing."""

    store: Store
    clock: Clock
    running: Callable[[], JudgeConfig]
    """Returns the configuration that is in force."""
    room: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the one bench that runs."""
    _passed: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    async def load(self) -> None:
        """Read what passed until now."""
        self._passed = await self.store.readers.run(list_passes)

    def __call__(self, surface: Surface, switch: str) -> bool:
        """Tell whether the last bench of just this configuration opened the switch."""
        from hitherto_server.benches.basis import basis_of  # all surfaces: not at start

        basis = basis_of(surface, self.running())
        return switch in self._passed.get((surface.name, basis), frozenset())

    async def record(self, report: Report) -> None:
        """Keep a run; what failed locks its own basis, and no other."""
        run = BenchRun(
            surface=report.surface,
            backend=report.backend,
            sample=report.sample,
            model=report.model,
            basis=report.basis,
            passed=report.passed,
            report=report.as_json(),
            ran_at_ms=self.clock(),
        )
        await self.store.writer.run(lambda connection: put_run(connection, run))
        await self.load()
