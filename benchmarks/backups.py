"""What a backup costs whoever writes meanwhile, and how long backup, export and import take."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import homes
from corpus_store import provide
from harness import at_most, begin, figure, percentile, read_options, spread
from homes import ask, person, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness import Bar
    from homes import Server

MOST_SLOWER = 2.0
"""How much a write's p95 may grow while a backup is made."""
LEAST_BESIDE = 100
IMPORT_S = 600.0


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    memories: int
    rounds: int


FULL, QUICK = Size(10_000, 12), Size(1_000, 3)


class Writing:
    """Remembers one thing after another, as one agent would."""

    def __init__(self, server: Server, beside: str) -> None:
        self._server, self._beside = server, beside
        self._numbers = count()

    def once(self) -> float:
        """Return how long one `remember` took, in ms."""
        number = next(self._numbers)
        key = f"B{number * 7919}"
        content = f"Written beside {self._beside}: the cache of step {number} is keyed by {key}"
        began = time.perf_counter()
        self._server.ask("/v1/remember", {"content": content, "scope": "user"})
        return (time.perf_counter() - began) * 1000

    def while_running(self, thread: threading.Thread) -> list[float]:
        """Return how long each took until the thread ended."""
        taken: list[float] = []
        while thread.is_alive():
            taken.append(self.once())
        return taken


def main() -> None:
    """Measure a backup beside a writer, then the way of a whole store to another home."""
    options = read_options(__doc__ or "")
    size = QUICK if options.quick else FULL
    run = begin("backups", options)
    with person(options.data / "models") as who:
        provide(options.data, who, size.memories)
        with serving(who) as server:
            alone, beside, backups = _beside(server, size)
            exported, path = _export(server)
            with person(options.data / "models") as other, serving(other) as empty:
                imported = _import(empty, path)
    bars = list(_bars(alone, beside, backups, exported, imported))
    details = {
        "memories": size.memories,
        "remember alone, ms": spread(alone),
        "remember beside a backup, ms": spread(beside),
        "backup, s": spread(backups),
    }
    run.end(bars, details)


def _beside(server: Server, size: Size) -> tuple[list[float], list[float], list[float]]:
    writing = Writing(server, "a backup")
    alone: list[float] = []
    beside: list[float] = []
    backups: list[float] = []
    for number in range(-1, size.rounds):
        during, made = _one_backup(server, writing)
        quiet = [writing.once() for _ in range(max(len(during), 10))]
        if number >= 0:
            beside += during
            alone += quiet
            backups.append(made["took_ms"] / 1000)
    return alone, beside, backups


def _one_backup(server: Server, writing: Writing) -> tuple[list[float], dict[str, Any]]:
    made: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: made.append(server.ask("/v1/backup", {})))
    thread.start()
    during = writing.while_running(thread)
    thread.join()
    Path(made[0]["path"]).unlink()
    return during, made[0]


def _export(server: Server) -> tuple[float, Path]:
    began = time.perf_counter()
    made = server.ask("/v1/export", {"trashed": True})
    return time.perf_counter() - began, Path(made["path"])


def _import(server: Server, path: Path) -> dict[str, float]:
    """Take the export in and return how long it took, and how long a write waited for it."""
    name = ".import-0123456789abcdef.jsonl.part"
    path.replace(server.home.backups / name)
    done: list[float] = []
    homes.WAIT_S = IMPORT_S  # one transaction: who writes meanwhile waits for it

    def take() -> None:
        began = time.perf_counter()
        ask(server.home, "/v1/import", {"name": name})
        done.append(time.perf_counter() - began)

    thread = threading.Thread(target=take)
    thread.start()
    waits = Writing(server, "an import").while_running(thread)
    thread.join()
    return {"took_s": done[0], "longest_wait_s": max(waits, default=0.0) / 1000}


def _bars(
    alone: list[float],
    beside: list[float],
    backups: list[float],
    exported: float,
    imported: dict[str, float],
) -> Iterator[Bar]:
    slower = percentile(beside, 0.95) / percentile(alone, 0.95)
    enough = None if len(beside) >= LEAST_BESIDE else f"of {len(beside)} writes only"
    yield at_most("remember p95 beside a backup / alone", slower, "x", MOST_SLOWER, enough)
    yield figure("remember p50 beside a backup", median(beside), "ms")
    yield figure("remember p50 alone", median(alone), "ms")
    yield figure("backup, proved", median(backups), "s")
    yield figure("export", exported, "s")
    yield figure("import into an empty store", imported["took_s"], "s")
    yield figure("longest write beside that import", imported["longest_wait_s"], "s")


if __name__ == "__main__":
    main()
