"""How long `remember` takes until it is durable, and a warm recall, with ten thousand memories."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from harness import (
    Bar,
    at_most,
    begin,
    figure,
    interleaved,
    percentile,
    read_options,
    spread,
    unmeasured,
)
from homes import Server, person, serving
from prompts import PROMPTS
from seeds import PROJECTS, seeded

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    memories: int
    rounds: int


FULL, QUICK = Size(10_000, 200), Size(2_000, 40)
WARM_UP = 40
PEER_BAR = "recall of mcp-memory-service against ours, p50"


@dataclass(frozen=True)
class Asker:
    """Asks the server over its socket, a connection a request."""

    server: Server
    project: Path
    took_ms: list[float]

    def recall(self, number: int) -> float:
        """Recall with one of the forty prompts, in turn; returns the caller's wall time."""
        query = PROMPTS[number % len(PROMPTS)]
        began = time.perf_counter()
        reply = self.server.ask("/v1/recall", self.placed(query=query))
        taken = (time.perf_counter() - began) * 1000
        if reply["arms"]["passages"] != "ok":
            message = f"the passages were not asked: {reply['arms']}"
            raise RuntimeError(message)
        if number >= 0:
            self.took_ms.append(reply["took_ms"])
        return taken

    def remember(self, number: int) -> float:
        """Remember something new; returns the caller's wall time."""
        content = (
            f"Decision {number}: the export job {os.urandom(4).hex()} writes to its own folder."
        )
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
        """Wait until what was remembered has its vector, so that no recall competes with that."""
        while self.server.ask("/v1/status")["pending"].get("embeddings", 1):
            time.sleep(0.005)

    def placed(self, **fields: Any) -> dict[str, Any]:
        """Return a request from the project in question."""
        return {"project_dir": str(self.project), **fields}


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


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    size = QUICK if options.quick else FULL
    run = begin("memory_latency", options)
    with ExitStack() as stack:
        who = stack.enter_context(person(options.data / "models"))
        project = seeded(options.data, who, size.memories)
        server = stack.enter_context(serving(who))
        server.load_model(project)
        asker = Asker(server, project, [])
        works = {"recall": asker.recall, "remember": asker.remember}
        taken = interleaved(works, size.rounds, WARM_UP)
        disk = fsync_ms(who.folder, size.rounds)
    details = {
        "memories": size.memories,
        "projects": PROJECTS,
        "recall_in_server_ms": spread(asker.took_ms),
        "recall_over_socket_ms": spread(taken["recall"]),
        "remember_over_socket_ms": spread(taken["remember"]),
        "fsync_of_a_page_ms": spread(disk, 3),
        "how": "recall and remember in turn, one connection a request, the model warm, forty "
        "prompts in turn; each remember is embedded before the next recall is timed",
    }
    run.end(bars_of(taken, asker.took_ms, disk), details)


def bars_of(taken: dict[str, list[float]], took_ms: list[float], disk: list[float]) -> list[Bar]:
    """Put each figure beside what it has to reach."""
    return [
        at_most("recall in the server, p95", percentile(took_ms, 0.95), "ms", 12),
        figure("recall in the server, p50", median(took_ms), "ms"),
        figure("recall over the socket, p50", median(taken["recall"]), "ms"),
        figure("recall over the socket, p95", percentile(taken["recall"], 0.95), "ms"),
        at_most("remember acknowledged over the socket, p50", median(taken["remember"]), "ms", 25),
        figure("remember over the socket, p95", percentile(taken["remember"], 0.95), "ms"),
        figure("fsync of a page on this disk, p50", median(disk), "ms"),
        unmeasured(PEER_BAR, "x", ">= 3", "needs torch (1.5 GB); a later benchmark measures it"),
    ]


if __name__ == "__main__":
    main()
