"""Every surface there is; docs/judgments.md is generated from it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitherto_server.judge.surface import Surface

MODULES = (
    "relations",
    "supersession",
    "importance_kind",
    "historical_query",
    "rerank",
    "brief_rank",
    "duplicate_gate",
    "secret_gate",
    "category_check",
    "stale_check",
    "edit_stale",
    "trash_triage",
    "prompt_urgency",
    "task_boundary",
    "session_lookup",
    "user_learning",
    "loop_goal",
    "agent_message",
    "turn_worth",
    "claim_check",
    "compact_digest",
    "plan_conflict",
)
"""Under `judge/surfaces`; each module has one `SURFACE`."""


def surfaces() -> dict[str, Surface]:
    """Return all surfaces by name; it imports them, so no start calls it."""
    found = (import_module(f"hitherto_server.judge.surfaces.{name}").SURFACE for name in MODULES)
    return {one.name: one for one in found}
