"""The page that explains the last admission, where a memory can be marked as wrong."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from hitherto_server.api.memories import Wired
from hitherto_server.core.clock import minute_of
from hitherto_server.recall.why import explain_last
from hitherto_server.web.pages import templates

MOST_NAME_CHARS = 200

router = APIRouter()


@router.get("/why")
async def why(services: Wired, session: str = "") -> HTMLResponse:
    """Show what was injected last, in a session or in any, and what was not."""
    named = session.replace("\x00", "").strip()[:MOST_NAME_CHARS] or None
    floor = services.settings.injection_floor
    reply = await services.store.readers.run(lambda c: explain_last(c, named, floor=floor))
    at = "" if reply.at_ms is None else minute_of(reply.at_ms)
    page = templates().get_template("why.html")
    return HTMLResponse(page.render(reply=reply, at=at, minute_of=minute_of))
