"""Processes of `hitherto` that begin as copies of a warm one: real, but for their imports.

A parent imports what `hitherto` is made of, once, and forks for each process that a test asks for.
The copy gets the arguments, environment, folder and streams that a fresh process would get, and
ends as an interpreter ends. It saves each of a thousand processes most of its processor time.
How a process starts from nothing is for the tests that call `subprocess` themselves.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import json
import os
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HITHERTO = Path(sys.executable).with_name("hitherto")
PARENT = Path(__file__).with_name("warm_parent.py")
IS_POSSIBLE = hasattr(os, "pidfd_open") and hasattr(os, "memfd_create")
READ_AT_START = ("PYTHON", "LANG", "LC_", "COLUMNS", "TERM", "NO_COLOR", "FORCE_COLOR")
"""What is read when an interpreter or a module starts: a copy has its parent's."""
LONGEST_ARGUMENT = 100_000
"""Beyond this the kernel may refuse, which is for the kernel to do."""


def popen(command: Sequence[str | bytes], **options: Any) -> subprocess.Popen[bytes]:
    """Start a command as `subprocess.Popen` does: a copy if it is plain `hitherto`."""
    return _kind_of(command, options.get("env"))(command, **options)


def run(command: Sequence[str | bytes], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command as `subprocess.run` with `capture_output` does: a copy if it is `hitherto`."""
    given, timeout = options.pop("input", None), options.pop("timeout", None)
    if given is not None:
        options["stdin"] = subprocess.PIPE
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with popen(command, **piped, **options) as process:
        try:
            out, err = process.communicate(given, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _kind_of(
    command: Sequence[str | bytes], environ: Mapping[str, str] | None
) -> type[subprocess.Popen[bytes]]:
    arguments = [os.fsencode(argument) for argument in command]
    is_plain = arguments[0] == os.fsencode(HITHERTO) and not any(
        b"\0" in argument or len(argument) > LONGEST_ARGUMENT for argument in arguments
    )
    starts_alike = _read_at_start(os.environ) == _read_at_start(environ or os.environ)
    return Copy if IS_POSSIBLE and is_plain and starts_alike else subprocess.Popen


def _read_at_start(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(READ_AT_START)}


class Copy(subprocess.Popen[bytes]):
    """A process that a warm parent forks, with everything else that `Popen` does.

    The three methods that deal with the kernel are replaced; the standard library calls them so
    since Python 3.7.
    """

    _parent: WarmParent
    _ended: int

    def _execute_child(self, *given: Any) -> None:
        called = inspect.signature(subprocess.Popen._execute_child).bind(self, *given)  # type: ignore[attr-defined]
        asked = called.arguments
        streams = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        folder, environ = asked["cwd"], asked["env"]
        request = {
            "arguments": [os.fsdecode(argument) for argument in asked["args"]],
            "environ": dict(os.environ if environ is None else environ),
            "folder": os.fsdecode(folder or Path.cwd()),
            "begins_session": asked["start_new_session"],
        }
        self._parent = warm_parent()
        fds = [own if fd == -1 else fd for own, fd in enumerate(streams)]
        self.pid = self._parent.ask(request, fds)
        self._ended = os.pidfd_open(self.pid)
        self._child_created = True
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(asked[name] for name in pipes))  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        at_once = wait_flags & os.WNOHANG
        if not select.select([self._ended], [], [], 0 if at_once else None)[0]:
            return 0, 0
        status = self._parent.ask({"ended": self.pid}, [])
        os.close(self._ended)
        return self.pid, status

    def _internal_poll(self, **_: Any) -> int | None:
        if self.returncode is None:
            with self._waitpid_lock:  # type: ignore[attr-defined]
                if self.returncode is None:
                    pid, status = self._try_wait(os.WNOHANG)
                    if pid:
                        self._handle_exitstatus(status)  # type: ignore[attr-defined]
        return self.returncode


class WarmParent:
    """The process that imports everything and forks when it is asked to."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._one_at_a_time = threading.Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(PARENT), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def ask(self, request: Mapping[str, Any], fds: Sequence[int]) -> int:
        """Send a request with its streams, and return the number that answers it."""
        page = os.memfd_create("request")
        try:
            os.write(page, json.dumps(request).encode())
            with self._one_at_a_time:
                socket.send_fds(self._socket, [b"."], [page, *fds])
                answer = self._socket.recv(64)
        finally:
            os.close(page)
        assert answer, "the warm parent is gone"
        return int(answer)

    def end(self) -> None:
        """Let it end; what it forked lives on."""
        self._socket.close()
        self._process.wait()


@functools.cache
def warm_parent() -> WarmParent:
    """Return this process's parent of copies; it ends when this process does."""
    parent = WarmParent()
    atexit.register(parent.end)
    return parent
