"""Clean-up: what its lists offer, and what is done with it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from hitherto_contract.base import PathText, Wire
from hitherto_contract.memories import Placed
from hitherto_contract.words import Kind, Scope, Source

MOST_AT_ONCE = 500

CleaningList = Literal["duplicates", "expendable", "misfiled", "replaced", "conflicts", "stale"]
CleaningChoice = Literal[
    "trash",
    "trash-newer",
    "trash-older",
    "supersede",
    "move",
    "take-back",
    "newer",
    "older",
    "confirm",
]
EntryId = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True)]
"""As a list gives it: it carries the revisions that were seen, behind its @."""
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=100)]
ActionNumber = Annotated[int, Field(ge=1, le=2**53)]


class CleaningMemory(Wire):
    """A memory as a list shows it. Times are UTC milliseconds."""

    id: str
    revision: int
    text: str
    kind: Kind
    scope: Scope
    project: str | None
    category: str | None
    importance: int
    source: Source
    learned_at_ms: int


class CleaningScore(Wire):
    """How expendable a memory was judged to be: 0 irreplaceable … 4 expendable."""

    score: float
    confidence: float
    model: str
    judged_at_ms: int


class CleaningEntry(Wire):
    """One thing that a list offers; of a pair the newer memory comes first."""

    id: str
    memories: list[CleaningMemory]
    reasons: list[str]
    said_by: Literal["rule", "judge", "agent", "person"]
    probability: float | None = None
    said_at_ms: int | None = None
    choices: list[CleaningChoice]
    """What `apply` can do; the first is done unless another is named."""
    category: str | None = None
    """Where it belongs, among the misfiled."""
    score: CleaningScore | None = None


class TriageView(Wire):
    """How far the judging of the expendable ones is."""

    candidates: int
    scored: int
    judged: int
    """By this run."""
    reused: int
    """Scored before, and still so."""
    failed: dict[str, int] = Field(default_factory=dict)
    """Why how many got no score."""
    done: bool
    cancelled: bool = False


class CleaningPage(Wire):
    """A part of a list; `cursor` brings the next one."""

    which: CleaningList
    entries: list[CleaningEntry] = Field(default_factory=list)
    cursor: str | None = None
    triage: TriageView | None = None
    """Of the expendable ones alone."""


class CleaningQuery(Wire):
    """Which part of a list: of a folder's project and everywhere, or of all projects.

    With `stream` the expendable ones are judged, at most `limit` of them, and each line of the
    answer is a page that says how far that is.
    """

    limit: Annotated[int, Field(ge=1, le=2000)] | None = None
    cursor: Cursor | None = None
    project_dir: PathText | None = None
    stream: bool = False


class CleaningActionsQuery(Wire):
    """Which of the actions, the latest first."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Cursor | None = None


class CleaningRequest(Placed):
    """Apply or dismiss entries, all or none."""

    ids: Annotated[list[EntryId], Field(min_length=1, max_length=MOST_AT_ONCE)]


class CleaningApplyRequest(CleaningRequest):
    """Do what entries offer: what is chosen, else what each has first."""

    choice: CleaningChoice | None = None


class CleaningDone(Wire):
    """What was done; `action` takes it back."""

    action: int
    which: CleaningList
    entries: int
    revisions: dict[str, int] = Field(default_factory=dict)
    """What the memories that were changed are at now."""


class CleaningUndoRequest(Placed):
    """Take an action back as a whole."""

    action: ActionNumber


class CleaningUndone(Wire):
    """What was taken back."""

    action: int
    which: CleaningList
    deed: Literal["apply", "dismiss"]
    revisions: dict[str, int] = Field(default_factory=dict)


class CleaningActionView(Wire):
    """What somebody did with a list. Times are UTC milliseconds."""

    action: int
    which: CleaningList
    deed: Literal["apply", "dismiss"]
    actor: str
    memories: int
    done_at_ms: int
    undone_at_ms: int | None
    undone_by: str | None


class CleaningActions(Wire):
    """What was done, the latest first."""

    actions: list[CleaningActionView] = Field(default_factory=list)
    cursor: str | None = None


class CleaningCancelled(Wire):
    """Whether a run was on that is ended now."""

    cancelled: bool
