"""API and pages as one application: all that can wait until the first hook was answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError

from hitherto_contract import VERSION
from hitherto_server.api import (
    background,
    backups,
    benches,
    cleaning,
    control,
    erase,
    history,
    judge,
    memories,
    replies,
    service,
    transfer,
)
from hitherto_server.web import pages, why

if TYPE_CHECKING:
    from hitherto_server.services import Services


def create(services: Services) -> FastAPI:
    """Return the application; whoever mounts it has checked who may ask."""
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
    app.state.cleaner = cleaning.make_cleaner(services)
    topics = (
        memories,
        control,
        erase,
        history,
        cleaning,
        benches,
        background,
        judge,
        backups,
        transfer,
        service,
        pages,
        why,
    )
    for topic in topics:
        app.include_router(topic.router)
    app.mount("/static", pages.static_files())
    replies.install_error_replies(app)
    app.add_exception_handler(RequestValidationError, replies.invalid)
    return app
