"""API and pages as one application: all that can wait until the first hook was answered."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError

from hitherto_contract import SELDOM, VERSION, build_models
from hitherto_server.api import (
    backups,
    control,
    erase,
    history,
    memories,
    replies,
    service,
)
from hitherto_server.web import pages, why
from hitherto_server.web.later import Later

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapi import APIRouter

    from hitherto_server.services import Services


def create(services: Services) -> FastAPI:
    """Return the application; whoever mounts it has checked who may ask.

    What it doesn't know goes to what is asked for seldom: no agent's first call waits for that.
    """
    topics = (memories, control, erase, history, backups, service, pages, why)
    app = _application(services, (topic.router for topic in topics))
    app.mount("/static", pages.static_files())
    app.state.seldom = Later(partial(_create_seldom, services))
    app.router.default = app.state.seldom
    return app


def _create_seldom(services: Services) -> FastAPI:
    """Return the routes that only a person asks for, and now and then."""
    build_models(SELDOM)
    from hitherto_server.api import background, benches, cleaning, judge, loops, transfer, worth

    topics = (cleaning, benches, background, judge, loops, transfer, worth)
    app = _application(services, (topic.router for topic in topics))
    app.state.cleaner = cleaning.make_cleaner(services)
    return app


def _application(services: Services, routers: Iterable[APIRouter]) -> FastAPI:
    app = FastAPI(
        title="Hitherto",
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        # FastAPI makes spans of its own, and the environment could have them sent somewhere
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.services = services
    for router in routers:
        app.include_router(router)
    replies.install_error_replies(app)
    app.add_exception_handler(RequestValidationError, replies.invalid)
    return app
