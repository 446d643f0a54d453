"""One request over the data home's socket, with one deadline; imported when something is asked."""

from __future__ import annotations

import socket
import threading
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CONNECT_TIMEOUT_S = 2.0


class NobodyThereError(Exception):
    """Nobody listens, or who listens speaks no HTTP."""


class NoAnswerError(Exception):
    """The deadline has passed."""


def exchange(
    path: str, target: str, body: str | None, headers: Mapping[str, str], *, timeout_s: float
) -> bytes:
    """Return the body of the answer: of a GET without a body, else of a POST."""
    connection = _SocketConnection(path, timeout_s)
    try:
        with closing(connection):
            connection.request("GET" if body is None else "POST", target, body, dict(headers))
            return connection.getresponse().read()
    except (OSError, HTTPException) as error:
        if connection.has_given_up:
            raise NoAnswerError from error
        raise NobodyThereError from error


def stream(
    path: str, target: str, headers: Mapping[str, str], *, timeout_s: float
) -> Iterator[bytes]:
    """Yield the lines of the answer to a GET as they come; whoever stops listening hangs up."""
    connection = _SocketConnection(path, timeout_s)
    try:
        with closing(connection):
            connection.request("GET", target, headers=dict(headers))
            yield from connection.getresponse()
    except (OSError, HTTPException) as error:
        if connection.has_given_up:
            raise NoAnswerError from error
        raise NobodyThereError from error


class _SocketConnection(HTTPConnection):
    """HTTP over a unix socket, ended as a whole when its time is over."""

    def __init__(self, path: str, timeout_s: float) -> None:
        super().__init__("hitherto")
        self._path = path
        self._timer = threading.Timer(timeout_s, self._give_up)
        self._timer.daemon = True
        self.has_given_up = False

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(CONNECT_TIMEOUT_S)
        self.sock.connect(self._path)
        self.sock.settimeout(None)
        self._timer.start()

    def _give_up(self) -> None:
        self.has_given_up = True
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)  # whoever reads now reads the end

    def close(self) -> None:
        self._timer.cancel()
        super().close()
