"""Writing, changing and listing memories."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from hitherto_contract.base import MemoryId, Name, PathText, Wire, clean, not_blank
from hitherto_contract.words import Kind, Scope, Source, Standing, Tier

MAX_CONTENT_CHARS = 20_000
MAX_FILES = 10
MAX_TAGS = 20

Content = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_CONTENT_CHARS),
    AfterValidator(clean),
    AfterValidator(not_blank),
]
Importance = Annotated[int, Field(ge=1, le=10)]
Tags = Annotated[list[Name], Field(max_length=MAX_TAGS)]
Files = Annotated[list[PathText], Field(max_length=MAX_FILES)]
EpochMs = Annotated[int, Field(ge=0, le=253_402_300_799_000)]


class Placed(Wire):
    """Where a call comes from: what decides its project and its session."""

    project_dir: PathText | None = None
    session_id: Name | None = None
    actor: Name = "agent"


class RememberRequest(Placed):
    """A statement to keep. Times are UTC milliseconds since 1970."""

    content: Content
    kind: Kind = "note"
    scope: Scope = "project"
    category: Name | None = None
    tags: Tags = Field(default_factory=list)
    files: Files = Field(default_factory=list)
    importance: Importance = 5
    source: Source = "agent"
    source_ref: Name | None = None
    idempotency_key: Name | None = None
    state_key: Name | None = None
    true_from_ms: EpochMs | None = None
    true_until_ms: EpochMs | None = None
    supersedes: Annotated[list[MemoryId], Field(max_length=20)] = Field(default_factory=list)


class Remembered(Wire):
    """The acknowledgement of a memory: what carries it is durable."""

    id: str
    revision: int
    outcome: Literal["stored", "already_known"]
    scope: Scope
    project: str | None
    superseded: list[str] = Field(default_factory=list)
    anchored_files: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)


class ReflectRequest(Placed):
    """A change to one memory; `expected_revision` refuses it if somebody was faster."""

    action: Literal["edit", "supersede", "confirm", "undo"]
    id: MemoryId
    expected_revision: Annotated[int, Field(ge=1)] | None = None
    content: Content | None = None
    kind: Kind | None = None
    tags: Tags | None = None
    files: Files | None = None
    importance: Importance | None = None
    category: Name | None = None
    state_key: Name | None = None

    @model_validator(mode="after")
    def has_what_its_action_needs(self) -> ReflectRequest:
        """Refuse a change that changes nothing and an undo without a revision."""
        changes = (self.content, self.kind, self.tags, self.files, self.importance)
        changed = any(value is not None for value in (*changes, self.category, self.state_key))
        if self.action == "edit" and not changed:
            message = "edit needs something to change (content, kind, tags, files, …)"
            raise ValueError(message)
        if self.action == "supersede" and self.content is None:
            message = "supersede needs the content that replaces the memory"
            raise ValueError(message)
        if self.action == "undo" and self.expected_revision is None:
            message = "undo needs expected_revision, so that it undoes what you saw"
            raise ValueError(message)
        return self


class ForgetRequest(Placed):
    """Put a memory into the trash; it can be restored."""

    id: MemoryId
    expected_revision: Annotated[int, Field(ge=1)] | None = None


class RestoreRequest(ForgetRequest):
    """Take a memory back out of the trash."""


class MemoriesRequest(Placed):
    """A list: recent, trashed or expendable memories, some by id, a history, counts, or events."""

    view: Literal["recent", "trash", "get", "history", "stats", "events", "triage"] = "recent"
    ids: Annotated[list[MemoryId], Field(max_length=50)] = Field(default_factory=list)
    scope: Literal["project", "user", "all"] = "all"
    kind: Kind | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0

    @model_validator(mode="after")
    def names_what_it_looks_for(self) -> MemoriesRequest:
        """Refuse a look-up by id without ids and an event list without a session."""
        if self.view in {"get", "history"} and not self.ids:
            message = f"view {self.view!r} needs ids"
            raise ValueError(message)
        if self.view == "events" and self.session_id is None:
            message = "view 'events' needs session_id"
            raise ValueError(message)
        return self


class MemoryView(Wire):
    """A memory as the outside sees it. Times are UTC milliseconds since 1970."""

    id: str
    revision: int
    content: str
    kind: Kind
    scope: Scope
    project: str | None
    category: str | None
    tags: list[str]
    files: list[str]
    importance: int
    source: Source
    source_ref: str | None
    state_key: str | None
    tier: Tier
    actor: str
    device: str
    learned_at_ms: int
    true_from_ms: int | None
    true_until_ms: int | None
    confirmed_at_ms: int | None
    trashed_at_ms: int | None
    superseded_by: str | None
    commit: str | None
    branch: str | None
    suspect: bool
    standing: Standing | None = None
    standing_reason: str | None = None


class RevisionView(Wire):
    """One state that a memory had."""

    id: str
    revision: int
    change: str
    actor: str
    changed_at_ms: int
    content: str


class MemoriesReply(Wire):
    """The answer to a list request; only the part that was asked for is filled."""

    memories: list[MemoryView] = Field(default_factory=list)
    revisions: list[RevisionView] = Field(default_factory=list)
    events: list[dict[str, Any]] = Field(default_factory=list)
    stats: dict[str, Any] | None = None
    reasons: dict[str, str] = Field(default_factory=dict)
    """What speaks for the trash, by the ids of a triage."""
    total: int | None = None
