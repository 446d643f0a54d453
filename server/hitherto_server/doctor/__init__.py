"""Looking for faults: each finding says what was looked at, and what mends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.doctor import clients, files, running, store
from hitherto_server.doctor.finding import Finding

if TYPE_CHECKING:
    from hitherto_server.core.home import Home

__all__ = ["Finding", "examine"]


def examine(home: Home) -> list[Finding]:
    """Look at driver, files, model, server and clients, and return all findings."""
    from hitherto_server.doctor.model import model

    return [
        store.driver(),
        *files.home(home),
        store.database(home),
        store.backups(home),
        model(home),
        *running.server(home),
        *clients.connections(home),
    ]
