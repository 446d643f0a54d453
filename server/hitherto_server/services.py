"""What is wired: the parts of one running server, each made once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.home import Home
    from hitherto_server.core.settings import Settings
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.maintenance.indexer import Indexer
    from hitherto_server.recall.embedder import Embedder
    from hitherto_server.recall.pipeline import Recaller
    from hitherto_server.sessions.desk import SessionDesk
    from hitherto_server.store.database import Store
    from hitherto_server.store.projects import Projects


@dataclass(frozen=True)
class Services:
    """All that a request may need."""

    home: Home
    settings: Settings
    clock: Clock
    started_at_ms: int
    store: Store
    projects: Projects
    writes: WriteContext
    embedder: Embedder
    indexer: Indexer
    recaller: Recaller
    sessions: SessionDesk
    stopping: asyncio.Event
    login_codes: dict[str, int] = field(default_factory=dict)
    """One-time codes of the settings UI, with the time (UTC ms) when they end."""
    token: str = ""
    port: int | None = None
