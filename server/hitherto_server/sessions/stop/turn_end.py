"""A turn at its end, in the shape in which a judge is shown it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.judge.turn_state import Ended, Ran

if TYPE_CHECKING:
    from hitherto_server.store.evidence import Evidence


def ended(message: str, done: Evidence, everything: Evidence) -> Ended:
    """Return a turn's last words beside what its tools did, and the session's before."""
    own = set(done.commands)
    return Ended(
        message=message,
        commands=[
            Ran(one.line, one.failed, one.exit_code, one.tail, is_earlier=one not in own)
            for one in everything.commands
        ],
        results=[(one.tool, one.tail) for one in everything.results],
        files=done.files,
    )
