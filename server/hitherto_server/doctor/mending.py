"""What `hitherto doctor --fix` mends by itself: registrations and programs, never memories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hitherto_server.core.errors import HithertoError
from hitherto_server.install.receipt import read_receipt
from hitherto_server.install.registering import register, repair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.core.home import Home
    from hitherto_server.install.receipt import Registration
    from hitherto_server.install.work import Changes


def mend(home: Home) -> Iterator[str]:
    """Bring every registration of ours to what it should be; yields what was done or left."""
    try:
        receipt = read_receipt(home)
        if not receipt.is_in_use:
            return
        yield from said_of(repair(home))
    except HithertoError as error:
        yield f"left      {error.message}"
        return
    for registration in receipt.registrations:
        yield from mend_one(home, registration)


def mend_one(home: Home, registration: Registration) -> Iterator[str]:
    """Register once more where we are registered: what is there already is not touched."""
    if registration.project is not None and not Path(registration.project).is_dir():
        yield f"left      {registration.project} is gone, and what was registered there"
        return
    try:
        yield from said_of(register(registration, home=home))
    except HithertoError as error:
        yield f"left      {error.message}"


def said_of(changes: Changes) -> Iterator[str]:
    """Yield a line for each file."""
    yield from (f"mended    {path}" for path in changes.written)
    yield from (f"left      {why}" for why in changes.skipped)
