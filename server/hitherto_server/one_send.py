"""Head and body of a reply leave in one send: a client that waits for both wakes once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

MOST_HELD = 64 * 1024


class JoinedWrites:
    """A transport that sends what was written within one turn of the loop together."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        """Everything else is the transport's own."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Hold the data until the loop's next turn, unless it is much."""
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(data)
        self._size += len(data)
        if self._size > MOST_HELD:
            self.flush()

    def flush(self) -> None:
        """Send what is held."""
        if self._held and not self._transport.is_closing():
            self._transport.write(b"".join(self._held))
        self._held.clear()
        self._size = 0

    def close(self) -> None:
        """Close the connection after what is held."""
        self.flush()
        self._transport.close()


class OneSendProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with joined writes."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to serve a connection."""
        super().connection_made(JoinedWrites(transport, self.loop))  # type: ignore[arg-type]
