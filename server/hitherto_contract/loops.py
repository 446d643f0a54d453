"""Loops: a task that an agent works on again and again, one iteration a stop."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from hitherto_contract.base import Wire, clean, not_blank
from hitherto_contract.memories import Placed

MOST_ITERATIONS = 50
MOST_MINUTES = 60

Task = Annotated[
    str,
    StringConstraints(min_length=1, max_length=2000),
    AfterValidator(clean),
    AfterValidator(not_blank),
]
LoopNote = Annotated[str, StringConstraints(max_length=500), AfterValidator(clean)]


class LoopRequest(Placed):
    """Start a loop in a session, end it, look at it, or say how far it is."""

    action: Literal["start", "update", "stop", "status"]
    task: Task | None = None
    iterations: Annotated[int, Field(ge=1, le=MOST_ITERATIONS)] = 10
    minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES)] = 30
    note: LoopNote | None = None
    state: Literal["going", "done", "blocked"] = "going"

    @model_validator(mode="after")
    def has_a_task(self) -> LoopRequest:
        """Refuse a start without a task."""
        if self.action == "start" and self.task is None:
            message = "start needs a task"
            raise ValueError(message)
        return self


class LoopEntryView(Wire):
    """One line of a loop's journal."""

    iteration: int
    written_by: Literal["agent", "reply"]
    """The agent, or the opening of its reply where it wrote nothing."""
    text: str
    at_ms: int


class LoopView(Wire):
    """A loop, with the end of its journal."""

    id: int
    session_id: str
    project: str | None
    task: str
    state: Literal["running", "paused", "ended"]
    reason: str | None
    """Why it waits or has ended."""
    iteration: int
    most_iterations: int
    started_at_ms: int
    until_ms: int
    ended_at_ms: int | None
    journal: list[LoopEntryView] = Field(default_factory=list)


class LoopReply(Wire):
    """The loop as it is now; None: there never was one in that session."""

    loop: LoopView | None
    notes: list[str] = Field(default_factory=list)


class LoopsRequest(Placed):
    """List loops: of a folder's project or of all, also those that have ended, or not."""

    ended: bool = False
    limit: Annotated[int, Field(ge=1, le=200)] = 20


class LoopsReply(Wire):
    """The newest loops, those that go on first, without their journals."""

    loops: list[LoopView]
