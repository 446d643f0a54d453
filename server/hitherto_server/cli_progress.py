"""A bar on the terminal while something takes long; on a pipe, nothing."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, ProgressColumn

LEAST_COLUMNS = 60
"""On a narrower terminal the bar itself would have no place: words and numbers alone are shown."""


class Shown(Protocol):
    """What is shown of one job; a job says by it how far it is."""

    def at(self, done: int, total: int | None = None) -> None:
        """Say how much is done, of how much where that is known."""

    def say(self, what: str) -> None:
        """Say what is being done now."""


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Shown]:
    """Show a job on stderr while the block runs: a bar where its size is known, else its time.

    Nothing is shown where stderr is no terminal, and no trace of it stays on one.
    """
    if not is_watched():
        yield _Nothing()
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(*_columns(console.width), console=console, transient=True) as bars:
        yield _Bar(bars, what, total)


def is_watched() -> bool:
    """Tell whether a person watches stderr, on a terminal that can draw a line anew."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class _Nothing:
    def at(self, done: int, total: int | None = None) -> None:
        pass

    def say(self, what: str) -> None:
        pass


class _Bar:
    def __init__(self, bars: Progress, what: str, total: int | None) -> None:
        self._bars = bars
        self._task = bars.add_task(what, total=total, count="")

    def at(self, done: int, total: int | None = None) -> None:
        size = self._bars.tasks[0].total if total is None else total
        count = f"{done:,}" if size is None else f"{done:,} of {int(size):,}"
        self._bars.update(self._task, completed=done, total=size, count=count)

    def say(self, what: str) -> None:
        self._bars.update(self._task, description=what)


def _columns(width: int) -> list[ProgressColumn]:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    bar = [BarColumn()] if width >= LEAST_COLUMNS else []
    said, count = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[count]}")
    return [said, *bar, count, TimeElapsedColumn()]
