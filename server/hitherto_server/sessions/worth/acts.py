"""What was said and done in a session, one after another, as far as it can show a memory's use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ActKind = Literal["prompt", "result", "reply", "edit", "look", "command", "other"]

MEANT = frozenset({"reply", "edit", "look", "command", "other"})
"""What the agent says and does; prompts and results only show what was known anyway."""
DEEDS = MEANT - {"reply"}
CHANGES = frozenset({"edit"})


@dataclass(frozen=True)
class Act:
    """One of them: a prompt, a tool's work, or what came of it."""

    at_ms: int
    kind: ActKind
    text: str = ""
    """The words: of a prompt, of a command, what an edit puts in, what is searched for."""
    path: str = ""
    agent: str = ""
    """The subagent that did it; empty: the session itself."""
