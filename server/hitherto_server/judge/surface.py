"""A surface: one moment at which a judgment may be asked, all of it that a person can steer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hitherto_server.judge.questions import question_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.judge.band import Band
    from hitherto_server.judge.questions import Question

Effect = Literal["ranks", "advises", "acts"]
"""What an answer may do; to act (refuse a write, redact, supersede) it must be calibrated."""


@dataclass(frozen=True)
class Surface:
    """Where a judgment is asked, in which words, how long it may take, and what answers instead."""

    name: str
    version: int
    """Raised with every change of its words."""
    asks: str
    """What is asked, in a sentence for people."""
    moment: str
    """Where and when."""
    sends: str
    """What the backend is shown."""
    timeout_s: float
    thresholds: Mapping[str, float]
    """Each with the name that settings use; `docs/judgments.md` says what it decides."""
    action: str
    """What follows from which threshold, in a sentence."""
    fallback: str
    """What answers when no judgment came, in a sentence."""
    effect: Effect
    samples: Mapping[str, Question] = field(repr=False)
    """Its questions as they are asked of one candidate: what the golden hash is of."""
    locked: tuple[str, ...] = ()
    """Names of its switches that need a passed bench of the running configuration."""
    rides_on: str | None = None
    """The surface whose request carries its question."""
    band: Band | None = None
    """Which two of its thresholds are of one answer."""
    shows_text: bool = True
    """False: its preview in the log is withheld (text of pages, screens or files)."""

    @property
    def question_hash(self) -> str:
        """Changes with any word of its questions."""
        return question_hash(self.samples)
