"""What is done to the sessions, the server and the disk while everybody works."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from endurance_place import waits

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from random import Random

    from endurance_place import Place
    from endurance_session import Session

Harm = Literal[
    "kill the server",
    "fill the disk",
    "stop the server",
    "kill hooks and MCP processes",
    "kill the server again and again",
    "fill the disk and kill the server",
    "stop hooks and MCP processes",
    "kill the server and the hooks that spool",
]
ALL: tuple[Harm, ...] = (
    "kill the server",
    "fill the disk",
    "stop the server",
    "kill hooks and MCP processes",
    "kill the server again and again",
    "fill the disk and kill the server",
    "stop hooks and MCP processes",
    "kill the server and the hooks that spool",
)
EACH_ONCE: tuple[Harm, ...] = (
    "kill the server and the hooks that spool",
    "fill the disk and kill the server",
    "stop the server",
    "kill hooks and MCP processes",
)
"""A short run: kill -9 of each part, the full disk and SIGSTOP."""
APPEARS_S = 20.0


@dataclass
class Harmer:
    """Does one harm at a time, and takes back what can be taken back."""

    place: Place
    sessions: Sequence[Session]
    random: Random
    full: threading.Event
    counts: dict[str, int]

    def do(self, harm: Harm) -> None:  # noqa: C901 - a table
        """Do a harm while the sessions work; afterwards nothing is full or stopped any more."""
        match harm:
            case "kill the server":
                self.kill_server()
            case "kill the server again and again":
                for _ in range(4):
                    self.kill_server()
                    self.wait(0.0, 0.6)
            case "stop the server":
                with self.stopped(self.place.servers()):
                    self.wait(2.0, 3.0)
            case "fill the disk":
                with self.filled():
                    self.wait(1.5, 3.0)
            case "fill the disk and kill the server":
                with self.filled():
                    self.wait(0.3, 1.0)
                    self.kill_server()
                    self.wait(1.0, 2.0)
            case "kill hooks and MCP processes":
                self.kill_helpers(8)
            case "kill the server and the hooks that spool":
                self.kill_server()
                self.kill_helpers(8)
            case "stop hooks and MCP processes":
                self.stop_helpers()
            case _:
                assert_never(harm)

    def kill_server(self) -> None:
        """Kill whatever serves, as soon as something does."""
        if not waits(self.place.servers, APPEARS_S):
            self.sessions[0].told.find_stuck(f"no server was started within {APPEARS_S} s")
        for pid in self.place.servers():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.count("servers killed")
        for session in self.sessions:
            for sent in list(session.running.values()):
                sent.server_killed = True

    def kill_helpers(self, rounds: int) -> None:
        """Kill hooks in their midst, and sometimes an MCP process."""
        for _ in range(rounds):
            self.wait(0.02, 0.2)
            if any(session.kill_hook() for session in self.shuffled()):
                self.count("hooks killed")
            if self.random.random() < 0.4:
                self.random.choice(self.sessions).kill_mcp()
                self.count("MCP processes killed")

    def stop_helpers(self) -> None:
        """Stop hooks in their midst, one maybe with the spool's lock in its hands, and MCP."""
        found = [session.pause_hook() for session in self.shuffled()]
        hooks = [pid for pid in found if pid is not None]
        self.counts["hooks stopped"] = self.counts.get("hooks stopped", 0) + len(hooks)
        mcp = [s.mcp.process.pid for s in self.sessions[:3] if s.mcp is not None]
        try:
            with self.stopped(mcp):
                self.wait(1.0, 2.0)
        finally:
            for group in hooks:
                with suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGCONT)

    @contextmanager
    def stopped(self, pids: Sequence[int]) -> Iterator[None]:
        """Stop processes until the block ends."""
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                self.count("processes stopped")
        try:
            yield
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    @contextmanager
    def filled(self) -> Iterator[None]:
        """Leave no byte on the disk until the block ends."""
        self.full.set()
        try:
            self.place.fill()
            self.count("times the disk was full")
            yield
            self.place.fill()
        finally:
            self.place.empty()
            self.full.clear()

    def shuffled(self) -> list[Session]:
        """Return the sessions in a random order."""
        return self.random.sample(list(self.sessions), len(self.sessions))

    def count(self, what: str) -> None:
        """Count a harm that was really done."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def wait(self, least_s: float, most_s: float) -> None:
        """Let a random time pass in which everybody works."""
        time.sleep(self.random.uniform(least_s, most_s))
