"""How long a warm recall and a durable `remember` take, in stores of every size, beside a peer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any

import peer_mcp_memory as peers
from corpus import questions
from corpus_store import REAL_VECTORS, export, provide, recipe
from harness import (
    SEED,
    Bar,
    at_least,
    at_most,
    begin,
    figure,
    percentile,
    read_options,
    spread,
    unmeasured,
)
from homes import person, serving
from peer_claude_mem import PeerMissing
from seeds import PROJECTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness import Options
    from homes import Person, Server

LIMITS = {10_000: 12.0, 100_000: 20.0, 1_000_000: 60.0}
"""What a recall within a project may take at p95, in ms."""
WARM_UP = 20
BLOCK = 20
"""So many questions while the machine is quiet, then as many while one core is busy."""
SPINS = [sys.executable, "-I", "-S", "-c", "while True: pass"]
PEER = "mcp-memory-service"
OWN_STORE = "project1"
LIKE = (("own storage", "in the server"), ("over HTTP", "over the socket"))
"""What of the peer is compared with what of ours."""


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...]
    blocks: int
    remembered: int
    compared_at: int
    """With so many memories `remember` and the peer are measured too."""


FULL = Plan((1_000, 10_000, 100_000), 10, 200, 10_000)
HUGE = Plan((1_000, 10_000, 100_000, 1_000_000), 10, 200, 10_000)
QUICK = Plan((1_000, 2_000), 2, 20, 2_000)


@dataclass
class Asker:
    """Asks the server over its socket, a connection a request."""

    server: Server
    project: Path
    took_ms: float = 0.0
    written: Iterator[int] = field(default_factory=count)

    def recall(self, query: str) -> float:
        """Recall; returns the caller's wall time and keeps the server's own."""
        began = time.perf_counter()
        reply = self.server.ask("/v1/recall", self.placed(query=query))
        taken = (time.perf_counter() - began) * 1000
        if reply["arms"]["passages"] != "ok":
            message = f"the passages were not asked: {reply['arms']}"
            raise RuntimeError(message)
        self.took_ms = reply["took_ms"]
        return taken

    def remember(self) -> float:
        """Remember something new; returns the caller's wall time."""
        name = os.urandom(4).hex()
        content = f"Decision {next(self.written)}: export job {name} writes to a folder of its own."
        payload = self.placed(content=content, files=["src/exports.py"])
        began = time.perf_counter()
        reply = self.server.ask("/v1/remember", payload)
        taken = (time.perf_counter() - began) * 1000
        if reply["outcome"] != "stored":
            message = f"not stored: {reply}"
            raise RuntimeError(message)
        self.embedded()
        return taken

    def embedded(self) -> None:
        """Wait until what was remembered has its vector, so that nothing competes with that."""
        while self.server.ask("/v1/status")["pending"].get("embeddings", 1):
            time.sleep(0.005)

    def placed(self, **fields: Any) -> dict[str, Any]:
        """Return a request from the project in question."""
        return {"project_dir": str(self.project), **fields}


Work = Callable[[str], dict[str, float]]
Works = dict[str, Work]
Taken = dict[tuple[str, bool], list[float]]
"""Times by what was timed, and whether a core was busy meanwhile."""


@contextmanager
def busy_core() -> Iterator[Callable[[bool], None]]:
    """Lend a switch that keeps one core busy, or leaves it alone."""
    process = subprocess.Popen(SPINS)
    process.send_signal(signal.SIGSTOP)

    def switch(on: bool) -> None:  # noqa: FBT001 - a switch
        process.send_signal(signal.SIGCONT if on else signal.SIGSTOP)

    try:
        yield switch
    finally:
        process.kill()
        process.wait()


def in_turn(works: Works, blocks: int) -> Taken:
    """Ask all the same questions in turn, quiet and busy by blocks; no question twice."""
    asked = iter(questions(SEED + 1, WARM_UP + 2 * blocks * BLOCK))
    for _ in range(WARM_UP):
        query = next(asked)
        for work in works.values():
            work(query)
    taken: Taken = {}
    with busy_core() as switch:
        for number in range(2 * blocks):
            is_busy = bool(number % 2)
            switch(is_busy)
            for place in range(BLOCK):
                query = next(asked)
                for name in _turned(list(works), place):
                    for part, value in works[name](query).items():
                        taken.setdefault((part, is_busy), []).append(value)
    return taken


def _turned(names: list[str], place: int) -> list[str]:
    turn = place % len(names)
    return names[turn:] + names[:turn]


def ours(asker: Asker) -> Works:
    """Return our recall as something to time."""

    def recall(query: str) -> dict[str, float]:
        over_socket = asker.recall(query)
        return {"in the server": asker.took_ms, "over the socket": over_socket}

    return {"ours": recall}


def compared(stack: ExitStack, who: Person, options: Options, size: int) -> Works:
    """Run the peer with the same memories, as its own storage class and as its HTTP server."""
    peer = peers.install(options.data)
    home = who.folder / "peer"
    home.mkdir()
    peers.give_graph(peer, home)
    database = peers.seeded(
        peer, options.data, home, partial(export, who.home.database), f"{size}-{recipe()}"
    )
    works: Works = {}
    for engine in peers.ENGINES:
        side = stack.enter_context(peers.storage(peer, home, database, engine))
        side.check(engine)
        works[f"{PEER} {engine}"] = _timed(f"own storage, {engine}", side.recall_ms)
    for engine in peers.ENGINES:
        server = stack.enter_context(peers.web(peer, home, database, engine))
        works[f"{PEER} HTTP {engine}"] = _timed(f"over HTTP, {engine}", server.recall_ms)
    return works


def _timed(part: str, ask: Callable[[str, str], float]) -> Work:
    return lambda query: {part: ask(query, OWN_STORE)}


@dataclass
class Measured:
    """What was measured with one size of store."""

    taken: Taken
    remembered: list[float]
    disk: list[float]
    no_peer: str | None


def measure(options: Options, plan: Plan, size: int) -> Measured:
    """Make or copy a store, serve it, and time recalls, and where it is asked the rest."""
    with ExitStack() as stack:
        who = stack.enter_context(person(options.data / "models"))
        project = provide(options.data, who, size)
        works: Works = {}
        no_peer = None
        if size == plan.compared_at:
            works, no_peer = with_peer(stack, who, options, size)
        server = stack.enter_context(serving(who))
        server.load_model(project)
        asker = Asker(server, project)
        taken = in_turn({**ours(asker), **works}, plan.blocks)
        count = plan.remembered if size == plan.compared_at else 0
        remembered = [asker.remember() for _ in range(count)]
        return Measured(taken, remembered, fsync_ms(who.folder, count), no_peer)


def with_peer(
    stack: ExitStack, who: Person, options: Options, size: int
) -> tuple[Works, str | None]:
    """Return the peer's recalls, or why there are none."""
    if options.peer not in {None, PEER}:
        return {}, f"--peer {options.peer}"
    try:
        return compared(stack, who, options, size), None
    except PeerMissing as error:
        return {}, str(error)


def fsync_ms(folder: Path, rounds: int) -> list[float]:
    """Return what this disk takes to make one page durable: no `remember` can be faster."""
    taken = []
    with (folder / "fsync").open("wb") as file:
        for _ in range(rounds):
            file.write(b"x" * 4096)
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - began) * 1000)
    return taken


def recall_bars(size: int, taken: Taken) -> list[Bar]:
    """Put our recall in one size of store beside what it has to reach."""
    at = f"at {size:,}"
    server, socket = taken["in the server", False], taken["over the socket", False]
    slow = percentile(server, 0.95)
    name = f"recall in the server {at}, p95"
    limit = LIMITS.get(size)
    return [
        figure(name, slow, "ms") if limit is None else at_most(name, slow, "ms", limit),
        figure(f"recall in the server {at}, p50", median(server), "ms"),
        figure(f"recall over the socket {at}, p50", median(socket), "ms"),
        figure(f"recall over the socket {at}, p95", percentile(socket, 0.95), "ms"),
        figure(
            f"recall in the server {at}, one core busy, p95",
            percentile(taken["in the server", True], 0.95),
            "ms",
        ),
    ]


def remember_bars(size: int, found: Measured) -> list[Bar]:
    """Put `remember` beside what it has to reach."""
    at = f"at {size:,}"
    return [
        at_most(f"remember over the socket {at}, p50", median(found.remembered), "ms", 25),
        figure(f"remember over the socket {at}, p95", percentile(found.remembered, 0.95), "ms"),
        figure("fsync of a page on this disk, p50", median(found.disk), "ms"),
    ]


def peer_bars(size: int, found: Measured) -> list[Bar]:
    """Put the peer's faster engine beside ours, quiet for the bar and busy for scale."""
    bars = []
    for theirs, own in LIKE:
        name = f"{PEER} {theirs} against ours {own} at {size:,}, p50"
        parts = {part for part, _ in found.taken if part.startswith(theirs)}
        if not parts:
            bars.append(unmeasured(name, "x", ">= 3", found.no_peer or "not asked for"))
            continue
        for is_busy in (False, True):
            best, part = min((median(found.taken[part, is_busy]), part) for part in parts)
            ratio = best / median(found.taken[own, is_busy])
            note = f"{part}: {best:.1f} ms"
            bars.append(
                figure(f"{name}, one core busy", ratio, "x", note)
                if is_busy
                else at_least(name, ratio, "x", 3, note)
            )
    return bars


def bars_of(plan: Plan, measured: dict[int, Measured]) -> list[Bar]:
    """Return every bar, and what was not measured with its reason."""
    bars = [bar for size, found in measured.items() for bar in recall_bars(size, found.taken)]
    bars += remember_bars(plan.compared_at, measured[plan.compared_at])
    bars += peer_bars(plan.compared_at, measured[plan.compared_at])
    for size, limit in LIMITS.items():
        if size not in measured:
            name = f"recall in the server at {size:,}, p95"
            reason = "a quick run" if plan is QUICK else "measured with --full"
            bars.append(unmeasured(name, "ms", f"<= {limit:g}", reason))
    return bars


def details_of(plan: Plan, measured: dict[int, Measured]) -> dict[str, Any]:
    """Return every distribution, and how it came about."""
    return {
        "projects": PROJECTS,
        "questions": 2 * plan.blocks * BLOCK,
        "really_embedded": REAL_VECTORS,
        "recall_ms": {
            str(size): {
                f"{part}{', one core busy' if is_busy else ''}": spread(values)
                for (part, is_busy), values in sorted(found.taken.items())
            }
            for size, found in measured.items()
        },
        "remember_ms": spread(measured[plan.compared_at].remembered),
        "fsync_of_a_page_ms": spread(measured[plan.compared_at].disk, 3),
        "how": "the model warm, one connection a request, every question asked once; blocks of "
        f"{BLOCK} questions while the machine is quiet and while one core is busy, in turn; "
        "the peer is asked the same question in the same turn",
    }


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    plan = QUICK if options.quick else HUGE if options.full else FULL
    run = begin("recall_latency", options)
    measured = {size: measure(options, plan, size) for size in plan.sizes}
    run.end(bars_of(plan, measured), details_of(plan, measured))


if __name__ == "__main__":
    main()
