"""The list views: recent, trash, by id, history, counts and a session's events."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from hitherto_contract import MemoriesReply, MemoriesRequest, MemoryView
from hitherto_server.core.errors import NotFound
from hitherto_server.store.memories import (
    list_ids,
    list_revisions,
    list_views,
    totals,
    totals_by_kind,
)
from hitherto_server.store.projects import USER_WIDE
from hitherto_server.store.sessions import list_events

if TYPE_CHECKING:
    from hitherto_server.services import Services
    from hitherto_server.store.driver import Connection


async def list_memories(services: Services, asked: MemoriesRequest) -> MemoriesReply:
    """Return the list that a request asks for."""
    projects = await _scopes(services, asked)
    return await services.store.readers.run(lambda c: _listed(c, asked, projects))


async def _scopes(services: Services, asked: MemoriesRequest) -> list[int] | None:
    """Return the scopes to list; None is every project, for a caller outside of all."""
    if asked.scope == "user":
        return [USER_WIDE]
    if asked.project_dir is None:
        return None
    project = await services.projects.find(asked.project_dir)
    return [project.number] if asked.scope == "project" else [project.number, USER_WIDE]


def _get_views(connection: Connection, ids: list[str]) -> list[MemoryView]:
    views = list_views(connection, ids)
    if missing := set(ids) - {view.id for view in views}:
        message = f"no memory has the id {', '.join(sorted(missing))}"
        raise NotFound(message)
    return views


def _listed(
    connection: Connection, asked: MemoriesRequest, projects: list[int] | None
) -> MemoriesReply:
    match asked.view:
        case "get":
            return MemoriesReply(memories=_get_views(connection, asked.ids))
        case "history":
            revisions = [r for one in asked.ids for r in list_revisions(connection, one)]
            return MemoriesReply(revisions=revisions)
        case "stats":
            counts = {**totals(connection), "by_kind": totals_by_kind(connection)}
            return MemoriesReply(stats=counts)
        case "events":
            session_id = asked.session_id or ""
            events = list_events(connection, session_id, limit=asked.limit, offset=asked.offset)
            return MemoriesReply(events=events)
        case "recent" | "trash":
            ids, total = list_ids(
                connection,
                projects=projects,
                kind=asked.kind,
                trashed=asked.view == "trash",
                limit=asked.limit,
                offset=asked.offset,
            )
            return MemoriesReply(memories=list_views(connection, ids), total=total)
        case _:
            assert_never(asked.view)
