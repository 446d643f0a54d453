"""What sessions were shown unasked, what came of it, and which kinds have lost their say.

Whoever shows something: ask `is_silenced` before it is made, and `note_shown` in the transaction
that enters its delivery.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Literal

from hitherto_server.core.notice_words import in_words
from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hitherto_server.store.driver import Connection, Row

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

MOST_GIVEN = 2000
MOST_ROWS = 5000
SLACK_MS = 60_000
"""What a session does may be noted a moment after its last event."""

sql = load_queries("worth")


@dataclass(frozen=True)
class NewWorth:
    """What became of one memory that a session was given."""

    session_id: str
    agent: str
    generation: int
    number: int
    revision: int
    outcome: str
    blame: str | None
    because: str
    standing: str | None
    tokens: int | None
    at_ms: int


@dataclass(frozen=True)
class Cost:
    """What a session's replies took, each counted once; None: not known."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_tokens: int | None = None
    cache_read_tokens: int | None = None
    replies: int | None = None
    silent_replies: int | None = None


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


def list_given(connection: Connection, session_id: str) -> list[Row]:
    """Return what a session was given, each with its text as it was then."""
    values = {"session_id": session_id, "most": MOST_GIVEN}
    return connection.execute(sql["given"], values).fetchall()


def files_of(connection: Connection, numbers: Iterable[int]) -> dict[int, list[str]]:
    """Return the files that memories are tied to."""
    found: dict[int, list[str]] = {}
    for row in connection.execute(sql["files_of"], {"numbers": json.dumps(list(numbers))}):
        found.setdefault(row["number"], []).append(row["path"])
    return found


def read(connection: Connection, name: str, session_id: str) -> list[Row]:
    """Return the rows of one of the queries about a session."""
    values = {"session_id": session_id, "most": MOST_ROWS, "slack_ms": SLACK_MS}
    return connection.execute(sql[name], values).fetchall()


def find_memory(connection: Connection, memory_id: str) -> Row | None:
    """Return a memory's number and text, if there is one of that id."""
    row: Row | None = connection.execute(sql["memory_of_id"], {"id": memory_id}).fetchone()
    return row


def put_worths(connection: Connection, session_id: str, found: Iterable[NewWorth]) -> None:
    """Keep what became of what a session was given, in place of what was found out before."""
    connection.execute(sql["drop_worth"], {"session_id": session_id})
    connection.executemany(sql["put_worth"], [vars(one) for one in found])


def put_cost(
    connection: Connection,
    session_id: str,
    cost: Cost,
    *,
    through_event: int,
    transcript: str | None,
    at_ms: int,
) -> None:
    """Keep what a session took; what is not known now does not replace what was known."""
    values = {
        **vars(cost),
        "session_id": session_id,
        "through_event": through_event,
        "transcript": transcript,
        "at_ms": at_ms,
    }
    connection.execute(sql["put_cost"], values)


def last_event(connection: Connection, session_id: str) -> int:
    """Return the number of a session's last event, 0 where there is none."""
    return int(connection.execute(sql["last_event"], {"session_id": session_id}).fetchone()[0])


def find_transcript(connection: Connection, session_id: str) -> str | None:
    """Return where a session's transcript was."""
    row = connection.execute(sql["transcript"], {"session_id": session_id}).fetchone()
    return None if row is None else row["transcript"]


def list_waiting(connection: Connection, *, since_ms: int, until_ms: int, most: int) -> list[str]:
    """Return the sessions of a time whose last events were not looked at, the latest first."""
    values = {"since_ms": since_ms, "until_ms": until_ms, "most": most}
    return [row["id"] for row in connection.execute(sql["waiting"], values)]


def find_cost(connection: Connection, session_id: str) -> Row | None:
    """Return what a session took, if it was looked at."""
    row: Row | None = connection.execute(sql["cost"], {"session_id": session_id}).fetchone()
    return row


def list_outcomes(connection: Connection, session_id: str) -> list[Row]:
    """Return what became of what a session was given."""
    return connection.execute(sql["outcomes"], {"session_id": session_id}).fetchall()


def list_totals(connection: Connection, project: int | None = None) -> list[Row]:
    """Return how often what was given was what, and the tokens of that."""
    return connection.execute(sql["totals"], {"project": project}).fetchall()


def sum_costs(connection: Connection, project: int | None = None) -> Row:
    """Return what all known sessions took together; null where none of them says."""
    row: Row = connection.execute(sql["costs"], {"project": project}).fetchone()
    return row


def find_latest(connection: Connection, project: int | None = None) -> str | None:
    """Return the session that was looked at and was at work last."""
    row = connection.execute(sql["latest"], {"project": project}).fetchone()
    return None if row is None else str(row["session_id"])
