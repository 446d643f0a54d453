"""Typed judgments: who is asked, what is switched on, what was judged and what came of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from hitherto_contract.base import Name, Wire, clean
from hitherto_contract.memories import EpochMs

ProfileName = Literal["rules", "typesafe", "openrouter", "laya", "llama.cpp", "custom", "openai"]
KeyState = Literal["given", "missing", "not_needed", "for_another_address"]
BreakerState = Literal["closed", "open", "half_open"]
Address = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(clean)]
Seconds = Annotated[float, Field(ge=0.05, le=120, allow_inf_nan=False)]
Threshold = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Limit = Annotated[int, Field(ge=1, le=500)]


class BackendChoice(Wire):
    """Whom to ask; `rules` asks nobody. What is left out is as the profile has it."""

    profile: ProfileName
    base_url: Address | None = None
    model: Name | None = None
    timeout_s: Seconds | None = None


class SurfaceChange(Wire):
    """What is to be set of one surface; what is left out stays as it is."""

    reset: bool = False
    """Everything as the surface has it, before the rest is set."""
    on: bool | None = None
    timeout_s: Seconds | None = None
    thresholds: dict[Name, Threshold | None] = Field(default_factory=dict, max_length=20)
    """None: the surface's own again."""
    allows: dict[Name, bool] = Field(default_factory=dict, max_length=20)
    """Its locked switches; one is only turned on after a passed bench."""


class JudgeChange(Wire):
    """What is to be set of judgments; what is left out stays as it is."""

    on: bool | None = None
    backend: BackendChoice | None = None
    surfaces: dict[Name, SurfaceChange] = Field(default_factory=dict, max_length=50)


class KeyRequest(Wire):
    """A key to the backend that is configured; without one, the one that is kept is dropped."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=4096)] | None = Field(
        default=None, repr=False
    )
    of_environment: bool = False
    """The key of the server's environment may be sent to the backend that is configured."""


class BackendView(Wire):
    """The backend that is configured, and how it fares."""

    profile: str
    base_url: str
    model: str
    timeout_s: float | None
    key: KeyState
    rests_s: float
    """For how long it asked to be left alone."""
    hurried: BreakerState
    """Whether it failed those for whom somebody waits."""
    patient: BreakerState


class LockedView(Wire):
    """A switch that needs a passed bench of what runs."""

    name: str
    on: bool
    passed: bool


class SurfaceView(Wire):
    """A surface, and what is set of it."""

    name: str
    asks: str
    effect: str
    on: bool
    timeout_s: float
    thresholds: dict[str, float]
    changed: list[str]
    """What of it a person has set."""
    locked: list[LockedView]


class CountView(Wire):
    """How often a surface asked in the last day, by how that ended."""

    surface: str
    ended: str
    times: int
    cost_usd: float | None
    latency_ms: float


class JudgeReply(Wire):
    """All that is set of judgments, and how they fare."""

    killed: bool
    on: bool
    backend: BackendView | None
    surfaces: list[SurfaceView]
    counts: list[CountView]
    cached: int
    unlogged: int
    """Notes that wait to be written to the log."""
    lost: int
    """Notes that could not be logged."""


class TrialReply(Wire):
    """What came of one question that everybody can answer."""

    answered: bool
    reason: str | None = None
    detail: str = ""
    probability: float | None = None
    model: str | None = None
    calibrated: bool | None = None
    latency_ms: float = 0
    cost_usd: float | None = None


class ProbeRequest(Wire):
    """Find out what a server speaks."""

    base_url: Address
    model: Name | None = None


class ProbeReply(Wire):
    """What a server speaks, and how to choose it."""

    base_url: str
    speaks: Literal["systemone", "openai"] | None
    profile: str | None
    model: str | None
    models: list[str]
    tells_probabilities: bool | None
    detail: str


class LogRequest(Wire):
    """Ask for the log, the newest first."""

    surface: Name | None = None
    session_id: Name | None = None
    origin: Literal["hook", "tool", "maintenance", "backfill", "ui", "cli", "bench"] | None = None
    before: Annotated[int, Field(ge=1)] | None = None
    limit: Limit = 50


class JudgmentView(Wire):
    """One judgment, as it was logged."""

    id: int
    asked_at_ms: EpochMs
    surface: str
    riders: list[str]
    origin: str
    session_id: str | None
    project: str | None
    model: str | None
    cached: bool
    latency_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    preview: str | None
    answers: dict[str, Any] | None
    unavailable_reason: str | None
    detail: str | None
    outcome: dict[str, Any] | None


class LogReply(Wire):
    """A page of the log; `next` is the `before` of the following one."""

    entries: list[JudgmentView]
    next: int | None


class SessionsRequest(Wire):
    """Ask for the sessions for which something was judged."""

    limit: Limit = 50


class JudgedSession(Wire):
    """What was judged for a session, in numbers."""

    session_id: str
    asked: int
    unavailable: int
    cached: int
    input_tokens: int | None
    cost_usd: float | None
    last_at_ms: EpochMs


class JudgedSessionsReply(Wire):
    """The sessions, the latest first."""

    sessions: list[JudgedSession]


class CacheReply(Wire):
    """How many answers were forgotten."""

    forgotten: int
