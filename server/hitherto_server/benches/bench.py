"""The bench as a server has it: one run at a time, whose result is kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.own_store import Wanted, own_cases
from hitherto_server.benches.running import compare, measure_judge, measure_rules
from hitherto_server.benches.trials import TRIALS
from hitherto_server.core.errors import BenchBusy, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from hitherto_server.benches.passes import Passes
    from hitherto_server.benches.report import Report
    from hitherto_server.judge.client import Judge
    from hitherto_server.store.database import Store


@dataclass
class Bench:
    """Measures surfaces on labelled sets, and on the person's own memories."""

    store: Store
    judge: Judge
    passes: Passes
    models_dir: Path
    model: str
    """The embedding model that the settings name; the rules use it where it is installed."""

    async def rules(self, surface: str) -> Report:
        """Measure a surface's rule on its labelled sets, and keep the result."""
        return await self._kept(
            surface, partial(measure_rules, surface, self.models_dir, self.model)
        )

    async def configured(self, surface: str) -> Report:
        """Measure the configured backend on the labelled sets, and keep the result."""
        await self.judge.switches.refresh()
        config = self.judge.switches.config
        return await self._kept(surface, partial(measure_judge, surface, self.judge, config))

    async def own(self, surface: str, wanted: Wanted) -> Report:
        """Compare judge and rule on the person's own memories, and keep the figures."""
        await self.judge.switches.refresh()
        config = self.judge.switches.config
        cases = await self.store.readers.run(lambda c: own_cases(c, surface, wanted))
        return await self._kept(surface, partial(compare, surface, cases, self.judge, config))

    async def _kept(self, surface: str, measure: Callable[[], Awaitable[Report]]) -> Report:
        if surface not in TRIALS:
            message = f"there is no surface {surface!r}"
            raise InvalidInput(message, mend=f"One of: {', '.join(TRIALS)}.")
        if self.passes.room.locked():
            message = "a bench runs already"
            raise BenchBusy(message)
        async with self.passes.room:
            report = await measure()
            await self.passes.record(report)
        return report
