"""What a person can set; every field is described in docs/settings.md."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "HITHERTO_"
NUMBERS: Mapping[type, str] = {int: "whole number", float: "number"}
"""What a text that is to be of a type must be, in words."""


@dataclass(frozen=True)
class Settings:
    """The settings of one server process, from the environment (`HITHERTO_PORT`, …)."""

    port: int = 7420
    """Loopback TCP port of the settings UI and /mcp; 0 takes a free one."""
    model: str = "all-MiniLM-L6-v2"
    """Embedding model: a name in the data home's models/, or a path."""
    injection_floor: float = 0.64
    """Least probability of the best memory that is injected unasked."""
    fusion_weight: float = 0.80
    """Weight of the dense side in the convex fusion, 0 to 1."""
    prompt_memories: int = 3
    """Most memories injected on a prompt."""
    prompt_tokens: int = 600
    """Most tokens injected on a prompt."""
    brief_memories: int = 5
    """Most memories in a session-start brief."""
    brief_tokens: int = 1200
    """Most tokens in a session-start brief."""
    subagent_memories: int = 3
    """Most memories in the brief of a subagent; 0: none gets one."""
    subagent_tokens: int = 600
    """Most tokens in the brief of a subagent."""
    digest_tokens: int = 600
    """Most tokens of what a session is given back of itself after a compaction; 0: nothing."""
    plan_decisions: int = 6
    """Most decisions that an approved plan is compared with; 0: it is compared with none."""
    loop_iterations: int = 50
    """Most iterations of a loop; 0: none can be started."""
    notices: int = 3
    """Most memories that a session is told of at once because their files changed; 0: none."""
    nudges: int = 4
    """Most nudges that a session is given, one a prompt at most; 0: none."""
    preferences: int = 1
    """1: what a prompt says to be so from now on becomes a memory; 0: nothing does."""
    stop_blocks: int = 3
    """Most times that a session's stops are held up, once a prompt at most; 0: never."""
    claim_check: int = 1
    """Whether a claim of success that nothing shows may hold a stop up: 1, or 0 for never."""
    lesson_asks: int = 2
    """Most times that a session is asked before it stops to store what it learned; 0: never."""
    kept_prompt_chars: int = 4000
    """Most characters of a prompt that are kept, without its secrets; 0: no prompt is kept."""
    session_days: int = 90
    """Days that what was said in sessions is kept to be found; 0: no transcript is read."""
    earlier_sessions: int = 2
    """Most earlier sessions that a prompt which asks for them is told of; 0: of none."""
    session_findings: int = 1
    """1: what the rules find in a session that is over becomes candidates; 0: nothing does."""
    worth: int = 1
    """1: what memory was worth to each session is found out after it; 0: nothing is."""
    set_aside_days: int = 7
    """Days after which a memory that keeps being false goes into the trash; 0: none does."""
    backup_hours: int = 24
    """Hours from one backup to the next while the server runs; 0: none is made unasked."""
    backups_kept: int = 10
    """Most backups that are kept of those: one a day for a week, then one a week."""
    readers: int = 2
    """Read-only database connections, each with a thread of its own."""
    log_level: str = "info"
    """Level of logs/server.log: debug, info, warning or error."""


LEAST_AND_MOST: Mapping[str, tuple[float, float]] = {
    "port": (0, 65_535),
    "injection_floor": (0, 1),
    "fusion_weight": (0, 1),
    "prompt_memories": (0, 50),
    "prompt_tokens": (0, 16_000),
    "brief_memories": (0, 50),
    "brief_tokens": (0, 16_000),
    "subagent_memories": (0, 50),
    "subagent_tokens": (0, 16_000),
    "digest_tokens": (0, 16_000),
    "plan_decisions": (0, 20),
    "loop_iterations": (0, 50),
    "notices": (0, 20),
    "nudges": (0, 20),
    "preferences": (0, 1),
    "stop_blocks": (0, 20),
    "claim_check": (0, 1),
    "lesson_asks": (0, 20),
    "kept_prompt_chars": (0, 8000),
    "session_days": (0, 3660),
    "earlier_sessions": (0, 10),
    "session_findings": (0, 1),
    "worth": (0, 1),
    "set_aside_days": (0, 3660),
    "backup_hours": (0, 24 * 366),
    "backups_kept": (1, 1000),
    "readers": (1, 64),
}
LOG_LEVELS = ("debug", "info", "warning", "error")


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of the environment; a value of the wrong type or range is an error."""
    given = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    for field in fields(Settings):
        name = PREFIX + field.name.upper()
        if name in given:
            values[field.name] = _converted(name, given[name], type(field.default))
            _check_range(name, field.name, values[field.name])
    return Settings(**values)


def _converted(name: str, text: str, wanted: type) -> Any:
    try:
        return wanted(text)
    except ValueError as error:
        message = f"{name}={text!r} is no {NUMBERS[wanted]}"
        raise InvalidInput(message, mend=f"Set {name} to a {NUMBERS[wanted]}.") from error


def _check_range(name: str, field: str, value: Any) -> None:
    if field == "log_level" and value.lower() not in LOG_LEVELS:
        message = f"{name}={value!r} is no level"
        raise InvalidInput(message, mend=f"Set {name} to one of {', '.join(LOG_LEVELS)}.")
    least, most = LEAST_AND_MOST.get(field, (None, None))
    if least is not None and most is not None and not least <= value <= most:
        message = f"{name}={value} is out of range"
        raise InvalidInput(message, mend=f"Set {name} to a value from {least} to {most}.")
