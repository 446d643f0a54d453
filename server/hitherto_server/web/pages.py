"""The settings UI's first pages: how the server is, and a search over memories."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from hitherto_contract import MemoriesRequest, RecallRequest
from hitherto_contract.recall import MAX_QUERY_CHARS
from hitherto_server.api.access import COOKIE
from hitherto_server.api.listing import list_memories
from hitherto_server.api.memories import Wired
from hitherto_server.api.operations import recall
from hitherto_server.api.service import status_of
from hitherto_server.core.clock import date_of
from hitherto_server.core.errors import Unauthorized
from hitherto_server.core.login import PASS_MS, make_pass
from hitherto_server.store.projects import USER_WIDE, list_projects

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
RESULTS = 20

router = APIRouter()


def static_files() -> StaticFiles:
    """Serve the style sheet that the wheel carries."""
    return StaticFiles(directory=HERE / "static")


@router.get("/login")
async def login(services: Wired, code: str = "") -> Response:
    """Turn a one-time code into a cookie."""
    if not services.takes_login_code(code):
        message = "this login address was used already, or is too old"
        raise Unauthorized(message, mend="Run `hitherto status` for a new one.")
    response = RedirectResponse("/", status_code=303)
    passing = make_pass(services.token, services.clock())
    response.set_cookie(COOKIE, passing, PASS_MS // 1000, httponly=True, samesite="strict")
    return response


@router.get("/")
async def overview(services: Wired, q: str = "", project: int = USER_WIDE) -> HTMLResponse:
    """Show how the server is, and what a search finds; without one, what is newest."""
    projects = await services.store.readers.run(list_projects)
    chosen = next((one for one in projects if one.number == project), None)
    if chosen is None and projects and q:
        chosen = projects[0]
    query = q.replace("\x00", "").strip()[:MAX_QUERY_CHARS]
    found: dict[str, Any] = {"query": query, "projects": projects, "chosen": chosen}
    if query:
        asked = RecallRequest(query=query, limit=RESULTS)
        found["reply"] = await recall(services, asked, chosen)
    else:
        found["recent"] = await list_memories(services, MemoriesRequest(limit=RESULTS))
    page = templates().get_template("overview.html")
    return HTMLResponse(page.render(status=await status_of(services), **found))


@cache
def templates() -> Environment:
    """Return the template environment; jinja2 is imported at the first page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters["date"] = date_of
    return environment
