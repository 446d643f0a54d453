"""The values that recall passes on: a question, what was measured, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_contract.words import Kind, Scope, Source, Tier
    from hitherto_server.recall.sentences import Span
    from hitherto_server.standing.decide import StandingView

USER_WIDE = 0


@dataclass(frozen=True)
class Question:
    """What is asked, from where, and how much of an answer is wanted."""

    text: str
    project: int | None
    """The project's number in the store; None where the caller is in no project."""
    root: Path | None
    """The working tree that standing is checked against."""
    scope: Literal["project", "user", "all"] = "all"
    kind: Kind | None = None
    files: tuple[str, ...] = ()
    limit: int = 5
    token_budget: int = 1500
    include_superseded: bool = False
    explain: bool = False
    rerank: bool = False
    """Ask a judge, if there is one, in which order the hits matter."""

    @property
    def scopes(self) -> tuple[int, ...]:
        """The partitions to search: the project's, the user-wide one, or both."""
        project = () if self.project is None else (self.project,)
        match self.scope:
            case "project":
                return project
            case "user":
                return (USER_WIDE,)
            case "all":
                return (*project, USER_WIDE)


@dataclass(frozen=True)
class Scores:
    """What was measured of one memory; None: not measured."""

    passage: float | None = None
    """Cosine of the best passage."""
    semantic: float | None = None
    """Cosine of the memory as a whole."""
    bm25: float | None = None
    names: frozenset[str] = frozenset()
    """The query's names that it holds: once it was read, only those that stand by themselves."""
    names_share: float | None = None
    """How much of the known names of the query it holds, rare ones counting more."""
    file: str | None = None
    """The file that was asked for and that it is tied to."""
    is_exact: bool = False
    """The query gives its id."""
    is_chunk: bool = False
    """It was cut from a transcript, and is also found by what was said around it."""
    coverage: float | None = None
    held: frozenset[str] = frozenset()
    """The query's words and names that it holds, also inside longer ones."""
    fusion: float | None = None

    @property
    def terms(self) -> int:
        """How many different terms of the query it holds."""
        return len(self.held)


@dataclass(frozen=True)
class Found:
    """A memory that was looked at, with all that decides whether it is shown."""

    number: int
    id: str
    revision: int
    content: str
    kind: Kind
    scope: Scope
    source: Source
    tier: Tier
    is_suspect: bool
    tags: tuple[str, ...]
    files: tuple[str, ...]
    importance: int
    learned_at_ms: int
    changed_at_ms: int
    confirmed_at_ms: int | None
    superseded_by: str | None
    scores: Scores
    best_passage: Span | None = None
    barred: str | None = None
    """Why it may not be shown, whatever its scores: it is superseded, or expired."""
    below: str | None = None
    """Why its scores do not suffice."""
    standing: StandingView | None = None
    """None where it was not looked up: the memory ranks too low to be shown."""
    why: tuple[str, ...] = ()
    relevance: float | None = None
    """How much it matters to the question, 0 to 4, as a judge said; None: not judged."""
    wrong_sessions: int = 0
    """In how many sessions a person said that it is wrong, as it reads now."""
