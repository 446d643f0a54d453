"""Imports what `hitherto` is made of, and becomes a process of it whenever it is asked to."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGES = ("hitherto_contract", "hitherto_server", "hitherto_migrations")
BESIDES = ("numpy", "onnxruntime", "tokenizers", "uvicorn.protocols.http.httptools_impl")
LEFT_OUT = "export"
"""It needs torch, which few have."""


def import_all() -> None:
    """Import every module of ours, and with them what they use."""
    for package in PACKAGES:
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            if module.name.rpartition(".")[2] != LEFT_OUT:
                importlib.import_module(module.name)
    for name in BESIDES:
        importlib.import_module(name)


def serve(asking: socket.socket) -> list[str]:
    """Fork for each request; return in the copy, with its arguments."""
    while True:
        _, fds, *_ = socket.recv_fds(asking, 1, 4)
        if not fds:
            os._exit(0)
        request = read(fds[0])
        if "ended" in request:
            answer = os.waitpid(request["ended"], 0)[1]
        elif (answer := os.fork()) == 0:
            asking.close()
            return become(request, fds[1:])
        for fd in fds:
            os.close(fd)
        asking.send(str(answer).encode())


def read(page: int) -> Any:
    """Return the request that a memory file holds."""
    os.lseek(page, 0, os.SEEK_SET)
    with os.fdopen(page, closefd=False) as file:
        return json.load(file)


def become(request: Any, streams: list[int]) -> list[str]:
    """Take on what a fresh process would be given, and return the arguments."""
    for own, stream in enumerate(streams):
        os.dup2(stream, own)
    renew_streams()
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if request["begins_session"]:
        os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environ"])
    arguments: list[str] = request["arguments"]
    return arguments


def renew_streams() -> None:
    """Open the three streams anew: what the old ones are like was found at the parent's start."""
    stdin, stdout, stderr = (os.fdopen(fd, mode, closefd=False) for fd, mode in enumerate("rww"))
    stderr.reconfigure(line_buffering=True, errors="backslashreplace")
    sys.stdin = sys.__stdin__ = stdin
    sys.stdout = sys.__stdout__ = stdout
    sys.stderr = sys.__stderr__ = stderr


def end_with(main: Callable[[], None]) -> NoReturn:
    """Run a program and end as an interpreter does, but for freeing each object by itself."""
    try:
        main()
        code: Any = 0
    except SystemExit as said:
        code = said.code
    except BaseException:  # noqa: BLE001 - told as an interpreter tells it
        with suppress(OSError):
            traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    if isinstance(code, str):
        with suppress(OSError):
            sys.stderr.write(f"{code}\n")
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    import_all()
    gc.freeze()
    sys.argv = serve(socket.socket(fileno=int(sys.argv[1])))
    from hitherto_server.__main__ import main

    end_with(main)
