"""A backend that failed is left alone for a while: what an outage costs is bounded here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

State = Literal["closed", "open", "half_open"]

FIRST_WINDOW_S = 30.0
LONGEST_WINDOW_S = 300.0
FAILURES_TO_OPEN = 3


@dataclass
class Breaker:
    """Closed: asks go through. Open: none does. Half open: one may try, and decides.

    A timeout opens it at once, since whoever waits has paid for it; other failures when three
    came in a row. Each trial that fails doubles the time until the next.
    """

    now_s: Callable[[], float]
    failures: int = 0
    window_s: float = FIRST_WINDOW_S
    open_until_s: float | None = None
    trying: bool = False

    @property
    def state(self) -> State:
        """What it is now."""
        if self.open_until_s is None:
            return "closed"
        return "open" if self.now_s() < self.open_until_s else "half_open"

    def admits(self) -> bool:
        """Tell whether an ask may go through; while half open, that takes the one trial."""
        match self.state:
            case "closed":
                return True
            case "open":
                return False
            case "half_open":
                admitted = not self.trying
                self.trying = True
                return admitted

    def succeed(self) -> None:
        """Note that the backend answered."""
        self.failures, self.window_s = 0, FIRST_WINDOW_S
        self.open_until_s, self.trying = None, False

    def fail(self, *, timed_out: bool) -> None:
        """Note that it did not."""
        self.failures += 1
        was_open, self.trying = self.open_until_s is not None, False
        if was_open:
            self.window_s = min(2 * self.window_s, LONGEST_WINDOW_S)
        if was_open or timed_out or self.failures >= FAILURES_TO_OPEN:
            self.open_until_s = self.now_s() + self.window_s

    def let_go(self) -> None:
        """Give a trial back that ended without showing anything: it was cancelled."""
        self.trying = False
