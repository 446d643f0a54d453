"""The closed choices of the domain, spelled once."""

from __future__ import annotations

from typing import Literal

Standing = Literal["current", "changed", "stale", "superseded", "conflicting", "unverified"]
Kind = Literal["decision", "issue", "preference", "fact", "note", "plan", "workflow", "dossier"]
Source = Literal["user-told", "agent", "plan", "compaction", "transcript", "import", "external"]
Tier = Literal["candidate", "admitted"]
Scope = Literal["project", "user"]
