"""The server: whether one answers, of which version, where, and what it lost."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from hitherto_contract import PROTOCOL, VERSION
from hitherto_server import client
from hitherto_server.core.errors import HithertoError
from hitherto_server.core.failed_start import find_failed_start
from hitherto_server.core.settings import load_settings
from hitherto_server.doctor.finding import Finding, fault, unusable, well
from hitherto_server.doctor.judging import judge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.core.home import Home

RESTART = "Run `hitherto stop`, then `hitherto serve`."


def server(home: Home) -> Iterator[Finding]:
    """Look at the server, and ask it how it is."""
    try:
        if not client.is_up(home):
            yield _away(home)
            yield _port_of_nobody()
            return
        status = client.ask(home, "/v1/status")
        quiet = client.ask(home, "/v1/quiet")["quiet"]
        jobs = client.ask(home, "/v1/jobs") if status["version"] == VERSION else None
        judged = client.ask(home, "/v1/judge")
    except HithertoError as error:
        yield unusable("server", error)
        return
    yield _version(status)
    yield _port(status)
    yield _losses(status)
    yield _pauses(quiet)
    if jobs is not None:  # an older server has none
        yield _jobs(jobs)
    yield judge(judged)


def _away(home: Home) -> Finding:
    if find_failed_start(home) is not None:
        return unusable("server", client.away(home))
    start = "Start it with `hitherto serve`; the next session does, too."
    if home.socket.exists():
        said = f"it was killed: {home.socket} is left over and nobody listens"
        return fault("server", said, f"{start} What was acknowledged is on the disk.")
    return fault("server", f"no server answers in {home.root}", start)


def _version(status: dict[str, Any]) -> Finding:
    if status["version"] != VERSION or status["protocol"] != PROTOCOL:
        said = f"the server runs version {status['version']}, this command is {VERSION}"
        return fault("server", said, RESTART)
    return well("server", f"version {VERSION}, process {status['pid']}")


def _wanted_port() -> int:
    try:
        return load_settings().port
    except HithertoError:  # which is the model's finding
        return 0


def _port(status: dict[str, Any]) -> Finding:
    wanted, url = _wanted_port(), str(status["url"])
    if not wanted or url.rstrip("/").endswith(f":{wanted}"):
        return well("port", f"the pages are at {url}")
    said = f"{wanted} was taken when the server began; the pages are at {url}"
    return fault("port", said, f"End what has {wanted}, or set HITHERTO_PORT. {RESTART}")


def _port_of_nobody() -> Finding:
    wanted = _wanted_port()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind(("127.0.0.1", wanted))
        except OSError:
            said = f"another program has {wanted}: the pages would get another one"
            return fault("port", said, f"End what has {wanted}, or set HITHERTO_PORT.")
    return well("port", f"{wanted} is free" if wanted else "any that is free")


def _losses(status: dict[str, Any]) -> Finding:
    lost, dropped = status["lost_writes"], status["spool"]["dropped"]
    if status["damage"]:
        said = f"the database is damaged, nothing more is written: {status['damage']}"
        return fault("losses", said, "See the finding on the database.")
    if lost:
        mend = "See logs/server.log for the reason, and whether the disk is full."
        return fault("losses", f"{lost} writes were refused by the database", mend)
    if dropped:
        mend = "Keep the server running: it takes the spool in."
        said = f"{dropped} hook events were dropped: the spool or the disk was full"
        return fault("losses", said, mend)
    return well("losses", "nothing was lost")


def _pauses(quiet: list[dict[str, Any]]) -> Finding:
    named = [f"{one['kind']} {one['path'] or 'session ' + one['session_id']}" for one in quiet]
    return well("pauses", ", ".join(named) or "nothing is paused or ignored")


def _jobs(jobs: dict[str, Any]) -> Finding:
    failed = jobs["failed"]
    if failed:
        latest = f"{failed[0]['kind']} of {failed[0]['subject']}: {failed[0]['failure']}"
        said = f"{len(failed)} judgments in the background failed for good, the latest {latest}"
        return fault("judged work", said, "Run `hitherto judge jobs --retry`.")
    states = [state for states in jobs["counts"].values() for state in states.items()]
    waiting = sum(count for state, count in states if state in {"waiting", "leased"})
    return well("judged work", f"{waiting} wait" if waiting else "nothing waits, nothing failed")
