"""The one place where the parts are wired."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.routing import Mount, Route

from hitherto_contract import OFTEN, build_models
from hitherto_server.api import access, hooks, replies
from hitherto_server.core.clock import now_ms
from hitherto_server.core.errors import BackupUnusable, StoreUnreadable
from hitherto_server.recall.succession import Succession
from hitherto_server.store.database import open_store
from hitherto_server.store.embedding_models import find_serving
from hitherto_server.store.restoring import finish_restore
from hitherto_server.web.later import Later
from hitherto_server.wiring import wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.home import Home
    from hitherto_server.core.settings import Settings
    from hitherto_server.services import Services
    from hitherto_server.store.database import Store


@asynccontextmanager
async def open_services(
    home: Home, settings: Settings, *, token: str, port: int, clock: Clock = now_ms
) -> AsyncIterator[Services]:
    """Open the store and start what works in the background; close both at the end."""
    # a start that fails closes too: an open connection's thread would keep the process alive
    async with AsyncExitStack() as closing:
        store = await _open_store(home, settings, clock)
        closing.push_async_callback(store.close)
        serving = await store.readers.run(find_serving)
        embedder = Succession(home.models, settings.model, serving)
        closing.callback(embedder.close)
        services = wire(home, settings, store, embedder, token=token, port=port, clock=clock)
        closing.push_async_callback(services.projects.close)
        closing.push_async_callback(services.judge.close)
        closing.push_async_callback(services.recall_counts.close)
        await services.judge.load()
        await services.passes.load()
        await services.quiet.load()
        for part in (
            services.indexer,
            services.sweep,
            services.history,
            services.miner,
            services.worth,
            services.sessions,
            services.backups,
            services.judged,
        ):
            part.start()
            closing.push_async_callback(part.close)
        yield services


async def _open_store(home: Home, settings: Settings, clock: Clock) -> Store:
    """Open the store; of a damaged one the error says which backup to restore, and how."""
    await asyncio.to_thread(finish_restore, home)
    try:
        return await open_store(
            home.database, backups=home.backups, clock=clock, readers=settings.readers
        )
    except (StoreUnreadable, BackupUnusable) as error:  # a copy is as its original
        from hitherto_server.maintenance.damage import mend_of_damage

        mend = await asyncio.to_thread(mend_of_damage, home)
        raise StoreUnreadable(error.message, mend=mend) from error


def create_app(services: Services) -> Starlette:
    """Return the application: hooks at once, API and pages a moment later, /mcp when asked for."""
    later, mcp = Later(partial(_create_later, services)), MountedMcp(services)
    app = Starlette(routes=[*hooks.ROUTES, Route("/mcp", mcp), Mount("/mcp", mcp)])
    app.router.default = later
    app.state.services = services
    app.state.load = later.load
    app.state.close = mcp.aclose
    replies.install_error_replies(app)
    app.add_middleware(access.Access, token=services.token)
    return app


def _create_later(services: Services) -> FastAPI:
    """Return API and pages; their framework takes half of a start."""
    build_models(OFTEN)
    from hitherto_server.web.pages_and_api import create

    return create(services)


class MountedMcp:
    """MCP over HTTP, imported at its first request: the SDK costs a second and 40 MB."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.app: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self.app is None:
            from hitherto_mcp.http import asgi_app
            from hitherto_server.api.operations import perform_named

            self.app = asgi_app(partial(perform_named, self.services))
        await self.app(scope, receive, send)

    async def aclose(self) -> None:
        """End what the first request started."""
        if self.app is not None:
            await self.app.aclose()
