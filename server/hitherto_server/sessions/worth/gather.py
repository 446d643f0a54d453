"""Reads what the store knows of a session, and writes what its memories were worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hitherto_server.sessions.worth.acts import Act
from hitherto_server.sessions.worth.assess import Change, Given, worth_of
from hitherto_server.sessions.worth.shown import Cleared, Course, Shown, settled, standing_settled
from hitherto_server.sessions.worth.traces import traces_of
from hitherto_server.store import worth as rows
from hitherto_server.store.shown import note_shown, settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hitherto_server.sessions.worth.acts import ActKind
    from hitherto_server.sessions.worth.assess import ChangeKind, Worth
    from hitherto_server.sessions.worth.transcript import Seen
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.shown import ShownOutcome

CHANGES: Mapping[str, ChangeKind] = {
    "supersedes": "superseded",
    "possible_conflict": "conflict",
    "edit": "edited",
    "forget": "forgotten",
}
KINDS: Mapping[str, ActKind] = {"command": "command", "edit": "edit"}
STANDING, BLOCK = "standing:", "block:"


@dataclass(frozen=True)
class Known:
    """What was found out about a session."""

    worths: tuple[rows.NewWorth, ...]
    settled: tuple[tuple[Shown, ShownOutcome, str], ...]
    """What was shown, what came of it, and what shows that."""
    standings: tuple[tuple[Shown, ShownOutcome, str], ...]
    through_event: int


def find_out(connection: Connection, session_id: str, seen: Seen | None) -> Known:
    """Return what became of what a session was given and shown."""
    through = rows.last_event(connection, session_id)
    given = rows.list_given(connection, session_id)
    files = rows.files_of(connection, {row["number"] for row in given})
    course = _course(connection, session_id, seen)
    worths, standings = [], []
    for row in given:
        one = _given(row, files)
        worth = worth_of(one, course.acts, course.changes)
        worths.append(_new(session_id, row, worth))
        if row["standing"] and not row["agent"]:
            what = Shown(STANDING + row["standing"], row["id"], row["at_ms"])
            standings.append((what, *standing_settled(row["standing"], worth)))
    shown = [
        Shown(row["kind"], row["subject"], row["shown_at_ms"])
        for row in _read(connection, "shown_in", session_id)
        if not row["kind"].startswith(STANDING)
        # a stop knows best what came of its block
        if row["outcome"] is None or not row["kind"].startswith(BLOCK)
    ]
    course = _with_signs(connection, course, shown)
    came = tuple((one, *settled(one, course)) for one in shown)
    return Known(tuple(worths), came, tuple(standings), through)


def keep(connection: Connection, session_id: str, known: Known, *, at_ms: int) -> None:
    """Write what was found out; again, it replaces what was found out before."""
    rows.put_worths(connection, session_id, known.worths)
    for shown, _, _ in known.standings:
        note_shown(connection, shown.kind, session_id, shown.subject, at_ms=shown.at_ms)
    for shown, outcome, because in (*known.settled, *known.standings):
        settle(
            connection, shown.kind, session_id, shown.subject, outcome,
            because=because, at_ms=at_ms,
        )  # fmt: skip


def _course(connection: Connection, session_id: str, seen: Seen | None) -> Course:
    acts = [
        Act(row["at_ms"], "prompt", row["text"]) for row in _read(connection, "asked", session_id)
    ]
    # a transcript shows all that the evidence does, and more
    acts += _evident(connection, session_id) if seen is None else seen.acts
    return Course(
        acts=tuple(sorted(acts, key=lambda act: act.at_ms)),
        changes=tuple(_changes(connection, session_id)),
        stored_ms=tuple(row["at_ms"] for row in _read(connection, "stored", session_id)),
        called_ms=tuple(row["at_ms"] for row in _read(connection, "own_calls", session_id)),
        planned_ms=tuple(row["at_ms"] for row in _read(connection, "planned", session_id)),
        cleared=tuple(
            Cleared(row["kind"], row["subject"], row["at_ms"], str(row["cleared_by"]))
            for row in _read(connection, "cleared", session_id)
        ),
    )


def _evident(connection: Connection, session_id: str) -> Iterator[Act]:
    for row in _read(connection, "done", session_id):
        kind = KINDS.get(row["kind"])
        if kind is None:
            continue
        is_edit = kind == "edit"
        path, text = (row["subject"], "") if is_edit else ("", row["subject"])
        yield Act(row["at_ms"], kind, text, path, row["agent"])
        if row["tail"]:
            yield Act(row["at_ms"], "result", row["tail"], agent=row["agent"])


def _changes(connection: Connection, session_id: str) -> Iterator[Change]:
    for name, kind in (("said_wrong", "said-wrong"), ("judged_stale", "judged-stale"),
                       ("confirmed", "confirmed")):  # fmt: skip
        for row in _read(connection, name, session_id):
            yield Change(row["number"], kind, row["at_ms"])  # type: ignore[arg-type]
    for name in ("replaced", "changed"):
        for row in _read(connection, name, session_id):
            yield Change(row["number"], CHANGES[row["kind"]], row["at_ms"])


def _with_signs(connection: Connection, course: Course, shown: Sequence[Shown]) -> Course:
    """Add the memories that something was shown of."""
    found = {
        one.subject: row
        for one in shown
        if (row := rows.find_memory(connection, one.subject)) is not None
    }
    files = rows.files_of(connection, [row["number"] for row in found.values()])
    traces = {
        name: (row["number"], traces_of(row["content"], files.get(row["number"], ())))
        for name, row in found.items()
    }
    return replace(course, traces=traces)


def _given(row: Row, files: Mapping[int, Sequence[str]]) -> Given:
    traces = traces_of(row["content"], files.get(row["number"], ()))
    return Given(row["number"], row["at_ms"], traces, row["agent"], row["standing"])


def _new(session_id: str, row: Row, worth: Worth) -> rows.NewWorth:
    return rows.NewWorth(
        session_id=session_id,
        agent=row["agent"],
        generation=row["generation"],
        number=row["number"],
        revision=row["revision"],
        outcome=worth.outcome,
        blame=worth.blame,
        because=worth.because,
        standing=row["standing"],
        tokens=row["tokens"],
        at_ms=row["at_ms"],
    )


def _read(connection: Connection, name: str, session_id: str) -> list[Row]:
    return rows.read(connection, name, session_id)
