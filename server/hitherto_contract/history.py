"""Importing a client's history, and the candidates that it leaves."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from hitherto_contract.base import MemoryId, PathText, Wire
from hitherto_contract.words import Kind


class HistoryRequest(Wire):
    """Which client's history: its folder, by its absolute path."""

    client_home: PathText


class HistoryImportRequest(HistoryRequest):
    """Import it. `admits`: the person admits at once what they said themselves."""

    admits: bool = False


class HistoryUndoRequest(Wire):
    """Take an import back; without a number the newest that stands."""

    number: Annotated[int, Field(ge=1, le=2**53)] | None = None


class HistorySample(Wire):
    """One of the first things that were found."""

    kind: Kind
    project: str
    text: str


class HistoryShown(Wire):
    """A past prompt, and the memory that recall would have given for it. Times are UTC ms."""

    prompt: str
    asked_at_ms: int
    memory: str
    content: str
    learned_at_ms: int
    is_candidate: bool


class HistoryReply(Wire):
    """How far the look or the import is, and what it found."""

    phase: Literal["idle", "looking", "importing", "finishing", "done", "failed"]
    number: int | None = None
    files: int = 0
    files_done: int = 0
    bytes: int = 0
    bytes_done: int = 0
    unchanged: int = 0
    skipped_lines: int = 0
    failed_files: int = 0
    by_kind: dict[str, int] = Field(default_factory=dict)
    by_project: dict[str, int] = Field(default_factory=dict)
    samples: list[HistorySample] = Field(default_factory=list)
    outcomes: dict[str, int] = Field(default_factory=dict)
    admitted: int = 0
    shown: HistoryShown | None = None
    failure: str | None = None


class HistoryUndone(Wire):
    """What an undo did; `stays` names what somebody confirmed, edited or admitted since."""

    number: int
    trashed: int
    stays: list[str] = Field(default_factory=list)


class ImportView(Wire):
    """One import. Times are UTC milliseconds."""

    number: int
    began_at_ms: int
    finished_at_ms: int | None
    undone_at_ms: int | None
    memories: int


class ImportsReply(Wire):
    """Every import, the newest first."""

    imports: list[ImportView] = Field(default_factory=list)


class CandidatesRequest(Wire):
    """The queue of candidates: of a folder's project and everywhere, or of all projects."""

    project_dir: PathText | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class CandidateView(Wire):
    """A candidate, and what holds it back. Times are UTC milliseconds."""

    id: str
    revision: int
    kind: Kind
    project: str | None
    content: str
    because: str | None
    learned_at_ms: int
    waits_since_ms: int


class CandidatesReply(Wire):
    """The candidates, the one that waits longest first."""

    candidates: list[CandidateView] = Field(default_factory=list)


class AdmitRequest(Wire):
    """Admit candidates by their ids: a person's word."""

    ids: Annotated[list[MemoryId], Field(max_length=500)] = Field(default_factory=list)

    @model_validator(mode="after")
    def names_some(self) -> AdmitRequest:
        """Refuse a request that names nothing."""
        if not self.ids:
            message = "admit needs ids"
            raise ValueError(message)
        return self


class AdmitReply(Wire):
    """Which candidates are memories like any other now; the others were so already."""

    admitted: list[str] = Field(default_factory=list)
