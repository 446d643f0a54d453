"""What a store means, line by line: an export is a header and one JSON object for each thing.

Numbers of a database stay in it: a line names memories and projects as everybody does. Times are
UTC milliseconds since 1970.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from hitherto_contract.base import MemoryId, Wire, clean
from hitherto_contract.words import Kind, Source, Tier

FORMAT = 1
"""Grows whenever an older version could no longer take an export in as it is meant."""

Text = Annotated[str, StringConstraints(max_length=1_000_000), AfterValidator(clean)]
Label = Annotated[str, StringConstraints(max_length=4096), AfterValidator(clean)]
Time = Annotated[int, Field(ge=-(2**62), le=2**62)]
"""Whatever a store may hold: a clock may have been wrong."""
Count = Annotated[int, Field(ge=0, le=2**62)]
CategoryPath = list[Label]
"""Names from the topmost container down; the project is that of the line."""


class Header(Wire):
    """The first line: who wrote the rest, and in which form."""

    type: Literal["hitherto-export"]
    format: Count
    schema_version: Count
    version: Label
    device: Label
    exported_at_ms: Time
    project: Label | None = None
    """Of an export of one project: its identity."""
    trashed: bool
    """Whether what is in the trash is there, too."""


class End(Wire):
    """The last line: how many there are of each type, so that a file that was cut off is known."""

    type: Literal["end"]
    counts: dict[str, Count]


class ProjectLine(Wire):
    """A project."""

    type: Literal["project"]
    identity: Label
    name: Label
    seen_root: Label
    created_at_ms: Time
    seen_at_ms: Time


class CategoryLine(Wire):
    """A category of a project, or user-wide; a container comes before what it holds."""

    type: Literal["category"]
    project: Label | None
    path: Annotated[CategoryPath, Field(min_length=1)]
    created_at_ms: Time
    trashed_at_ms: Time | None


class TurnPart(Wire):
    """What was asked in a session, and what was kept of the answer."""

    prompt_id: Label
    prompt: Text
    reply: Text | None
    started_at_ms: Time
    ended_at_ms: Time | None


class SessionLine(Wire):
    """A session in which memories were learned or judged: what it was about counts for recall."""

    type: Literal["session"]
    id: Label
    client: Label
    project: Label | None
    working_dir: Text | None
    parent_session_id: Label | None
    started_at_ms: Time
    seen_at_ms: Time
    ended_at_ms: Time | None
    end_reason: Text | None
    generation: Count
    paused: bool
    turns: list[TurnPart] = Field(default_factory=list)


class EventLine(Wire):
    """An event that supports a memory; `key` is how the memories of this file name it."""

    type: Literal["event"]
    key: Count
    session_id: Label
    name: Label
    body_hash: Label
    occurred_at_ms: Time
    received_at_ms: Time
    spooled: bool
    tool_name: Text | None
    detail: dict[str, Any]


class StatePart(Wire):
    """What a change may touch, beside the content."""

    kind: Kind
    tags: list[Text]
    importance: Annotated[int, Field(ge=1, le=10)]
    category: CategoryPath | None
    state_key: Text | None
    trashed_at_ms: Time | None
    files: list[Text] = Field(default_factory=list)
    suspect: bool = False


class RevisionPart(Wire):
    """One state that a memory had."""

    revision: Annotated[int, Field(ge=1)]
    change: Literal["create", "edit", "supersede", "forget", "restore", "undo", "admit"]
    actor: Label
    changed_at_ms: Time
    content: Text
    state: StatePart


class PartPart(Wire):
    """One thing that a memory names inside a file."""

    kind: Literal["symbol", "key", "line", "mention"]
    name: Text
    region_hash: Label | None


class AnchorPart(Wire):
    """One file that a memory is tied to."""

    path: Text
    commit_hash: Label | None
    file_hash: Label | None
    verified_at_ms: Time
    parts: list[PartPart] = Field(default_factory=list)


class SupportPart(Wire):
    """What shows that a sentence of a memory was said; `event` is the key of an event's line."""

    event: Count
    sentence: Text
    polarity: Literal["affirms", "denies"]
    trust: Literal["user", "repository", "tool", "external"]


class VerdictPart(Wire):
    """What a judgment said of a memory at one revision."""

    revision: Count
    surface: Label
    answer: Text
    probability: float | None
    basis_hash: Label
    judged_at_ms: Time


class UsePart(Wire):
    """A session that asked for a candidate and was given it first."""

    session_id: Label
    used_at_ms: Time


class MergePart(Wire):
    """Two histories of a memory that met and differed."""

    kept_revision: Count
    other_revision: Count
    found_at_ms: Time


class MemoryLine(Wire):
    """A memory with all that hangs on it alone."""

    type: Literal["memory"]
    id: MemoryId
    project: Label | None
    category: CategoryPath | None
    kind: Kind
    content: Text
    tags: list[Text]
    importance: Annotated[int, Field(ge=1, le=10)]
    tier: Tier
    held_back_because: Text | None
    suspect: bool
    source: Source
    source_ref: Text | None
    idempotency_key: Text | None
    actor: Label
    device: Label
    state_key: Text | None
    true_from_ms: Time | None
    true_until_ms: Time | None
    learned_at_ms: Time
    expires_at_ms: Time | None
    session_id: Label | None
    commit_hash: Label | None
    branch: Text | None
    working_dir: Text | None
    revision: Annotated[int, Field(ge=1)]
    changed_at_ms: Time
    confirmed_at_ms: Time | None
    confirmed_commit: Label | None
    trashed_at_ms: Time | None
    revisions: Annotated[list[RevisionPart], Field(min_length=1)]
    anchors: list[AnchorPart] = Field(default_factory=list)
    supports: list[SupportPart] = Field(default_factory=list)
    verdicts: list[VerdictPart] = Field(default_factory=list)
    uses: list[UsePart] = Field(default_factory=list)
    merge_conflicts: list[MergePart] = Field(default_factory=list)

    @model_validator(mode="after")
    def is_what_its_history_says(self) -> MemoryLine:
        """Refuse a memory that is another than its newest revision."""
        last = self.revisions[-1]
        numbers = [one.revision for one in self.revisions]
        if numbers != sorted(set(numbers)):
            message = "revisions are not in order"
            raise ValueError(message)
        if (last.revision, last.content) != (self.revision, self.content):
            message = "the newest revision is not what the memory says"
            raise ValueError(message)
        return self


class RelationLine(Wire):
    """What a newer memory is to an older one; one that was taken back is kept."""

    type: Literal["relation"]
    kind: Literal["duplicate_of", "possible_conflict", "similar", "supersedes"]
    newer: MemoryId
    older: MemoryId
    said_by: Literal["rule", "judge", "agent", "person"]
    probability: float | None
    reason: Text | None
    slot: Literal["value", "polarity"] | None
    created_at_ms: Time
    decided_at_ms: Time | None
    undone_at_ms: Time | None
    undone_by: Label | None


class FeedbackLine(Wire):
    """A word that a person said of what a session was given."""

    type: Literal["feedback"]
    session_id: Label
    admission: Label
    memory: MemoryId
    revision: Count
    reason: Text | None
    said_by: Label
    said_at_ms: Time
    undone_at_ms: Time | None


class QuietLine(Wire):
    """A session or a folder that is left alone."""

    type: Literal["quiet"]
    kind: Literal["pause", "ignore"]
    session_id: Label | None
    path: Text | None
    began_at_ms: Time
    until_ms: Time | None
    ended_at_ms: Time | None


LINES: dict[str, type[Wire]] = {
    "project": ProjectLine,
    "category": CategoryLine,
    "session": SessionLine,
    "event": EventLine,
    "memory": MemoryLine,
    "relation": RelationLine,
    "feedback": FeedbackLine,
    "quiet": QuietLine,
}
"""Every type of line, in the order in which a file has them."""


class ExportRequest(Wire):
    """Write the store, or one project of it, into a file of the data home."""

    project: Label | None = None
    """A project's name, identity or folder."""
    trashed: bool = False


class ExportReply(Wire):
    """Where the export is: the caller moves it away."""

    path: str
    counts: dict[str, int]
    trashed_left_out: int


class ImportRequest(Wire):
    """Take in a file that lies in the data home's folder of backups under this name."""

    name: Annotated[str, StringConstraints(pattern=r"^\.import-[0-9a-f]{16}\.(jsonl|db)\.part$")]
    merge: bool = False
    projects: dict[Label, Label] = Field(default_factory=dict)
    """Which project here is which one there: old → new, by name, identity or folder."""


class ImportReply(Wire):
    """What became of an import, counted."""

    counts: dict[str, int]
    notes: list[str] = Field(default_factory=list)
    conflicts: list[str] = Field(default_factory=list)
    """Memories that were changed on both sides."""
    backup: str | None = None
    """The store as it was before."""
