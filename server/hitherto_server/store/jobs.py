"""What is to be done in the background: leased, tried again, given up, and never twice at once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.queries import load_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hitherto_server.store.driver import Connection, Row

VERIFY, INDEX, RELATE, CLASSIFY, BACKFILL = 10, 20, 40, 50, 90
"""Priorities, the smaller first: what is shown must be right before what is found is complete."""

sql = load_queries("jobs")


@dataclass(frozen=True)
class Job:
    """A job as whoever took it has it."""

    id: int
    kind: str
    subject: str
    payload: str
    attempts: int
    """With this one. It tells a lease from the next one."""
    progress: str | None


@dataclass(frozen=True)
class Soonest:
    """When there is something to do next; None: nothing of that sort."""

    due_ms: int | None
    ends_ms: int | None
    """When a lease ends whose holder may be gone."""


def put(
    connection: Connection,
    kind: str,
    subject: str,
    *,
    priority: int,
    at_ms: int,
    not_before_ms: int = 0,
    payload: str = "{}",
) -> None:
    """Note that something is to be done; what waits or is worked at already stays one job."""
    values = {
        "kind": kind,
        "subject": subject,
        "payload": payload,
        "priority": priority,
        "not_before_ms": not_before_ms,
        "at_ms": at_ms,
    }
    connection.execute(sql["drop_ended"], values)
    connection.execute(sql["put"], values)


def lease(connection: Connection, kinds: Iterable[str], *, at_ms: int, until_ms: int) -> Job | None:
    """Take the most urgent job that is due, or None."""
    values = {"kinds": json.dumps(sorted(kinds)), "at_ms": at_ms}
    found = connection.execute(sql["next"], values).fetchone()
    if found is None:
        return None
    leasing = {"id": found["id"], "until_ms": until_ms}
    row = connection.execute(sql["lease"], leasing).fetchone()
    return None if row is None else Job(**dict(row))


def holds(connection: Connection, job: Job) -> bool:
    """Tell whether a job is still its taker's: not cancelled, and not taken by another."""
    values = {"id": job.id, "attempts": job.attempts}
    return connection.execute(sql["holds"], values).fetchone() is not None


def free_expired(connection: Connection, *, at_ms: int, most: int) -> int:
    """Give back the jobs whose lease has ended; one taken `most` times in vain is given up."""
    values = {"at_ms": at_ms, "most": most, "all": False}
    return int(connection.execute(sql["free"], values).rowcount)


def free_all(connection: Connection, *, at_ms: int, most: int) -> int:
    """Give back every job that an earlier process had taken, and forget what was cancelled."""
    connection.execute(sql["drop_cancelled"])
    values = {"at_ms": at_ms, "most": most, "all": True}
    return int(connection.execute(sql["free"], values).rowcount)


def is_due(connection: Connection, kinds: Iterable[str], *, at_ms: int) -> bool:
    """Tell whether there is a job to take or to give back."""
    values = {"kinds": json.dumps(sorted(kinds)), "at_ms": at_ms}
    due = connection.execute(sql["next"], values).fetchone()
    return due is not None or connection.execute(sql["expired"], values).fetchone() is not None


def find_soonest(connection: Connection, kinds: Iterable[str]) -> Soonest:
    """Return when the next job is due and when the next lease ends."""
    values = {"kinds": json.dumps(sorted(kinds))}
    return Soonest(**dict(connection.execute(sql["soonest"], values).fetchone()))


def note_done(connection: Connection, job: Job) -> None:
    """Note that a job is done."""
    connection.execute(sql["done"], {"id": job.id})


def wait(
    connection: Connection, job: Job, *, not_before_ms: int, failure: str | None, counts: bool
) -> None:
    """Have a job tried again later."""
    values = {"id": job.id, "not_before_ms": not_before_ms, "failure": failure}
    connection.execute(sql["wait"], {**values, "uncounted": int(not counts)})


def fail(connection: Connection, job: Job, *, failure: str | None, at_ms: int) -> None:
    """Give a job up; it stays visible until it is retried or asked for anew."""
    connection.execute(sql["fail"], {"id": job.id, "failure": failure, "at_ms": at_ms})


def note_progress(connection: Connection, job: Job, progress: str) -> None:
    """Say how far a job is."""
    connection.execute(sql["progress"], {"id": job.id, "progress": progress})


def cancel(
    connection: Connection, kinds: Iterable[str], *, at_ms: int, job_id: int | None = None
) -> int:
    """Cancel the jobs of some kinds, or one of them, and return how many that were.

    What is being worked at writes nothing any more.
    """
    values = {"kinds": json.dumps(sorted(kinds)), "at_ms": at_ms, "id": job_id}
    return int(connection.execute(sql["cancel"], values).rowcount)


def retry(connection: Connection, *, job_id: int | None = None) -> int:
    """Take up again what failed for good, and return how many jobs that were."""
    return int(connection.execute(sql["retry"], {"id": job_id}).rowcount)


def count_by_kind(connection: Connection, kinds: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return how many jobs of each kind are in each state."""
    found: dict[str, dict[str, int]] = {}
    values = {"kinds": json.dumps(sorted(kinds))}
    for row in connection.execute(sql["counts"], values):
        found.setdefault(row["kind"], {})[row["state"]] = row["count"]
    return found


def list_failed(connection: Connection, *, most: int) -> list[Row]:
    """Return the jobs that failed for good, the latest first."""
    return connection.execute(sql["failed"], {"most": most}).fetchall()


def list_at_work(connection: Connection, kinds: Iterable[str]) -> list[Row]:
    """Return the jobs that are worked at, and those that are done bit by bit."""
    values = {"kinds": json.dumps(sorted(kinds))}
    return connection.execute(sql["at_work"], values).fetchall()


def is_live(connection: Connection, kind: str) -> bool:
    """Tell whether a job of a kind waits or is worked at."""
    return connection.execute(sql["live"], {"kind": kind}).fetchone() is not None
