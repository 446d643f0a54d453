"""Routes over the server itself: how it is, stop, log in, rebuild."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from hitherto_contract import PROTOCOL, VERSION, Status
from hitherto_server.api.keeping import store_notices, summary
from hitherto_server.api.memories import Wired
from hitherto_server.api.quieted import pause_notices, quiet_views
from hitherto_server.api.replies import json_response
from hitherto_server.core.clock import DAY_MS
from hitherto_server.models.sources import command_to_get, find_model
from hitherto_server.store.cleaning import list_set_aside
from hitherto_server.store.derived import rebuild_text, rebuild_vectors, vector_model, vector_shape
from hitherto_server.store.driver import choose_driver
from hitherto_server.store.jobs import count_by_kind
from hitherto_server.store.memories import totals
from hitherto_server.store.sessions import LOST_WRITES, counters
from hitherto_server.store.shown import silent_kinds
from hitherto_server.store.signs import measured_by

if TYPE_CHECKING:
    from hitherto_server.maintenance.changing import Progress
    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection

router = APIRouter()

WEEK_MS = 7 * DAY_MS


@router.get("/v1/status")
async def status(services: Wired) -> Response:
    """Say how the server is."""
    return json_response(await status_of(services))


@router.post("/v1/stop")
async def stop(services: Wired) -> Response:
    """Finish what was begun, then end."""
    services.stopping.set()
    return JSONResponse({"stopping": True})


@router.post("/v1/login-code")
async def login_code(services: Wired) -> Response:
    """Make a one-time address of the settings UI."""
    return JSONResponse({"url": services.login_url()})


@router.post("/v1/reindex")
async def reindex(services: Wired) -> Response:
    """Rebuild every derived index from the store."""
    return JSONResponse(await rebuild(services))


async def rebuild(services: Services) -> dict[str, int]:
    """Rebuild the derived indexes and return how many memories and vectors they hold."""
    store, clock = services.store, services.clock
    built = {"memories": await store.writer.run(partial(rebuild_text, clock=clock))}
    loaded = services.embedder.model
    shape = (loaded.name, loaded.dimension) if loaded else await store.readers.run(vector_shape)
    if shape is not None:
        again = partial(rebuild_vectors, model=shape[0], dimension=shape[1], clock=clock)
        built["vectors"] = await store.writer.run(again)
    return built


@dataclass(frozen=True)
class _Known:
    """What the state shows and the notices judge."""

    model: dict[str, Any]
    spool: dict[str, int]
    lost_writes: int
    jobs_waiting: int
    jobs_failed: int


async def status_of(services: Services) -> Status:
    """Return the server's state, with a notice for each thing that is not as it should be."""
    store, driver = services.store, choose_driver()
    counts = await store.readers.run(totals)
    searched = await store.readers.run(lambda c: vector_model(c) and f"signs, {measured_by(c)}")
    waiting = await services.indexer.waiting()
    known = await _known(services)
    return Status(
        version=VERSION,
        protocol=PROTOCOL,
        pid=os.getpid(),
        started_at_ms=services.started_at_ms,
        home=str(services.home.root),
        url=services.url,
        database_bytes=services.home.database.stat().st_size,
        schema_version=store.schema,
        driver=f"{driver.name} (SQLite {driver.version})",
        vector_index=searched or "numpy scan",
        model=known.model,
        memories=counts,
        pending=_pending(waiting, known.jobs_waiting),
        spool=known.spool,
        lost_writes=known.lost_writes,
        notices=await _notices(services, known),
        quiet=quiet_views(services),
        backups=await asyncio.to_thread(summary, services),
        damage=store.health.damage,
    )


async def _known(services: Services) -> _Known:
    counted = await services.store.readers.run(counters)
    waiting, failed = await _jobs(services)
    return _Known(
        model=_model(services, await services.indexer.progress()),
        spool=services.sessions.spool.counts(),
        lost_writes=services.store.writer.lost + counted.get(LOST_WRITES, 0),
        jobs_waiting=waiting,
        jobs_failed=failed,
    )


def _pending(embeddings: int | None, judgments: int) -> dict[str, int]:
    """Return what waits; nobody knows how many embeddings while no model is loaded."""
    known = {} if embeddings is None else {"embeddings": embeddings}
    return {**known, "judgments": judgments}


async def _notices(services: Services, known: _Known) -> list[str]:
    """Return a notice for each thing that is not as it should be, or that was done by itself."""
    since_ms = services.clock() - WEEK_MS
    return [
        *await store_notices(services),
        *notices(known.model, known.spool, known.lost_writes),
        *failed_jobs(known.jobs_failed),
        *pause_notices(services),
        *await services.store.readers.run(partial(own_doings, since_ms=since_ms)),
    ]


def own_doings(connection: Connection, since_ms: int) -> list[str]:
    """Say which notices fell silent, and what was set aside lately, each with its way back."""
    return [
        *silent_kinds(connection),
        *(
            f"memory {row['memory_id']} kept being false and was set aside:"
            f" `hitherto clean expendable --undo {row['id']}` takes that back"
            for row in list_set_aside(connection, since_ms=since_ms)
        ),
    ]


def notices(model: dict[str, Any], spool: dict[str, int], lost: int) -> list[str]:
    """Return what a person should know, each with its mend."""
    found: list[str] = []
    if not model["installed"] or model["state"] == "failed":
        found.append(lacking(model))
    if model["change"]:
        found.append(changing(model))
    if spool["dropped"]:
        found.append(f"{spool['dropped']} hook events were dropped: the spool or the disk was full")
    if spool["unreadable_bytes"]:
        found.append("some events could not be read: look at, then delete, spool/events.unreadable")
    if lost:
        found.append(f"{lost} writes were refused by the database: see logs/server.log")
    return found


def failed_jobs(count: int) -> list[str]:
    """Say that judged work was given up, and what takes it up again."""
    if not count:
        return []
    return [f"{count} judgments in the background failed for good: see `hitherto judge jobs`"]


async def _jobs(services: Services) -> tuple[int, int]:
    """Return how many jobs of judged work wait, and how many have failed for good."""
    kinds = list(services.judged.queue.handlers)
    counts = await services.store.readers.run(partial(count_by_kind, kinds=kinds))
    states = list(counts.values())
    waiting = sum(one.get("waiting", 0) + one.get("leased", 0) for one in states)
    return waiting, sum(one.get("failed", 0) for one in states)


def lacking(model: dict[str, Any]) -> str:
    """Say what answers where the model of the settings does not, and what mends it."""
    mend = f"run `{command_to_get(model['configured'])}`"
    if model["state"] == "ready":
        return f"{model['configured']} is not there, {model['name']} answers still: {mend}"
    return f"recall is lexical ({model['reason']}): {mend}"


def changing(model: dict[str, Any]) -> str:
    """Say how far another model's vectors are, and what answers until they are complete."""
    change = model["change"]
    answers = f"{model['name']} answers" if model["state"] == "ready" else "words alone answer"
    return (
        f"vectors of {change['coming']}: {change['done']} of {change['total']} passages;"
        f" until then {answers}"
    )


def _model(services: Services, change: Progress | None) -> dict[str, Any]:
    embedder = services.embedder
    model = embedder.model
    installed = find_model(services.home.models, services.settings.model) is not None
    return {
        "state": embedder.state,
        "reason": embedder.reason,
        "installed": installed,
        "configured": services.settings.model,
        "name": model.name if model else services.settings.model,
        "dimension": model.dimension if model else None,
        "languages": said_languages(model.languages) if model else None,
        "change": asdict(change) if change else None,
    }


def said_languages(languages: tuple[str, ...]) -> str:
    """Say which questions are answered by meaning; the others are by their words."""
    return ", ".join(languages) or "many"
