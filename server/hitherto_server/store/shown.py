"""What sessions were shown unasked, what came of it, and which kinds have lost their say.

Whoever shows something: ask `is_silenced` before it is made, and `note_shown` in the transaction
that enters its delivery.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.notice_words import in_words
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.store.driver import Connection

ShownOutcome = Literal["right", "heeded", "wrong", "ignored", "unclear"]
"""Borne out; acted on; contradicted; neither by the session's end; ended too soon to tell."""

Z = 1.96
"""95 % of the time the true share lies within the bounds."""
LEAST_SESSIONS = 3
"""One session alone may be odd in any way."""
LEAST_DECIDED = 12
MOST_RIGHT = 0.5
"""Usually wrong: of so many that were right or wrong, surely fewer than half were right."""
LEAST_SHOWN = 40
MOST_HEEDED = 0.15
"""Usually ignored: silence is weaker evidence than a contradiction, so it takes more of it."""

sql = load_queries("shown")


@dataclass(frozen=True)
class Tally:
    """How often one kind of notice was what, where it counts."""

    kind: str
    times: Mapping[str, int] = field(default_factory=dict)
    sessions: int = 0
    """In how many sessions that shows."""

    @property
    def hits(self) -> int:
        """Return how often it was right or acted on."""
        return self.times.get("right", 0) + self.times.get("heeded", 0)

    @property
    def wrong(self) -> int:
        return self.times.get("wrong", 0)

    @property
    def ignored(self) -> int:
        return self.times.get("ignored", 0)

    @property
    def rate(self) -> float | None:
        """Return the share of hits among all that could be told; None where none could."""
        told = self.hits + self.wrong + self.ignored
        return self.hits / told if told else None

    @property
    def silent_because(self) -> str | None:
        """Return why this kind is not shown any more; None while it is."""
        if self.sessions < LEAST_SESSIONS:
            return None
        decided = self.hits + self.wrong
        if decided >= LEAST_DECIDED and upper_bound(self.hits, decided) < MOST_RIGHT:
            return f"wrong in {self.wrong} of {decided} cases"
        told = decided + self.ignored
        if told >= LEAST_SHOWN and upper_bound(self.hits, told) < MOST_HEEDED:
            return f"acted on in {self.hits} of {told} cases"
        return None


def upper_bound(hits: int, of: int) -> float:
    """Return how large the share of hits may be at most (Wilson, 95 %)."""
    if of == 0:
        return 1.0
    share, square = hits / of, Z * Z / of
    spread = Z * sqrt(share * (1 - share) / of + square / (4 * of))
    return (share + square / 2 + spread) / (1 + square)


def note_shown(
    connection: Connection, kind: str, session_id: str, subject: str, *, at_ms: int
) -> bool:
    """Note that a session was shown something unasked; False if that was noted already."""
    values = {"kind": kind, "session_id": session_id, "subject": subject, "at_ms": at_ms}
    return bool(connection.execute(sql["note_shown"], values).rowcount == 1)


def take_back_shown(connection: Connection, kind: str, session_id: str, subject: str) -> None:
    """Forget something that was noted and did not arrive."""
    values = {"kind": kind, "session_id": session_id, "subject": subject}
    connection.execute(sql["take_back_shown"], values)


def is_silenced(connection: Connection, kind: str, project: int | None = None) -> bool:
    """Tell whether a kind lost its say: by a project's own figures, else by those of all."""
    own = tally(connection, kind, project) if project is not None else Tally(kind)
    enough = own.hits + own.wrong >= LEAST_DECIDED
    counted = own if enough else tally(connection, kind)
    return counted.silent_because is not None


def tally(connection: Connection, kind: str, project: int | None = None) -> Tally:
    """Return how often a kind was what, in one project or in all."""
    return next(iter(_tallies(connection, kind, project)), Tally(kind))


def list_tallies(connection: Connection, project: int | None = None) -> list[Tally]:
    """Return the tally of every kind that was shown since it counts; '' is what is not settled."""
    return _tallies(connection, None, project)


def _tallies(connection: Connection, kind: str | None, project: int | None) -> list[Tally]:
    times: dict[str, dict[str, int]] = {}
    for row in connection.execute(sql["tally"], {"kind": kind, "project": project}):
        times.setdefault(row["kind"], {})[row["outcome"] or ""] = row["times"]
    return [Tally(one, counts, counts.pop("sessions", 0)) for one, counts in times.items()]


def silent_kinds(connection: Connection) -> list[str]:
    """Say which kinds fell silent, and how they speak again."""
    return [
        f"{in_words(one.kind)}: fell silent ({one.silent_because});"
        f" `hitherto worth --again {one.kind}` lets it speak"
        for one in list_tallies(connection)
        if one.silent_because is not None
    ]


def settle(
    connection: Connection,
    kind: str,
    session_id: str,
    subject: str,
    outcome: ShownOutcome,
    *,
    because: str,
    at_ms: int,
) -> bool:
    """Say what came of something shown; what is found out later counts."""
    values = {
        "kind": kind,
        "session_id": session_id,
        "subject": subject,
        "outcome": outcome,
        "because": because,
        "at_ms": at_ms,
    }
    return bool(connection.execute(sql["settle"], values).rowcount == 1)


def switch_on(connection: Connection, kind: str, *, at_ms: int) -> None:
    """Let a kind speak again: what came of it before does not count any more."""
    connection.execute(sql["switch_on"], {"kind": kind, "at_ms": at_ms})
