"""Why the server did not start: written down, so that whoever finds it away can say so."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from hitherto_server.core.private_file import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.core.errors import HithertoError
    from hitherto_server.core.home import Home


@dataclass(frozen=True)
class FailedStart:
    """The expected failure that ended a start."""

    code: str
    message: str
    mend: str
    at_s: float


def note_failed_start(home: Home, error: HithertoError) -> None:
    """Write down what ended a start; on a full or read-only disk nothing is."""
    failed = FailedStart(error.code, error.message, error.mend, time.time())
    with suppress(OSError):
        write_private(_file(home), json.dumps(asdict(failed)))


def find_failed_start(home: Home) -> FailedStart | None:
    """Return why the last start failed, if it did."""
    try:
        return FailedStart(**json.loads(_file(home).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def forget_failed_start(home: Home) -> None:
    """Note that a server runs."""
    with suppress(OSError):
        _file(home).unlink(missing_ok=True)


def _file(home: Home) -> Path:
    return home.run / "failed.json"
