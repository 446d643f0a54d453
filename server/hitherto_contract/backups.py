"""Backups: what was made, and which there are."""

from __future__ import annotations

from pydantic import Field

from hitherto_contract.base import Wire


class BackupRequest(Wire):
    """Make a backup now."""


class BackupReply(Wire):
    """A backup that was made and proved."""

    path: str
    size_bytes: int
    memories: int
    took_ms: float


class BackupView(Wire):
    """One backup; `why` is auto, manual, before-schema, before-import, replaced or other."""

    path: str
    why: str
    made_at_ms: int
    size_bytes: int


class BackupFailure(Wire):
    """Why the last backup failed, and what mends it."""

    at_ms: int
    message: str
    mend: str


class BackupsReply(Wire):
    """The backups there are, the newest first, and what went wrong last."""

    backups: list[BackupView] = Field(default_factory=list)
    failure: BackupFailure | None = None
    damage: str | None = None
    """What is known to be wrong with the database."""
