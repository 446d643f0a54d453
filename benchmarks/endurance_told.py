"""What the sessions of an endurance run sent and were told, to be compared with what is there."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Literal

Way = Literal["mcp", "cli"]


@dataclass
class SentEvent:
    """One hook call, and what may have kept it from arriving."""

    session: str
    event: str
    body_hash: str
    killed: bool = False
    """It may have arrived or not."""
    paused: bool = False
    """Its process was stopped for a while: it may be late."""
    while_full: bool = False
    server_killed: bool = False
    """While it ran: what the server was about to say is gone."""
    took_s: float = 0.0


@dataclass
class Told:
    """Everything that one run sent and was told; sessions write to it from their threads."""

    acknowledged: dict[str, tuple[Way, set[str]]] = field(default_factory=dict)
    """Per memory the way of its acknowledgement, and the texts that it may have now."""
    sent_texts: set[str] = field(default_factory=set)
    events: dict[str, SentEvent] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    """Writes that were answered with an error, by its code."""
    stuck: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    slowest_s: dict[str, float] = field(default_factory=dict)
    acts: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, way: Way, memory: str, text: str) -> None:
        """Note that a memory was acknowledged with this text."""
        with self._lock:
            self.acknowledged[memory] = (way, {text})

    def may_become(self, memory: str, text: str) -> None:
        """Note that a change was asked for; without an answer both texts are right."""
        with self._lock:
            self.acknowledged[memory][1].add(text)

    def send_text(self, text: str) -> None:
        """Note a text before it is sent."""
        with self._lock:
            self.sent_texts.add(text)

    def send_event(self, event: SentEvent) -> None:
        """Note an event before its hook runs."""
        with self._lock:
            self.events[event.body_hash] = event

    def refuse(self, code: str) -> None:
        """Count a write that was refused."""
        with self._lock:
            self.refused[code] = self.refused.get(code, 0) + 1

    def find_stuck(self, what: str) -> None:
        """Note something that did not end in time."""
        with self._lock:
            self.stuck.append(what)

    def find_fault(self, what: str) -> None:
        """Note something that must not be."""
        with self._lock:
            self.faults.append(what)

    def took(self, what: str, seconds: float) -> None:
        """Note how long an act took, and that it was done."""
        with self._lock:
            self.acts += 1
            self.slowest_s[what] = max(self.slowest_s.get(what, 0.0), seconds)
