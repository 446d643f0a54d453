"""What the server says about itself, and how it says that something is wrong."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from hitherto_contract.base import Wire
from hitherto_contract.control import QuietView


class Health(Wire):
    """The handshake: who answers, and which protocol it speaks."""

    name: Literal["hitherto"] = "hitherto"
    version: str
    protocol: int


class Status(Wire):
    """The server's state. Times are UTC milliseconds, sizes bytes."""

    version: str
    protocol: int
    pid: int
    started_at_ms: int
    home: str
    url: str | None
    database_bytes: int
    schema_version: int
    driver: str
    vector_index: str
    model: dict[str, Any]
    memories: dict[str, int]
    pending: dict[str, int]
    spool: dict[str, int]
    lost_writes: int
    notices: list[str] = Field(default_factory=list)
    quiet: list[QuietView] = Field(default_factory=list)
    backups: dict[str, Any] = Field(default_factory=dict)
    """How many there are, their bytes, the newest with its time, and why the last one failed."""
    damage: str | None = None
    """What is known to be wrong with the database; nothing more is written then."""


class ErrorBody(Wire):
    """What went wrong, by a code of docs/errors.md, and what mends it."""

    code: str
    message: str
    mend: str
    details: list[dict[str, Any]] = Field(default_factory=list)


class ErrorReply(Wire):
    """The body of every reply that is not a success."""

    error: ErrorBody
