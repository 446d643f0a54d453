"""The command line's way to the server: HTTP over the data home's socket."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

from hitherto_contract import PROTOCOL, PROTOCOL_HEADER
from hitherto_server.core.errors import HithertoError, ServerAway
from hitherto_server.core.launch import serve_command, server_environment

if TYPE_CHECKING:
    from hitherto_server.core.home import Home

TIMEOUT_S = 30.0
START_TIMEOUT_S = 10.0
OTHERS_START_S = 3.0
POLL_S = 0.02


class ServerSaid(HithertoError):
    """A failure that the server reported, under the server's own code."""

    def __init__(self, code: str, message: str, mend: str) -> None:
        super().__init__(message, mend=mend)
        self.said_code = code


def ask(
    home: Home,
    path: str,
    payload: dict[str, Any] | None = None,
    *,
    timeout_s: float = TIMEOUT_S,
) -> dict[str, Any]:
    """Return the server's answer: a GET without a payload, else a POST."""
    import httpx

    # nothing is encrypted on a socket of the owner's: reading certificates would take 60 ms
    transport = httpx.HTTPTransport(uds=str(home.socket), verify=False)
    headers = {PROTOCOL_HEADER: str(PROTOCOL), "content-type": "application/json"}
    try:
        with httpx.Client(
            transport=transport, base_url="http://hitherto", headers=headers, timeout=timeout_s
        ) as client:
            body = None if payload is None else json.dumps(payload)
            reply = client.request("GET" if payload is None else "POST", path, content=body)
            answer: dict[str, Any] = reply.json()
    except httpx.ReadTimeout as error:
        message = f"the server has not answered within {timeout_s:.0f} s"
        raise ServerAway(message, mend="It may still be at it: see `hitherto status`.") from error
    except (httpx.TransportError, ValueError) as error:
        message = f"no server answers in {home.root}"
        raise ServerAway(message) from error
    if "error" in answer:
        said = answer["error"]
        raise ServerSaid(said["code"], said["message"], said["mend"])
    return answer


def is_up(home: Home) -> bool:
    """Tell whether a server answers."""
    try:
        ask(home, "/health")
    except ServerAway:
        return False
    return True


def ensure_server(home: Home) -> None:
    """Start the server detached if none answers, and wait until it does."""
    if is_up(home):
        return
    home.create()
    log = os.open(home.logs / "server.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        started = subprocess.Popen(
            serve_command(),
            cwd=home.root,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=server_environment(os.environ, home.root),
        )
    finally:
        os.close(log)
    begun = time.monotonic()
    deadline = begun + START_TIMEOUT_S
    while not is_up(home):
        if started.poll() is not None:
            # another one may hold the data home, and be about to answer
            deadline = min(deadline, begun + OTHERS_START_S)
        if time.monotonic() > deadline:
            message = f"the server did not start within {deadline - begun:.0f} s"
            raise ServerAway(message, mend=f"See {home.logs / 'server.log'}.")
        time.sleep(POLL_S)
