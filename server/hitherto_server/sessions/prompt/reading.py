"""What is known of a prompt beside what it is about, and how much it is given by that."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.sessions.bookkeeping import prompt_id_of

if TYPE_CHECKING:
    from hitherto_server.judge.surfaces.prompt_urgency import Tier
    from hitherto_server.recall.admission import Occasion
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.store.projects import Project
    from hitherto_server.store.unsaved import Unsaved

Speaker = Literal["judged", "rule"]


@dataclass(frozen=True)
class Prompt:
    """A prompt that is searched, as it is read."""

    call: HookCall
    text: str
    project: Project | None
    until: float
    """When (`time.monotonic()`) a judgment of it must be there."""

    @property
    def id(self) -> str:
        """The client's id of it, as it is kept."""
        return prompt_id_of(self.call)


@dataclass(frozen=True)
class Said:
    """A yes or no, and who said it."""

    holds: bool
    by: Speaker


@dataclass(frozen=True)
class Lasting:
    """What a judge said of a lasting preference."""

    holds: bool
    calibrated: bool


@dataclass(frozen=True)
class Reading:
    """All that is known of a prompt."""

    tier: Tier = "should"
    tier_by: Speaker = "rule"
    confidence: float | None = None
    """Of a judged tier."""
    asks_session: Said = field(default_factory=lambda: Said(holds=False, by="rule"))
    another_task: Said = field(default_factory=lambda: Said(holds=False, by="rule"))
    unsaved: Unsaved | None = None
    lasting: Lasting | None = None
    """None: no judgment of it came."""
    log_id: int | None = None
    is_read: bool = True
    """False: what reads prompts was not loaded yet."""


def sized(occasion: Occasion, reading: Reading) -> Occasion:
    """Return an occasion with as much room as the prompt needs, if that was judged."""
    if reading.tier_by == "rule":
        return occasion
    memories, tokens = occasion.memories, occasion.tokens
    match reading.tier:
        case "must":
            return replace(occasion, memories=_ceil(memories * 5, 3), tokens=_ceil(tokens * 3, 2))
        case "should":
            return occasion
        case "consider":
            return replace(occasion, memories=_ceil(memories * 2, 3), tokens=_ceil(tokens * 2, 3))
        case "skip":
            return replace(occasion, withheld=f"judged to need none ({reading.confidence:.2f})")
        case _:
            assert_never(reading.tier)


def _ceil(number: int, by: int) -> int:
    return -(-number // by)
