"""Benches: how often a surface is right, on labelled sets or beside its rule on one's own store."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from hitherto_contract.base import Name, PathText, Wire

MOST_SAMPLED = 200


class BenchRequest(Wire):
    """Measure a surface now; with `project_dir`, on that project's own memories."""

    surface: Name
    backend: Literal["rules", "configured"] = "rules"
    project_dir: PathText | None = None
    limit: int = Field(default=50, ge=1, le=MOST_SAMPLED)
    sample: Literal["random", "recent"] = "recent"


class BenchQuery(Wire):
    """Ask for the runs that are kept."""

    surface: Name | None = None
    limit: int = Field(default=20, ge=1, le=MOST_SAMPLED)


class BenchView(Wire):
    """One run: its basis, what it opened, and its figures."""

    surface: str
    backend: str
    sample: str
    """`labelled`, or `own`: then agreement of judge and rule is all that is known."""
    model: str | None = None
    basis: str
    is_running: bool
    """Whether the configuration that is in force is the one that was measured."""
    passed: list[str] = Field(default_factory=list)
    report: dict[str, Any]
    ran_at_ms: int


class BenchesReply(Wire):
    """The runs, the newest first."""

    runs: list[BenchView] = Field(default_factory=list)
