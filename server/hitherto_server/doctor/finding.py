"""What a look at one thing came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitherto_server.core.errors import HithertoError


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    said: str
    mend: str = ""


def well(what: str, said: str) -> Finding:
    """Return what is as it should be."""
    return Finding(what, ok=True, said=said)


def fault(what: str, said: str, mend: str) -> Finding:
    """Return what is not, with its mend."""
    return Finding(what, ok=False, said=said, mend=mend)


def unusable(what: str, error: HithertoError) -> Finding:
    """Return what an expected failure says of it."""
    return Finding(what, ok=False, said=error.message, mend=error.mend)
