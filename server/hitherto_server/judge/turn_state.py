"""What the judge is shown of a turn that ends: the last words, and what tools did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.core.text import ending_of, opening_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_MESSAGE = 4000
MOST_COMMANDS = 12
MOST_RESULTS = 6
MOST_FILES = 20
MOST_LINE = 300
MOST_OUTPUT = 300
SHOWN = (
    "The agent's last message (its last 4,000 characters), the session's last 12 commands with how "
    "each ended, the last 6 results of other tools (each with the end of its output, at most 300 "
    "characters), and the names of at most 20 edited files."
)


@dataclass(frozen=True)
class Ran:
    """A command as it is shown; `failed` None: nobody knows."""

    line: str
    failed: bool | None
    exit_code: int | None
    output_end: str
    is_earlier: bool = False
    """Run before this turn."""


@dataclass(frozen=True)
class Ended:
    """A turn at its end."""

    message: str
    commands: Sequence[Ran] = ()
    results: Sequence[tuple[str, str]] = ()
    """Of each, the tool and the end of what it said."""
    files: Sequence[str] = ()


def state_of(turn: Ended) -> dict[str, Any]:
    """Return what the judge is shown of a turn."""
    return {
        "message": ending_of(turn.message, MOST_MESSAGE),
        "commands": [_shown(one) for one in turn.commands[-MOST_COMMANDS:]],
        "results": [
            {"tool": tool, "output_end": ending_of(said, MOST_OUTPUT)}
            for tool, said in turn.results[-MOST_RESULTS:]
        ],
        "files_edited": [opening_of(one, MOST_LINE) for one in turn.files[-MOST_FILES:]],
    }


def _shown(one: Ran) -> dict[str, Any]:
    ended = {True: "failed", False: "passed", None: "unknown"}[one.failed]
    return {
        "command": opening_of(one.line, MOST_LINE),
        "when": "earlier" if one.is_earlier else "this turn",
        "ended": ended,
        "exit_code": one.exit_code,
        "output_end": ending_of(one.output_end, MOST_OUTPUT),
    }
