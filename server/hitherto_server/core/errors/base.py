"""What every expected failure is."""

from __future__ import annotations

from typing import ClassVar


class HithertoError(Exception):
    """An expected failure: a code of docs/errors.md, what happened, and what mends it."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    default_mend: ClassVar[str] = "Run `hitherto doctor`."

    def __init__(self, message: str, *, mend: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend or self.default_mend
