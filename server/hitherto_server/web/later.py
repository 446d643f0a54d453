"""Parts of the application that are imported when somebody asks for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send


@dataclass
class Later:
    """An application that its first request makes, on a thread: its imports take their time."""

    make: Callable[[], FastAPI]
    loading: asyncio.Future[FastAPI] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        app = await self.load()
        await app(scope, receive, send)

    async def load(self) -> FastAPI:
        """Return the application; the first call makes it."""
        if self.loading is None:
            self.loading = asyncio.ensure_future(asyncio.to_thread(self.make))
        return await asyncio.shield(self.loading)
