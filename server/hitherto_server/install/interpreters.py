"""Which interpreter hooks run: the standard library is all they need, so it is the fastest one."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Not macOS's own /usr/bin/python3: it is older, and a dialog may open where it is only a stub.
LINUX_PLACES = ("/usr/bin/python3",)
MAC_PLACES = ("/opt/homebrew/bin/python3", "/usr/local/bin/python3")
LEAST_VERSION = (3, 11)
QUESTION = (
    "import sys, _signal, _socket, fcntl, posix, time; "
    "print(sys.implementation.name, *sys.version_info[:2])"
)
PATIENCE_S = 2.0
STARTS = 9
# Of the start that is compared with: the server's at first, later that of the choice that stands.
ENOUGH, MUCH = 0.9, 0.7


@dataclass(frozen=True)
class Choice:
    """The interpreter that hooks run, and what its start was found to take; empty if untimed."""

    interpreter: Path
    why: str = ""


def system_interpreters(server: Path) -> tuple[Path, ...]:
    """Return the interpreters of the system by their real paths, without the server's own."""
    places = MAC_PLACES if sys.platform == "darwin" else LINUX_PLACES
    found = dict.fromkeys(Path(os.path.realpath(place)) for place in places)
    own = Path(os.path.realpath(server))
    return tuple(path for path in found if path != own and path.is_file())


def choose(server: Path, others: Sequence[Path], standing: Choice | None = None) -> Choice:
    """Return the server's interpreter or a faster one; what stands yields only to a much faster."""
    fit = [path for path in others if is_trusted(path) and can_run_hooks(path)]
    if not fit or not os.access(server, os.X_OK):
        return Choice(server)
    taken_ms = start_ms([server, *fit])
    fastest = min(taken_ms, key=taken_ms.__getitem__)
    if standing is not None and standing.why and standing.interpreter in taken_ms:
        # A wide margin: two runs of the installer must not differ by what else the machine did.
        if taken_ms[fastest] > taken_ms[standing.interpreter] * MUCH:
            return standing
    elif taken_ms[fastest] > taken_ms[server] * ENOUGH:
        fastest = server
    return Choice(fastest, said_of(fastest, server, taken_ms))


def is_trusted(path: Path) -> bool:
    """Whether it is a program that nobody but root and this user can change or replace."""
    try:
        file, *folders = [place.stat() for place in (path, *path.parents)]
        is_program = stat.S_ISREG(file.st_mode) and not is_script(path)
    except OSError:
        return False
    owners = {0, os.getuid()}
    is_kept = file.st_uid in owners and not file.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return is_program and is_kept and all(keeps_others_out(f, owners) for f in folders)


def is_script(path: Path) -> bool:
    """Whether a shell or another program runs it: then it starts who knows what, and slowly."""
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def keeps_others_out(folder: os.stat_result, owners: set[int]) -> bool:
    """Whether what lies in the folder can't be replaced by others (the sticky bit sees to it)."""
    is_open = folder.st_mode & stat.S_IWOTH and not folder.st_mode & stat.S_ISVTX
    return folder.st_uid in owners and not is_open


def can_run_hooks(path: Path) -> bool:
    """Whether it answers, soon, that it is a CPython of a version and with the modules we need."""
    command = [str(path), "-I", "-S", "-c", QUESTION]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=True)
        name, major, minor = done.stdout.decode().split()
        return name == "cpython" and (int(major), int(minor)) >= LEAST_VERSION
    except (OSError, ValueError, subprocess.SubprocessError):
        return False


def start_ms(interpreters: Sequence[Path]) -> dict[Path, float]:
    """Return how long each takes to do nothing: medians, timed in turn so that noise hits all."""
    taken: dict[Path, list[float]] = {path: [] for path in interpreters}
    for _ in range(STARTS):
        for path, times in taken.items():
            times.append(one_start_ms(path))
    return {path: median(times) for path, times in taken.items()}


def one_start_ms(interpreter: Path) -> float:
    """Return how long one start takes; one that hangs is ended, and slow by that."""
    began = time.perf_counter()
    with subprocess.Popen([interpreter, "-I", "-S", "-c", "pass"], stdin=subprocess.DEVNULL) as run:
        # `wait` with a timeout would look every few milliseconds: that is what is measured here.
        alarm = threading.Timer(PATIENCE_S, run.kill)
        alarm.start()
        run.wait()
        alarm.cancel()
    return (time.perf_counter() - began) * 1000


def said_of(chosen: Path, server: Path, taken_ms: dict[Path, float]) -> str:
    """Say how the choice compares with what it was chosen over."""
    others = {path: taken for path, taken in taken_ms.items() if path != chosen}
    if chosen == server:
        return f"starts in {taken_ms[server]:.0f} ms, the system's in {min(others.values()):.0f} ms"
    return f"starts in {taken_ms[chosen]:.0f} ms, the server's in {taken_ms[server]:.0f} ms"


def compile_hooks(folder: Path, interpreter: Path) -> None:
    """Have that interpreter compile them, so that the first hook is as fast as the second."""
    command = [str(interpreter), "-I", "-S", "-m", "compileall", "-qq", "-l", str(folder)]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=5 * PATIENCE_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return  # then the first hook does it
