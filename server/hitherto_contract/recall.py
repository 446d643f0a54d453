"""Asking for memories, and asking why they came."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from hitherto_contract.base import MemoryId, PathText, Wire, clean, not_blank
from hitherto_contract.memories import Placed
from hitherto_contract.words import Kind, Scope, Source, Standing

MAX_QUERY_CHARS = 10_000

Query = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_QUERY_CHARS),
    AfterValidator(clean),
    AfterValidator(not_blank),
]


class RecallRequest(Placed):
    """A question to the memory."""

    query: Query
    scope: Literal["project", "user", "all", "sessions"] = "all"
    """`sessions`: no memory, but what was said and done in earlier sessions of the project."""
    kind: Kind | None = None
    files: Annotated[list[PathText], Field(max_length=10)] = Field(default_factory=list)
    limit: Annotated[int, Field(ge=1, le=50)] = 5
    token_budget: Annotated[int, Field(ge=50, le=16_000)] = 1500
    include_superseded: bool = False
    explain: bool = False
    rerank: bool = False


class Hit(Wire):
    """A memory that was found; a score that was not measured is null, never 0.

    Scores: `semantic_score` and `passage_score` are cosines in -1..1, `keyword_coverage`
    the share in 0..1 of the query's terms that occur, `fusion_score` 0..1, `judged_relevance`
    0 (irrelevant) to 4 (decisive).
    """

    id: str
    revision: int
    excerpt: str
    kind: Kind
    scope: Scope
    source: Source
    tags: list[str]
    files: list[str]
    learned_at_ms: int
    confirmed_at_ms: int | None
    standing: Standing
    standing_reason: str
    superseded_by: str | None
    semantic_score: float | None
    passage_score: float | None
    keyword_coverage: float | None
    fusion_score: float | None
    judged_relevance: float | None = None
    why: list[str]


class PastSessionView(Wire):
    """An earlier session, with what of it answers a question: a record, and no memory."""

    session_id: str
    began_at_ms: int
    ended_at_ms: int
    branch: str | None
    files: list[str]
    excerpts: list[str]
    plan: str = ""


class RecallReply(Wire):
    """What was found, what was left out and why, and which arms could be asked."""

    hits: list[Hit]
    withheld: dict[str, int]
    arms: dict[str, str]
    took_ms: float
    explain: dict[str, Any] | None = None
    ranked_by: Literal["fusion", "judgment"] = "fusion"
    notes: list[str] = Field(default_factory=list)
    sessions: list[PastSessionView] = Field(default_factory=list)


class WhyRequest(Placed):
    """Ask what was injected last (in a session, or anywhere) and why."""


class GivenSession(Wire):
    """An earlier session of which a prompt was told what was said and done, and when it began."""

    session_id: str
    began_at_ms: int
    branch: str | None = None


class WhyReply(Wire):
    """The last admission: each candidate with its outcome and reason, and the earlier sessions.

    `floor` is the least probability that is in force now; null where no prompt was weighed.
    """

    session_id: str | None
    channel: str | None
    at_ms: int | None
    query: str | None
    floor: float | None = None
    candidates: list[dict[str, Any]]
    earlier_sessions: list[GivenSession] = Field(default_factory=list)


class SyncRequest(Placed):
    """Ask which memories still describe their changed files: those named, else all of a project."""

    ids: Annotated[list[MemoryId], Field(max_length=50)] = Field(default_factory=list)
    files: Annotated[list[PathText], Field(max_length=10)] = Field(default_factory=list)


class SyncPair(Wire):
    """A memory beside one of its files; without a judgment `probability` is null."""

    id: str
    revision: int
    opening: str
    path: str
    probability: float | None = None
    reason: str = ""


class SyncReply(Wire):
    """What was looked at, in four lists; `beyond` pairs were too many for one request."""

    still_accurate: list[SyncPair]
    stale: list[SyncPair]
    unjudged: list[SyncPair]
    unreadable: list[SyncPair]
    looked_at: int
    beyond: int
    notes: list[str] = Field(default_factory=list)
