"""Having the data home for oneself: the server is stopped for it, and started again after it."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from hitherto_server import client
from hitherto_server.core.errors import AlreadyRunning, ServerAway
from hitherto_server.serve import owned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.core.home import Home

STOP_TIMEOUT_S = 30.0
POLL_S = 0.05


@contextmanager
def stopped_server(home: Home) -> Iterator[None]:
    """Hold the data home's lock, so that no server runs; one that ran runs again at the end."""
    ran = client.is_up(home)
    with ExitStack() as stack:
        _take(home, stack)
        yield
    if ran:
        client.ensure_server(home)


def _take(home: Home, stack: ExitStack) -> None:
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while True:
        try:
            stack.enter_context(owned(home))
        except AlreadyRunning:
            if time.monotonic() > deadline:
                raise
        else:
            return
        _ask_to_stop(home)
        time.sleep(POLL_S)


def _ask_to_stop(home: Home) -> None:
    with suppress(ServerAway):  # it is starting, or on its way out
        client.ask(home, "/v1/stop", {})
