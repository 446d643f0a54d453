"""Routes over judgments: whom to ask, what is switched on, and the log of what was judged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hitherto_contract.judge import (
    CacheReply,
    JudgeChange,
    JudgedSession,
    JudgedSessionsReply,
    JudgmentView,
    KeyRequest,
    LogReply,
    LogRequest,
    ProbeReply,
    ProbeRequest,
    SessionsRequest,
    TrialReply,
)
from hitherto_server.api.judge_view import view_of
from hitherto_server.api.memories import Wired
from hitherto_server.api.replies import json_response
from hitherto_server.judge.addresses import base_url_of
from hitherto_server.judge.choosing import changed
from hitherto_server.judge.register import surfaces
from hitherto_server.store.judgments import clear_cache, list_entries, list_sessions, loaded

if TYPE_CHECKING:
    from hitherto_server.store.driver import Row

router = APIRouter(prefix="/v1/judge")


@router.get("")
async def status(services: Wired) -> Response:
    """Say what is set, and how judgments fare."""
    await services.judge.switches.read()
    return json_response(await view_of(services))


@router.get("/config")
async def config(services: Wired) -> Response:
    """Say what is set, and how judgments fare."""
    return await status(services)


@router.put("/config")
async def configure(asked: JudgeChange, services: Wired) -> Response:
    """Change what is asked for; it is in force at once."""
    known, passes = surfaces(), services.judge.switches.passes
    await services.judge.change(lambda config: changed(config, asked, known, passes))
    return json_response(await view_of(services))


@router.post("/config")
async def configure_by_post(asked: JudgeChange, services: Wired) -> Response:
    """Change what is asked for, for those who only get and post."""
    return await configure(asked, services)


@router.post("/key")
async def key(asked: KeyRequest, services: Wired) -> Response:
    """Keep a key for the backend that is configured, or drop the one that is kept."""
    await services.judge.switches.give_key(asked.key, of_environment=asked.of_environment)
    return json_response(await view_of(services))


@router.post("/test")
async def test(services: Wired) -> Response:
    """Ask the backend that is configured one question that everybody can answer."""
    return json_response(TrialReply(**await services.judge.try_out()))


@router.post("/probe")
async def probe(asked: ProbeRequest, services: Wired) -> Response:
    """Find out what a server speaks; the key goes along only where it was given for."""
    base_url = base_url_of(asked.base_url)
    found = await services.judge.probe(base_url, asked.model)
    return json_response(
        ProbeReply(
            base_url=base_url,
            speaks=found.speaks,
            profile=found.profile,
            model=found.model,
            models=list(found.models),
            tells_probabilities=found.tells_probabilities,
            detail=found.detail,
        )
    )


@router.post("/cache/clear")
async def clear(services: Wired) -> Response:
    """Forget every answer that was kept."""
    await services.judge.flush()
    return json_response(CacheReply(forgotten=await services.store.writer.run(clear_cache)))


@router.get("/log")
async def log(asked: Annotated[LogRequest, Query()], services: Wired) -> Response:
    """List what was judged, the newest first."""
    await services.judge.flush()
    rows = await services.store.readers.run(
        partial(
            list_entries,
            surface=asked.surface,
            session_id=asked.session_id,
            origin=asked.origin,
            before_id=asked.before,
            limit=asked.limit,
        )
    )
    entries = [_judgment(row) for row in rows]
    following = entries[-1].id if len(entries) == asked.limit else None
    return json_response(LogReply(entries=entries, next=following))


@router.get("/sessions")
async def sessions(asked: Annotated[SessionsRequest, Query()], services: Wired) -> Response:
    """List the sessions for which something was judged, with what it came to."""
    await services.judge.flush()
    rows = await services.store.readers.run(lambda c: list_sessions(c, asked.limit))
    listed = [JudgedSession(**dict(row)) for row in rows]
    return json_response(JudgedSessionsReply(sessions=listed))


def _judgment(row: Row) -> JudgmentView:
    names = ("id", "asked_at_ms", "surface", "origin", "session_id", "project", "model")
    figures = ("latency_ms", "input_tokens", "output_tokens", "cost_usd", "preview")
    ends = ("unavailable_reason", "detail")
    return JudgmentView(
        **{name: row[name] for name in (*names, *figures, *ends)},
        riders=loaded(row["riders"]) or [],
        cached=bool(row["cached"]),
        answers=loaded(row["answers"]),
        outcome=_outcome(row["outcome"]),
    )


def _outcome(text: str | None) -> dict[str, object] | None:
    try:
        found = loaded(text)
    except ValueError:  # a word, as older versions wrote it
        found = text
    return found if found is None or isinstance(found, dict) else {"did": found}
