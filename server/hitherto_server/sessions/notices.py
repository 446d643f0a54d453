"""Telling a session, once, that what it was given no longer holds as it was given."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.recall.news import find_news, line_of, notice_of
from hitherto_server.sessions.moments import is_late
from hitherto_server.store.notices import tell, untell
from hitherto_server.store.shown import is_silenced, note_shown, take_back_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.recall.news import News
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.store.driver import Connection

log = logging.getLogger(__name__)

AFTER_TOOLS = frozenset({"PostToolUse", "PostToolUseFailure"})


def tells_of_files(call: HookCall) -> bool:
    """Tell whether files may have changed, and the session's own model hears the answer."""
    # what a sub-agent hears stays with it, and the memories were given to its parent
    return call.event in AFTER_TOOLS and not call.spooled and not call.text("agent_id")


async def with_news(tools: Tools, call: HookCall, reply: Reply, *, unasked: bool = False) -> Reply:
    """Add the session's news to a reply, if there are any; `unasked` looks without a hint."""
    if not tools.settings.notices or not (unasked or call.session_id in tools.has_news):
        return reply
    tools.has_news.discard(call.session_id)
    try:
        told = await _told(tools, call)
    except HithertoError as error:  # the ledger holds already what the reply gives
        log.warning("%s of %s brings no notice: %s", call.event, call.session_id, error)
        return reply
    return _joined(call, reply, told) if told else reply


async def _told(tools: Tools, call: HookCall) -> tuple[News, ...]:
    """Find the session's news and note that it is told; nothing where time is short."""
    project = await tools.projects.find(call.folder) if call.folder else None
    if project is None:
        return ()
    find = partial(
        find_news,
        session=call.session_id,
        lookout=tools.recaller.lookout,
        project=project.number,
        root=project.root,
        most=tools.settings.notices,
    )
    news = await tools.store.readers.run(lambda c: _heard(c, find(c), project.number))
    if not news or not _has_time(tools, call):
        return ()
    # as with the ledger: a power cut ends the session too, and with it what it was told
    told = await tools.store.writer.run(
        lambda c: _tell(c, call.session_id, news, tools.clock()), durable=False
    )
    if told and is_late(tools, call):
        at_ms = tools.clock()
        await tools.store.writer.run(lambda c: _untell(c, call.session_id, told, at_ms))
        return ()
    return told


def _has_time(tools: Tools, call: HookCall) -> bool:
    """Tell whether half of the time is left; else the next event brings the news."""
    if call.deadline_ms is None or tools.clock() - call.at_ms <= call.deadline_ms / 2:
        return True
    tools.has_news.add(call.session_id)
    return False


def _heard(connection: Connection, news: Sequence[News], project: int) -> tuple[News, ...]:
    """Leave out what is of a kind, or of a standing, that is usually wrong."""
    kinds = {kind for one in news for kind in _kinds_of(one)}
    silent = {kind for kind in kinds if is_silenced(connection, kind, project)}
    return tuple(one for one in news if not silent.intersection(_kinds_of(one)))


def _kinds_of(news: News) -> tuple[str, str]:
    """Return as what a notice is counted, and the standing that it speaks of."""
    kind = f"notice:{news.standing}" if news.was_given else "notice:judged-stale"
    return kind, f"standing:{news.standing}"


def _tell(
    connection: Connection, session: str, news: Sequence[News], at_ms: int
) -> tuple[News, ...]:
    told = tuple(
        one for one in news if tell(connection, session, one.id, standing=one.standing, at_ms=at_ms)
    )
    for one in told:
        note_shown(connection, _kinds_of(one)[0], session, one.id, at_ms=at_ms)
    return told


def _untell(connection: Connection, session: str, news: Sequence[News], at_ms: int) -> None:
    for one in news:
        take_back_shown(connection, _kinds_of(one)[0], session, one.id)
        untell(connection, session, one.id, judged_at_ms=at_ms if one.was_judged else None)


def _joined(call: HookCall, reply: Reply, news: Sequence[News]) -> Reply:
    said = reply or {}
    context = said.get("hookSpecificOutput", {}).get("additionalContext", "")
    lines = [line for line in (said.get("systemMessage"), f"Hitherto: {line_of(news)}") if line]
    return {
        **said,
        "systemMessage": "; ".join(lines),
        "hookSpecificOutput": {
            "hookEventName": call.event,
            "additionalContext": "\n".join(filter(None, (context, notice_of(news)))),
        },
    }
