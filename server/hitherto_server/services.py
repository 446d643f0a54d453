"""What is wired: the parts of one running server, each made once."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from hitherto_server.benches.passes import Passes
    from hitherto_server.core.clock import Clock
    from hitherto_server.core.home import Home
    from hitherto_server.core.settings import Settings
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.history.importer import Importer
    from hitherto_server.history.mining import Miner
    from hitherto_server.judge.client import Judge
    from hitherto_server.maintenance.backups import Backups
    from hitherto_server.maintenance.indexer import Indexer
    from hitherto_server.maintenance.judged_work import JudgedWork
    from hitherto_server.maintenance.recall_counts import RecallCounts
    from hitherto_server.maintenance.sweep import Sweep
    from hitherto_server.recall.pipeline import Recaller
    from hitherto_server.recall.staleness import StaleJudge
    from hitherto_server.recall.succession import Succession
    from hitherto_server.sessions.control.quiet import Quiet
    from hitherto_server.sessions.desk import SessionDesk
    from hitherto_server.sessions.worth.keeper import WorthKeeper
    from hitherto_server.store.database import Store
    from hitherto_server.store.projects import Projects

LOGIN_CODE_MS = 15 * 60 * 1000
MAX_LOGIN_CODES = 20


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
    embedder: Succession
    indexer: Indexer
    sweep: Sweep
    recaller: Recaller
    stale: StaleJudge
    sessions: SessionDesk
    quiet: Quiet
    history: Importer
    miner: Miner
    worth: WorthKeeper
    backups: Backups
    judge: Judge
    passes: Passes
    judged: JudgedWork
    recall_counts: RecallCounts
    wake_model: Callable[[], None]
    """Load the embedding model in the background, if it is not loaded yet."""
    stopping: asyncio.Event
    token: str
    port: int
    login_codes: dict[str, int] = field(default_factory=dict)
    """One-time codes of the settings UI, with the time (UTC ms) when they end."""

    @property
    def url(self) -> str:
        """The address of the settings UI, without a login."""
        return f"http://127.0.0.1:{self.port}/"

    def login_url(self) -> str:
        """Make an address of the settings UI that logs in once."""
        while len(self.login_codes) >= MAX_LOGIN_CODES:
            self.login_codes.pop(next(iter(self.login_codes)))
        code = secrets.token_urlsafe(16)
        self.login_codes[code] = self.clock() + LOGIN_CODE_MS
        return f"{self.url}login?code={code}"

    def takes_login_code(self, code: str) -> bool:
        """Use up a one-time code; False if it is unknown, used or too old."""
        ends_at_ms = self.login_codes.pop(code, 0)
        return self.clock() < ends_at_ms
