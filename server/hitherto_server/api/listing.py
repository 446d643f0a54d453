"""The list views: recent, trash, by id, history, counts and a session's events."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from hitherto_contract import MemoriesReply, MemoriesRequest, MemoryView
from hitherto_server.core.errors import NotFound
from hitherto_server.store.memories import (
    get_row,
    list_ids,
    list_revisions,
    list_views,
    totals,
    totals_by_kind,
)
from hitherto_server.store.projects import USER_WIDE, list_projects
from hitherto_server.store.recall import list_texts
from hitherto_server.store.sessions import list_events

if TYPE_CHECKING:
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.services import Services
    from hitherto_server.standing.decide import StandingView
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.projects import Project


async def list_memories(services: Services, asked: MemoriesRequest) -> MemoriesReply:
    """Return the list that a request asks for."""
    here = await services.projects.find(asked.project_dir) if asked.project_dir else None
    lookout = services.recaller.lookout

    def job(connection: Connection) -> MemoriesReply:
        reply = _listed(connection, asked, _scopes(asked, here), services)
        return _with_standing(connection, reply, lookout, here)

    return await services.store.readers.run(job)


def _scopes(asked: MemoriesRequest, here: Project | None) -> list[int] | None:
    """Return the scopes to list; None is every project, for a caller outside of all."""
    if asked.scope == "user":
        return [USER_WIDE]
    if here is None and asked.project_dir is None:
        return None
    project = [here.number] if here else []  # a folder that was never seen has no memories
    return project if asked.scope == "project" else [*project, USER_WIDE]


def _with_standing(
    connection: Connection, reply: MemoriesReply, lookout: Lookout, here: Project | None
) -> MemoriesReply:
    """Say of each memory how far it holds."""
    newer = {get_row(connection, one.id)["number"]: one.superseded_by for one in reply.memories}
    found = _standings(connection, newer, lookout, here)
    said = [
        view.model_copy(
            update={"standing": found[number].standing, "standing_reason": found[number].reason}
        )
        for view, number in zip(reply.memories, newer, strict=True)
    ]
    return reply.model_copy(update={"memories": said})


def _standings(
    connection: Connection, newer: dict[int, str | None], lookout: Lookout, here: Project | None
) -> dict[int, StandingView]:
    """Look at each project's memories where it was seen last, or where the caller is."""
    roots = {project.number: project.root for project in list_projects(connection)}
    if here is not None:
        roots[here.number] = here.root
    texts: dict[int, list[Row]] = {}
    for row in list_texts(connection, newer).values():
        texts.setdefault(row["project"], []).append(row)
    found: dict[int, StandingView] = {}
    for project, rows in texts.items():
        found |= lookout.views(connection, rows, newer, roots.get(project))
    return found


def _get_views(connection: Connection, ids: list[str]) -> list[MemoryView]:
    views = list_views(connection, list(dict.fromkeys(ids)))
    if missing := set(ids) - {view.id for view in views}:
        message = f"no memory has the id {', '.join(sorted(missing))}"
        raise NotFound(message)
    return views


def _listed(
    connection: Connection,
    asked: MemoriesRequest,
    projects: list[int] | None,
    services: Services,
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
        case "triage":
            from hitherto_server.api.triage import list_triage  # not with every first call

            return list_triage(connection, services, projects, limit=asked.limit)
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
