"""The command line's way to the server: HTTP over the data home's socket."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

from hitherto_contract import PROTOCOL, PROTOCOL_HEADER
from hitherto_server.core.errors import HithertoError, ServerAway
from hitherto_server.core.failed_start import find_failed_start
from hitherto_server.core.launch import serve_command, server_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.core.home import Home

TIMEOUT_S = 30.0
HANGS_AFTER_S = 5.0
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 15.0
OTHERS_START_S = 3.0
POLL_S = 0.02
HEADERS = {PROTOCOL_HEADER: str(PROTOCOL), "content-type": "application/json"}


class ServerSaid(HithertoError):
    """A failure that the server reported, under the server's own code."""

    def __init__(self, code: str, message: str, mend: str) -> None:
        super().__init__(message, mend=mend)
        self.said_code = code


class ServerSilent(ServerAway):
    """A server is there, but has not answered in time."""

    default_mend = "It may still be at it: see `hitherto status`."


def follow(home: Home, path: str, *, timeout_s: float) -> Iterator[dict[str, Any]]:
    """Yield each line of an answer that comes in lines; an error ends it."""
    from hitherto_server.exchange import NoAnswerError, NobodyThereError, stream

    try:
        for line in stream(str(home.socket), path, HEADERS, timeout_s=timeout_s):
            yield _checked(json.loads(line))
    except NoAnswerError as error:
        message = f"the server has not answered within {timeout_s:.0f} s"
        raise ServerSilent(message) from error
    except (NobodyThereError, ValueError) as error:
        message = f"no server answers in {home.root}"
        raise ServerAway(message) from error


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        failure = answer["error"]
        raise ServerSaid(failure["code"], failure["message"], failure["mend"])
    return answer


def ask(
    home: Home,
    path: str,
    payload: dict[str, Any] | None = None,
    *,
    timeout_s: float = TIMEOUT_S,
) -> dict[str, Any]:
    """Return the server's answer: a GET without a payload, else a POST."""
    # not before something is asked: a server that starts needs none of it
    from hitherto_server.exchange import NoAnswerError, NobodyThereError, exchange

    body = None if payload is None else json.dumps(payload)
    try:
        said = exchange(str(home.socket), path, body, HEADERS, timeout_s=timeout_s)
        answer: dict[str, Any] = json.loads(said)
    except NoAnswerError as error:
        message = f"the server has not answered within {timeout_s:.0f} s"
        raise ServerSilent(message) from error
    except (NobodyThereError, ValueError) as error:
        message = f"no server answers in {home.root}"
        raise ServerAway(message) from error
    return _checked(answer)


def is_up(home: Home) -> bool:
    """Tell whether a server answers; one that is there and silent is an error."""
    try:
        ask(home, "/health", timeout_s=HANGS_AFTER_S)
    except ServerSilent as error:
        raise ServerSilent(error.message, mend=_end_it(home)) from error
    except ServerAway:
        return False
    return True


def _end_it(home: Home) -> str:
    """Say how a server that hangs is ended, by the number that it wrote down."""
    try:
        process = int(json.loads(home.record.read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return f"It may be starting: see {home.logs / 'server.log'}."
    return f"It may be starting or stopped; to end it: `kill -9 {process}`. Nothing kept is lost."


def wait_until_gone(home: Home) -> None:
    """Wait until a server that was told to stop has given its data home back."""
    from filelock import FileLock, Timeout

    try:
        FileLock(home.lock, timeout=STOP_TIMEOUT_S, mode=0o600).acquire().lock.release()
    except Timeout as error:
        message = f"the server has not stopped within {STOP_TIMEOUT_S:.0f} s"
        raise ServerSilent(message, mend=_end_it(home)) from error


def ensure_server(home: Home) -> None:
    """Start the server detached if none answers, and wait until it does."""
    if is_up(home):
        return
    home.create()
    started = _start(home)
    begun, begun_at_s = time.monotonic(), time.time()
    deadline = begun + START_TIMEOUT_S
    while not _is_up_yet(home):
        if started.poll() is not None:
            _refuse_failed(home, begun_at_s)
            # another one may hold the data home, and be about to answer
            deadline = min(deadline, begun + OTHERS_START_S)
        if time.monotonic() > deadline:
            message = f"the server did not start within {deadline - begun:.0f} s"
            raise ServerAway(message, mend=f"See {home.logs / 'server.log'}.")
        time.sleep(POLL_S)


def away(home: Home) -> HithertoError:
    """Return what to say where no server answers: why the last start failed, if it did."""
    failed = find_failed_start(home)
    if failed is None:
        return ServerAway(f"no server answers in {home.root}")
    return ServerSaid(failed.code, f"the server cannot start: {failed.message}", failed.mend)


def _refuse_failed(home: Home, since_s: float) -> None:
    """Raise why a start has just failed."""
    failed = find_failed_start(home)
    if failed is not None and failed.at_s >= since_s:
        raise away(home)


def _is_up_yet(home: Home) -> bool:
    try:
        return is_up(home)
    except ServerSilent:  # it listens before its database is open
        return False


def _start(home: Home) -> subprocess.Popen[bytes]:
    log = os.open(home.logs / "server.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        return subprocess.Popen(
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
