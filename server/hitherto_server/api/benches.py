"""Routes over benches: run one, list what was run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from hitherto_contract.benches import BenchesReply, BenchQuery, BenchRequest, BenchView
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.core.errors import InvalidInput, ServerAway
from hitherto_server.store.benches import list_runs

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from hitherto_server.benches.own_store import Wanted
    from hitherto_server.benches.report import Report
    from hitherto_server.services import Services
    from hitherto_server.store.benches import BenchRun

router = APIRouter(prefix="/v1")


@router.post("/bench")
async def bench(asked: BenchRequest, services: Wired) -> Response:
    """Measure a surface and keep what it showed; this may take minutes."""
    report = await _unless_it_stops(_measured(asked, services), services.stopping)
    return JSONResponse(report.as_json())


@router.get("/benches")
async def benches(asked: Annotated[BenchQuery, Query()], services: Wired) -> Response:
    """List the runs that are kept, the newest first."""
    await services.judge.switches.refresh()
    runs = await services.store.readers.run(
        lambda connection: list_runs(connection, asked.surface, most=asked.limit)
    )
    return json_response(BenchesReply(runs=[_view_of(one, services) for one in runs]))


async def _unless_it_stops(
    measured: Coroutine[Any, Any, Report], stopping: asyncio.Event
) -> Report:
    """Return what was measured; a server that is told to stop waits for no bench."""
    running, stop = asyncio.create_task(measured), asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait((running, stop), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            return running.result()
        message = "the server is stopping: the bench was broken off"
        raise ServerAway(message, mend="Run it again.")
    finally:
        stop.cancel()
        running.cancel()
        await asyncio.gather(running, stop, return_exceptions=True)


async def _measured(asked: BenchRequest, services: Services) -> Report:
    from hitherto_server.benches.bench import Bench  # every surface and rule: not at start

    home, settings = services.home, services.settings
    run = Bench(services.store, services.judge, services.passes, home.models, settings.model)
    if asked.project_dir is not None:
        return await run.own(asked.surface, await _wanted(asked, services))
    if asked.backend == "rules":
        return await run.rules(asked.surface)
    return await run.configured(asked.surface)


async def _wanted(asked: BenchRequest, services: Services) -> Wanted:
    from hitherto_server.benches.own_store import Wanted

    if asked.backend == "rules":
        message = "on the own store a rule alone has nothing to be compared with"
        raise InvalidInput(message, mend="Use `--backend configured`.")
    project = await services.projects.find(asked.project_dir or "")
    if project is None:
        message = f"{asked.project_dir} is no project that is known here"
        raise InvalidInput(message, mend="Name a folder in which something was remembered.")
    model = services.embedder.model
    return Wanted(project.number, asked.limit, asked.sample, model.name if model else None)


def _view_of(run: BenchRun, services: Services) -> BenchView:
    from hitherto_server.benches.basis import basis_of, rules_basis_of
    from hitherto_server.benches.trials import TRIALS

    trial = TRIALS.get(run.surface)
    running = None
    if trial is not None:
        config = services.judge.switches.config
        is_rules = run.backend == "rules"
        running = rules_basis_of(trial.surface) if is_rules else basis_of(trial.surface, config)
    return BenchView(
        surface=run.surface,
        backend=run.backend,
        sample=run.sample,
        model=run.model,
        basis=run.basis,
        is_running=run.basis == running,
        passed=list(run.passed),
        report=run.report,
        ran_at_ms=run.ran_at_ms,
    )
