"""Judged work in the background: its jobs, and the backfill of what was written before."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from hitherto_contract.base import Wire

BackfillState = Literal["running", "paused", "done", "cancelled"]


class BackfillRequest(Wire):
    """Have a backfill begin, rest, go on or end."""

    action: Literal["start", "pause", "resume", "cancel"]
    confirm: bool = False
    """What a start needs: it sends memories to the backend and may cost money."""

    @model_validator(mode="after")
    def starts_only_when_told_twice(self) -> BackfillRequest:
        """Refuse a start that is not confirmed."""
        if self.action == "start" and not self.confirm:
            message = "start needs confirm: look at /v1/backfill/estimate first"
            raise ValueError(message)
        return self


class BackfillEstimate(Wire):
    """What is unjudged and what judging it would take; nobody was asked for it."""

    memories: int
    relate: int
    """Memories to be judged beside their neighbours."""
    classify: int
    """Memories whose kind and importance are to be judged."""
    requests: int
    input_tokens: int
    basis: Literal["log", "length"]
    """Whether the tokens are measured on what was asked before, or guessed from lengths."""
    sampled: int
    """Memories whose neighbours were counted; the others are taken to be like them."""
    cost_usd: float | None
    """None: nobody knows what the backend takes."""
    seconds: float
    """At least."""


class BackfillRun(Wire):
    """One run. Times are UTC milliseconds."""

    id: int
    state: BackfillState
    why: str | None
    """Why it rests or has ended."""
    total: int
    """Memories that were unjudged when it began."""
    judged: int
    passed_over: int
    """Memories of which no usable answer came; they are still unjudged."""
    relations: int
    """Relations that were made."""
    superseded: int
    kinds: int
    """Memories whose kind was written, because nobody had stated one."""
    disagreements: int
    """Pairs that a rule saw otherwise."""
    failures: int
    """Times in a row that nobody answered."""
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    worked_ms: int
    """How long it was at work."""
    began_at_ms: int
    finished_at_ms: int | None


class BackfillReply(Wire):
    """The newest run, if there was one."""

    run: BackfillRun | None


class JobsRequest(Wire):
    """Take up again what failed for good, or cancel what waits; all of it, or one job."""

    action: Literal["retry", "cancel"]
    id: int | None = None


class FailedJob(Wire):
    """A job that was given up."""

    id: int
    kind: str
    subject: str
    """Most often the id of a memory."""
    attempts: int
    failure: str | None
    finished_at_ms: int


class JobAtWork(Wire):
    """A job that is being done, or that is done bit by bit."""

    id: int
    kind: str
    subject: str
    state: Literal["waiting", "leased"]
    attempts: int
    progress: str | None


class JobsReply(Wire):
    """The queue of judged work."""

    counts: dict[str, dict[str, int]]
    """By kind and state."""
    at_work: list[JobAtWork] = Field(default_factory=list)
    failed: list[FailedJob] = Field(default_factory=list)
    changed: int = 0
    """How many jobs a request took up or cancelled."""
