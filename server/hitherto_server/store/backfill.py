"""Runs that judge what was written before anybody judged: what is left, and how far one is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_contract.background import BackfillState as State
    from hitherto_server.store.driver import Connection

ABOVE_ALL = 2**63 - 1
LEAST_LOGGED = 20

sql = load_queries("backfill")


@dataclass(frozen=True)
class Run:
    """One run, as the store keeps it."""

    id: int
    state: State
    why: str | None
    """Why it rests, or ended."""
    before_number: int | None
    total: int
    judged: int
    passed_over: int
    relations: int
    superseded: int
    kinds: int
    disagreements: int
    failures: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    worked_ms: int
    began_at_ms: int
    finished_at_ms: int | None


@dataclass(frozen=True)
class Unjudged:
    """A memory, and what of it is to be judged."""

    number: int
    id: str
    relate: bool
    classify: bool


@dataclass(frozen=True)
class Wanted:
    """What a run judges: the surfaces that may ask, and whose vectors tell who is near."""

    relate: bool
    classify: bool
    model: str | None


@dataclass(frozen=True)
class Counts:
    """What became of one memory."""

    judged: int = 0
    passed_over: int = 0
    relations: int = 0
    superseded: int = 0
    kinds: int = 0
    disagreements: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


def list_unjudged(
    connection: Connection, wanted: Wanted, *, before: int | None = None, most: int = -1
) -> list[Unjudged]:
    """Return what is still to be judged below a number, the newest first."""
    values = {**vars(wanted), "before": before or ABOVE_ALL, "most": most}
    return [
        Unjudged(row["number"], row["id"], bool(row["relate"]), bool(row["classify"]))
        for row in connection.execute(sql["unjudged"], values)
    ]


def sum_lengths(connection: Connection, numbers: Iterable[int], *, most_chars: int) -> int:
    """Return how many characters of some memories would be shown."""
    values = {"numbers": json.dumps(list(numbers)), "most_chars": most_chars}
    return int(connection.execute(sql["lengths"], values).fetchone()[0])


def find_mean_tokens(connection: Connection, surface: str) -> float | None:
    """Return what a request of a surface took on average, where enough are logged to tell."""
    values = {"surface": surface, "least": LEAST_LOGGED}
    row = connection.execute(sql["means"], values).fetchone()
    return None if row is None else float(row["tokens"])


def begin(connection: Connection, *, total: int, at_ms: int) -> Run:
    """Begin a run."""
    row = connection.execute(sql["start"], {"total": total, "at_ms": at_ms}).fetchone()
    return Run(**dict(row))


def find_live(connection: Connection) -> Run | None:
    """Return the run that goes on or is paused, if there is one."""
    row = connection.execute(sql["live"]).fetchone()
    return None if row is None else Run(**dict(row))


def find_last(connection: Connection) -> Run | None:
    """Return the newest run, if there was one."""
    row = connection.execute(sql["last"]).fetchone()
    return None if row is None else Run(**dict(row))


def set_state(
    connection: Connection, run: Run, state: State, *, why: str | None, at_ms: int
) -> None:
    """Have a run go on, rest or end."""
    ended = at_ms if state in {"done", "cancelled"} else None
    values = {"id": run.id, "state": state, "why": why, "finished_at_ms": ended}
    connection.execute(sql["set_state"], values)


def count(connection: Connection, run: Run, counts: Counts) -> None:
    """Add what became of one memory."""
    connection.execute(sql["count"], {**vars(counts), "id": run.id})


def note_step(
    connection: Connection,
    run: Run,
    *,
    before: int | None,
    worked_ms: int,
    failures: int,
    why: str | None,
) -> None:
    """Note how far a run is."""
    values = {"before_number": before, "worked_ms": worked_ms, "failures": failures, "why": why}
    connection.execute(sql["step"], {**values, "id": run.id})
