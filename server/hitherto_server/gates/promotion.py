"""When a candidate becomes a memory like any other: used, confirmed, or admitted by a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.store.candidates import (
    admit,
    find_rival,
    hold,
    note_use,
    take_in,
    trusts_of,
)

if TYPE_CHECKING:
    from hitherto_server.store.driver import Connection, Row

USED_IN = 2
"""In so many sessions a candidate is asked for, and found first, before it counts as used."""
WAITS = {
    "user": "you said it: not confirmed or used yet",
    "repository": "a file of the project says it: not confirmed or used yet",
    "tool": "seen in a session: not confirmed or used yet",
    "external": "from outside: only a person admits it",
}
ORDER = ("user", "repository", "tool", "external")


@dataclass(frozen=True)
class Case:
    """What is known of a candidate that decides on it."""

    trust: str
    is_suspect: bool
    rival: str | None
    """A memory that may contradict it and is no older."""


def case_of(connection: Connection, row: Row) -> Case:
    """Return what is known of a candidate; nobody who speaks for it is like someone outside."""
    trusts = trusts_of(connection, row["number"])
    trust = next((one for one in ORDER if one in trusts), "external")
    return Case(trust, bool(row["suspect"]), find_rival(connection, row["number"]))


def bar_of(case: Case) -> str | None:
    """Return what only a person may settle, or None."""
    if case.is_suspect:
        return "suspect: it addresses an agent"
    if case.rival is not None:
        return f"it may contradict {case.rival}"
    return WAITS["external"] if case.trust == "external" else None


def settle_imported(
    connection: Connection, row: Row, *, admits: bool, actor: str, at_ms: int
) -> bool:
    """Admit what the person said themselves, if they want that; else say what it waits for."""
    case = case_of(connection, row)
    because = bar_of(case)
    if because is None and admits and case.trust == "user":
        admit(connection, row, actor=actor, at_ms=at_ms)
        return True
    hold(connection, row["number"], because or WAITS[case.trust])
    return False


def admit_confirmed(connection: Connection, row: Row, *, actor: str, at_ms: int) -> int:
    """Admit a candidate that somebody confirmed; return the revision it is at."""
    if row["tier"] != "candidate":
        return int(row["revision"])
    return admit(connection, row, actor=actor, at_ms=at_ms)


def admit_restated(connection: Connection, row: Row) -> None:
    """Admit a candidate that is being edited: its text is what somebody says now."""
    if row["tier"] == "candidate":
        take_in(connection, row["number"])


def note_asked_for(connection: Connection, row: Row, session_id: str, at_ms: int) -> bool:
    """Note that a session asked for a candidate and was given it first; admit what is used."""
    if row["tier"] != "candidate" or row["trashed_at_ms"] is not None:
        return False
    sessions = note_use(connection, row["number"], session_id, at_ms)
    if sessions < USED_IN or bar_of(case_of(connection, row)) is not None:
        return False
    admit(connection, row, actor="use", at_ms=at_ms)
    return True
