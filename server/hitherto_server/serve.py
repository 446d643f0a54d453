"""Running the server: one a data home, on a unix socket and on loopback TCP."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
import os
import signal
import socket
import stat
import tempfile
from contextlib import AsyncExitStack, closing, contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from hitherto_contract import PROTOCOL, VERSION
from hitherto_server.core.clock import now_ms
from hitherto_server.core.errors import AlreadyRunning, HithertoError, StoreFull
from hitherto_server.core.failed_start import forget_failed_start
from hitherto_server.core.home import MAX_SOCKET_BYTES, Home
from hitherto_server.core.launch import serve_command_text
from hitherto_server.core.private_file import close_to_others, remove_left_behind, write_private
from hitherto_server.core.token import read_token
from hitherto_server.gates.secrets import redact
from hitherto_server.sessions.prompt.sought import patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import uvicorn
    from starlette.applications import Starlette

    from hitherto_server.core.settings import Settings

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
BACKLOG = 256
POLL_S = 0.02
GRACE_S = 3
THREADS_OF_NUMPY = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Its helpers wait by spinning: after a product of a millisecond they keep a core for many."""
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
LOG_BYTES = 5 * 1024 * 1024


def serve(home: Home, settings: Settings, *, announce: Callable[[str], None]) -> None:
    """Own the data home and serve it until told to stop; `announce` gets the UI's address."""
    home.create()
    for name in THREADS_OF_NUMPY:
        os.environ.setdefault(name, "1")
    os.umask(0o077)  # what the log's turning over or a library makes is the owner's too
    with owned(home):
        places = (home.root, home.run, home.spool, home.backups, home.logs, home.root / "bin")
        remove_left_behind(places)
        close_to_others(places)
        log_to_file(home, settings.log_level)
        try:
            asyncio.run(_serve(home, settings, announce))
        except OSError as error:
            raise _as_full(error) from error


def _as_full(error: OSError) -> Exception:
    """Return a full or read-only disk as ours; another failure is a bug."""
    if error.errno not in NO_SPACE:
        return error
    message = f"{error.filename or 'the data home'}: {error.strerror}"
    return StoreFull(message)


@contextmanager
def owned(home: Home) -> Iterator[None]:
    """Hold the data home's lock; another holder is an error."""
    lock = FileLock(home.lock, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout as error:
        message = f"a server already owns {home.root}"
        raise AlreadyRunning(message) from error
    try:
        yield
    finally:
        lock.release()


async def _serve(home: Home, settings: Settings, announce: Callable[[str], None]) -> None:
    import uvicorn

    from hitherto_server.app import create_app, open_services
    from hitherto_server.one_send import OneSendProtocol

    async with AsyncExitStack() as stack:
        unix, tcp = stack.enter_context(listening(home, settings.port))
        port = int(tcp.getsockname()[1])
        opening = open_services(home, settings, token=read_token(home), port=port)
        services = await stack.enter_async_context(opening)
        app = create_app(services)
        config = uvicorn.Config(
            app,
            http=OneSendProtocol,  # httptools: 0.3 ms a request less than h11
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
            lifespan="off",
        )
        server = uvicorn.Server(config)
        watching = asyncio.create_task(_stop_when_asked(services.stopping, server))
        # until uvicorn listens to signals; it raises one again when it is done
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, services.stopping.set)
        write_record(home, port)
        forget_failed_start(home)
        write_serve_command(home)
        log.info("serving %s on port %d", home.root, port)
        announce(services.login_url())
        rest = asyncio.create_task(_do_the_rest(server, app, home, port))
        await server.serve(sockets=[unix, tcp])
        watching.cancel()
        await rest
        await app.state.close()
    log.info("stopped")


async def _do_the_rest(server: uvicorn.Server, app: Starlette, home: Home, port: int) -> None:
    """Do what the first answers need not wait for."""
    while not (server.started or server.should_exit):  # noqa: ASYNC110 - uvicorn tells nobody
        await asyncio.sleep(POLL_S)
    await app.state.load()
    # compiled before a prompt waits for it
    await asyncio.to_thread(redact, "the api key and the token")
    await asyncio.to_thread(patterns)
    gc.freeze()  # what is loaded now stays: no collection need walk it while a hook waits
    await asyncio.to_thread(mend_registrations, home, port)


async def _stop_when_asked(stopping: asyncio.Event, server: object) -> None:
    await stopping.wait()
    server.should_exit = True  # type: ignore[attr-defined]


@contextmanager
def listening(home: Home, port: int) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Listen on the data home's socket and on loopback; at the end nothing says so any more."""
    with closing(bind_unix(home)) as unix:
        try:
            with closing(bind_tcp(port)) as tcp:
                yield unix, tcp
        finally:
            home.record.unlink(missing_ok=True)
            home.socket.unlink(missing_ok=True)


def bind_unix(home: Home) -> socket.socket:
    """Listen on the data home's socket, for the owner alone; a stale one is replaced."""
    path = _socket_path(home)
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)  # a socket is created with the mode that the umask leaves
    try:
        listening.bind(str(path))
    finally:
        os.umask(before)
    listening.listen(BACKLOG)
    return listening


def _socket_path(home: Home) -> Path:
    """Return `run/server.sock`, or a shorter place that `run/socket` names."""
    usual = home.run / "server.sock"
    if len(os.fsencode(usual)) < MAX_SOCKET_BYTES:
        home.socket_pointer.unlink(missing_ok=True)
        return usual
    if home.socket_pointer.exists() and _is_ours_alone(home.socket.parent):
        return home.socket
    short = Path(tempfile.mkdtemp(prefix="hitherto-")) / "server.sock"
    write_private(home.socket_pointer, str(short))
    return short


def _is_ours_alone(folder: Path) -> bool:
    """Tell whether nobody else can put a socket into a folder of the shared temporary one."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.getuid()
        and not stat.S_IMODE(found.st_mode) & 0o077
    )


def bind_tcp(port: int) -> socket.socket:
    """Listen on loopback; if the port is taken, on a free one."""
    for wanted in (port, 0):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, wanted))
        except OSError:
            listening.close()
            if wanted == 0:
                raise
            continue
        listening.listen(BACKLOG)
        return listening
    message = "unreachable: port 0 is free or raises"
    raise AssertionError(message)


def write_record(home: Home, port: int) -> None:
    """Say who serves: process, port, version and protocol."""
    record = {
        "pid": os.getpid(),
        "port": port,
        "version": VERSION,
        "protocol": PROTOCOL,
        "started_at_ms": now_ms(),
    }
    write_private(home.record, json.dumps(record))


def write_serve_command(home: Home) -> None:
    """Say how this server is started, one argument a line: hooks and MCP start it so."""
    write_private(home.serve_command, serve_command_text())


def mend_registrations(home: Home, port: int) -> None:
    """Mend what we registered with agents and whose interpreter or port moved; nobody else's."""
    from hitherto_server.install.registering import repair

    try:
        changes = repair(home, port=port)
    except (HithertoError, OSError) as error:
        log.warning("the registrations were not mended: %s", error)
        return
    for path in changes.written:
        log.info("mended %s", path)


class WithoutSecrets(logging.Formatter):
    """Writes a record, with what it quotes of others without its secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; what we say while all is well quotes nobody."""
        line = super().format(record)
        ours = record.levelno < logging.WARNING and record.name.startswith("hitherto_server")
        return line if ours else redact(line).text


def log_to_file(home: Home, level: str) -> None:
    """Send the log to logs/server.log, rotated, for the owner alone."""
    path = home.logs / "server.log"
    path.touch(mode=0o600)
    handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.setFormatter(WithoutSecrets("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    logging.raiseExceptions = False  # a full disk must not fill stderr as well
