"""What a person steers: what was wrong, what is left alone, and what is removed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from hitherto_contract.base import Name, PathText, Wire, clean, not_blank
from hitherto_contract.memories import EpochMs, Placed

TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000

IdBegin = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9a-f]{8}[0-9a-f-]{0,28}$", to_lower=True, strip_whitespace=True
    ),
]
"""A memory's id, or at least its first eight digits."""
Because = Annotated[
    str, StringConstraints(max_length=1000), AfterValidator(clean), AfterValidator(not_blank)
]


class WrongRequest(Placed):
    """Say that the last injection was wrong, or one memory of it; or take that back."""

    memory: IdBegin | None = None
    because: Because | None = None
    undo: bool = False


class WrongMemory(Wire):
    """One memory that was said to be wrong, and what follows from it."""

    id: str
    opening: str
    wrong_sessions: int
    effect: str


class WrongReply(Wire):
    """What was marked, or is marked no more."""

    session_id: str
    query: str | None
    at_ms: int
    undone: bool
    memories: list[WrongMemory]


class Target(Wire):
    """A session or a folder: exactly one of both."""

    session_id: Name | None = None
    path: PathText | None = None

    @model_validator(mode="after")
    def is_one_thing(self) -> Target:
        """Refuse both and neither."""
        if (self.session_id is None) == (self.path is None):
            message = "name either session_id or path"
            raise ValueError(message)
        return self


class PauseRequest(Target):
    """Leave a session or a folder alone, for a time or until it is resumed."""

    for_ms: Annotated[int, Field(ge=1000, le=TEN_YEARS_MS)] | None = None


class ResumeRequest(Target):
    """End the pause of exactly that session or folder."""


class IgnoreRequest(Wire):
    """Keep nothing of a folder and what lies in it; or take that back."""

    path: PathText
    remove: bool = False


class QuietView(Wire):
    """A session or a folder that is left alone. Times are UTC milliseconds since 1970."""

    kind: Literal["pause", "ignore"]
    session_id: str | None
    path: str | None
    since_ms: EpochMs
    until_ms: EpochMs | None


class QuietReply(Wire):
    """How many rules were made or taken back, and all that is left alone now."""

    changed: int
    quiet: list[QuietView]


class PurgeRequest(Target):
    """Remove what was kept of a session or of a folder; only counted unless it is confirmed."""

    memories: bool = False
    confirmed: bool = False


class PurgeReply(Wire):
    """What was removed, or would be; `memories` go into the trash, where that was asked."""

    done: bool
    counts: dict[str, int]
    trashed: int
    notes: list[str] = Field(default_factory=list)
