"""Routes over judged work in the background: its jobs, and the backfill."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from hitherto_contract.background import (
    BackfillEstimate,
    BackfillReply,
    BackfillRequest,
    BackfillRun,
    FailedJob,
    JobAtWork,
    JobsReply,
    JobsRequest,
)
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.maintenance.backfilling import BATCH, KIND, PACE_S
from hitherto_server.store import jobs as rows

if TYPE_CHECKING:
    from hitherto_server.services import Services
    from hitherto_server.store.backfill import Run

MOST_FAILED = 50

router = APIRouter(prefix="/v1")


@router.get("/backfill")
async def backfill(services: Wired) -> Response:
    """Say how far the newest run is."""
    return json_response(_reply(await services.judged.backfill.status()))


@router.get("/backfill/estimate")
async def estimate(services: Wired) -> Response:
    """Say what a run would take; nobody is asked for it."""
    found = await services.judged.backfill.estimate()
    backend = services.judge.switches.config.backend
    price = backend.profile.usd_per_million if backend else None
    return json_response(
        BackfillEstimate(
            **asdict(found),
            cost_usd=None if price is None else found.input_tokens * price / 1_000_000,
            seconds=found.memories / BATCH * PACE_S,
        )
    )


@router.post("/backfill")
async def change_backfill(asked: BackfillRequest, services: Wired) -> Response:
    """Have a run begin, rest, go on or end."""
    backfill = services.judged.backfill
    match asked.action:
        case "start":
            return json_response(_reply(await backfill.start()))
        case "pause":
            return json_response(_reply(await backfill.pause()))
        case "resume":
            return json_response(_reply(await backfill.resume()))
        case "cancel":
            return json_response(_reply(await backfill.cancel()))


@router.get("/jobs")
async def jobs(services: Wired) -> Response:
    """Say what waits, and what has failed for good."""
    return json_response(await jobs_of(services))


@router.post("/jobs")
async def change_jobs(asked: JobsRequest, services: Wired) -> Response:
    """Take up what failed, or cancel what waits; a backfill is cancelled by its own route."""
    at_ms = services.clock()
    if asked.action == "retry":
        changed = await services.store.writer.run(partial(rows.retry, job_id=asked.id))
        services.judged.notify()
    else:
        kinds = [one for one in services.judged.queue.handlers if one != KIND]
        cancel = partial(rows.cancel, kinds=kinds, at_ms=at_ms, job_id=asked.id)
        changed = await services.store.writer.run(cancel)
    return json_response(await jobs_of(services, changed=changed))


async def jobs_of(services: Services, changed: int = 0) -> JobsReply:
    """Return how many jobs there are, and the latest of those that failed for good."""
    run, kinds = services.store.readers.run, list(services.judged.queue.handlers)
    counts = await run(partial(rows.count_by_kind, kinds=kinds))
    at_work = await run(partial(rows.list_at_work, kinds=kinds))
    failed = await run(partial(rows.list_failed, most=MOST_FAILED))
    return JobsReply(
        counts=counts,
        at_work=[JobAtWork(**dict(one)) for one in at_work],
        failed=[FailedJob(**dict(one)) for one in failed],
        changed=changed,
    )


def _reply(run: Run | None) -> BackfillReply:
    if run is None:
        return BackfillReply(run=None)
    shown = {name: value for name, value in asdict(run).items() if name != "before_number"}
    return BackfillReply(run=BackfillRun(**shown))
