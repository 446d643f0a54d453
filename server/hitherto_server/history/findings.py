"""What a history yields: a statement, and what shows that it was said or done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hitherto_contract.words import Kind, Scope
    from hitherto_server.store.history import Trust

Happened = Literal["prompt", "command failed", "edit", "command passed", "file"]


@dataclass(frozen=True)
class Support:
    """One event that carries a finding: the words, where they stand, when."""

    sentence: str
    happened: Happened
    message_id: str
    """The client's id of the message, or the file's name."""
    at_ms: int
    trust: Trust


@dataclass(frozen=True)
class Finding:
    """A candidate for a memory; its texts have no secrets any more."""

    kind: Kind
    content: str
    support: tuple[Support, ...]
    session_id: str | None = None
    folder: str | None = None
    """Where the session ran; None: it holds everywhere."""
    scope: Scope = "project"
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def trust(self) -> Trust:
        return self.support[0].trust

    @property
    def at_ms(self) -> int:
        """When it was said or seen last."""
        return self.support[-1].at_ms
