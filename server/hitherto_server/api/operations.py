"""What each request does: the one table that HTTP and the mounted MCP share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from hitherto_contract import (
    CategoriesRequest,
    ForgetRequest,
    LoopRequest,
    MemoriesRequest,
    PastSessionView,
    RecallReply,
    RecallRequest,
    ReflectRequest,
    RememberRequest,
    RestoreRequest,
    SyncReply,
    SyncRequest,
    WhyRequest,
)
from hitherto_contract.memories import Placed
from hitherto_server.api.listing import list_memories
from hitherto_server.api.quieted import find_rule, with_note
from hitherto_server.api.replies import refusal_of
from hitherto_server.core.clock import date_of
from hitherto_server.core.errors import NotFound
from hitherto_server.gates.categories import manage
from hitherto_server.gates.promotion import note_asked_for
from hitherto_server.gates.reflect import forget, reflect, restore
from hitherto_server.gates.remember import remember
from hitherto_server.recall.hits import Question
from hitherto_server.recall.syncing import SyncWish, sync
from hitherto_server.recall.why import explain_last
from hitherto_server.sessions.prompt.rules import asks_about_a_session
from hitherto_server.store.memories import get_row
from hitherto_server.store.sessions import goes_on_as

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hitherto_server.judge.asking import Origin
    from hitherto_server.services import Services
    from hitherto_server.sessions.loop.tool import LoopDesk
    from hitherto_server.sessions.past.finding import PastSession
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.projects import Project
    from hitherto_server.store.quiet import QuietRule

REQUESTS: dict[str, type[BaseModel]] = {
    "remember": RememberRequest,
    "recall": RecallRequest,
    "reflect": ReflectRequest,
    "forget": ForgetRequest,
    "restore": RestoreRequest,
    "memories": MemoriesRequest,
    "categories": CategoriesRequest,
    "sync": SyncRequest,
    "loop": LoopRequest,
    "why": WhyRequest,
}


AGENT = "agent"
"""Whoever asks by MCP; a person who names a session means that one."""


async def perform(services: Services, asked: BaseModel) -> BaseModel:
    """Do what a request asks and return its reply, with a word where its session is paused."""
    asked = await _in_its_session(services, asked)
    rule = await find_rule(services, asked)
    reply = await _perform(services, asked, rule)
    return reply if rule is None else with_note(reply, rule)


async def _in_its_session(services: Services, asked: BaseModel) -> BaseModel:
    """Return a request in the session that its client is in now, though a clear has renamed it."""
    if not isinstance(asked, Placed) or asked.session_id is None or asked.actor != AGENT:
        return asked
    named = asked.session_id
    session = await services.store.readers.run(partial(goes_on_as, session_id=named))
    return asked if session == named else asked.model_copy(update={"session_id": session})


async def _perform(  # noqa: C901, PLR0911 - a table
    services: Services, asked: BaseModel, rule: QuietRule | None
) -> BaseModel:
    match asked:
        case RememberRequest():
            return await remember(services.writes, asked)
        case RecallRequest():
            is_ignored = rule is not None and rule.kind == "ignore"
            reply = await recall(services, asked, asks_judge=not is_ignored)
            return await note_use(services, asked, reply)
        case ReflectRequest():
            return await reflect(services.writes, asked)
        case RestoreRequest():  # before its base
            return await restore(services.writes, asked)
        case ForgetRequest():
            return await forget(services.writes, asked)
        case MemoriesRequest():
            return await list_memories(services, asked)
        case CategoriesRequest():
            return await manage(services.writes, asked)
        case SyncRequest():
            return await sync_project(services, asked)
        case LoopRequest():
            return await loop_desk(services).do(asked)
        case WhyRequest():
            floor = services.settings.injection_floor
            return await services.store.readers.run(
                lambda c: explain_last(c, asked.session_id, floor=floor)
            )
        case _:
            message = f"no operation takes a {type(asked).__name__}"
            raise TypeError(message)


async def recall(
    services: Services,
    asked: RecallRequest,
    project: Project | None = None,
    *,
    asks_judge: bool = True,
) -> RecallReply:
    """Find memories from where the caller stands; the model is woken for the next time."""
    services.wake_model()
    if project is None and asked.project_dir is not None:
        project = await services.projects.find(asked.project_dir)
    if asked.scope == "sessions":
        return await recall_sessions(services, asked, project)
    question = Question(
        text=asked.query,
        project=project.number if project else None,
        root=project.root if project else None,
        scope=asked.scope,
        kind=asked.kind,
        files=tuple(asked.files),
        limit=asked.limit,
        token_budget=asked.token_budget,
        include_superseded=asked.include_superseded,
        explain=asked.explain,
        rerank=asked.rerank,
    )
    reply = await services.recaller.recall(question, asked.session_id, asks_judge=asks_judge)
    if not asks_about_a_session(asked.query):
        return reply
    beside = await recall_sessions(services, asked, project)
    return reply.model_copy(update={"sessions": beside.sessions})


async def recall_sessions(
    services: Services, asked: RecallRequest, project: Project | None
) -> RecallReply:
    """Find what was said and done in earlier sessions of a project: no memories."""
    from hitherto_server.sessions.past.finding import Asked, find_past

    started_ms = services.clock()
    found = await find_past(
        services.store,
        services.embedder,
        services.clock,
        Asked(
            asked.query,
            project.number if project else None,
            asked.limit,
            asked.session_id or "",
            asked.token_budget,
        ),
    )
    return RecallReply(
        hits=[],
        withheld={},
        arms={},
        took_ms=services.clock() - started_ms,
        notes=[] if found else ["no earlier session of this project says anything of it"],
        sessions=[_past_view(one) for one in found],
    )


def _past_view(one: PastSession) -> PastSessionView:
    return PastSessionView(
        session_id=one.session_id,
        began_at_ms=one.began_at_ms,
        ended_at_ms=one.ended_at_ms,
        branch=one.branch,
        files=list(one.files),
        excerpts=list(one.excerpts),
        plan=one.plan,
    )


async def sync_project(services: Services, asked: SyncRequest) -> SyncReply:
    """Judge the memories of the caller's project whose files have changed."""
    project = await services.projects.find(asked.project_dir) if asked.project_dir else None
    if project is None:
        message = "this folder belongs to no project that has memories"
        raise NotFound(message)
    origin: Origin = "cli" if asked.actor == "cli" else "tool"
    wish = SyncWish(project, tuple(asked.ids), tuple(asked.files), asked.session_id, origin)
    return await sync(services.stale, wish)


def loop_desk(services: Services) -> LoopDesk:
    """Return what takes a request about loops; few sessions ever make one."""
    from hitherto_server.sessions.loop.tool import LoopDesk

    most = services.settings.loop_iterations
    return LoopDesk(services.store, services.projects, services.clock, most)


async def note_use(services: Services, asked: RecallRequest, reply: RecallReply) -> RecallReply:
    """Note what was given; a candidate that is asked for and found first becomes a memory so."""
    services.recall_counts.note(hit.id for hit in reply.hits)
    first = reply.hits[0] if reply.hits else None
    if first is not None and "candidate" in first.why:
        at_ms = services.clock()
        session = asked.session_id or f"{asked.actor} {date_of(at_ms)}"

        def job(connection: Connection) -> bool:
            return note_asked_for(connection, get_row(connection, first.id), session, at_ms)

        await services.store.writer.run(job, durable=False)
    return reply


async def perform_named(
    services: Services, operation: str, payload: dict[str, Any]
) -> dict[str, Any]:
    """Do an operation by its name, with plain values in and out: the mounted MCP's way in."""
    request = REQUESTS.get(operation)
    if request is None:
        message = f"there is no operation {operation!r}"
        raise NotFound(message)
    try:
        asked = request.model_validate(payload)
    except ValidationError as error:
        raise refusal_of(error.errors()) from error
    return (await perform(services, asked)).model_dump(mode="json")
