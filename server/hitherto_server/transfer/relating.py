"""What memories of an import are to each other, and what people said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hitherto_server.store.relations import would_circle
from hitherto_server.store.transfer import sql

if TYPE_CHECKING:
    from hitherto_server.store.driver import Row
    from hitherto_server.transfer.incoming import Intake

    Line = dict[str, Any]

SAID_BY_MERGE: Line = {
    "said_by": "rule",
    "probability": None,
    "slot": None,
    "decided_at_ms": None,
    "undone_at_ms": None,
    "undone_by": None,
}


def put_relation(intake: Intake, line: Line) -> None:
    """Write a relation, unless it is known or was taken back here since."""
    newer, older = intake.memories.get(line["newer"]), intake.memories.get(line["older"])
    if newer is None or older is None or newer == older:
        return
    values = {**line, "newer_number": newer, "older_number": older}
    said = intake.connection.execute(sql["same_relations"], values).fetchall()
    if line["undone_at_ms"] is not None:
        _put_undone(intake, values, said)
    elif not any(one["undone_at_ms"] is None or _undone_since(one, line) for one in said):
        _put_live(intake, values)


def _undone_since(one: Row, line: Line) -> bool:
    return bool(one["undone_at_ms"] >= line["created_at_ms"])


def _put_live(intake: Intake, values: Line) -> None:
    newer, older = values["newer_number"], values["older_number"]
    if values["kind"] == "supersedes" and would_circle(intake.connection, newer, older):
        reason = "each side says that its memory replaces the other"
        intake.report.notes.append(f"{values['newer']} and {values['older']}: {reason}")
        conflict = {**values, **SAID_BY_MERGE, "kind": "possible_conflict", "reason": reason}
        _put_unless_said(intake, conflict)
        return
    _put(intake, values)


def _put_undone(intake: Intake, values: Line, said: list[Row]) -> None:
    at_ms = values["undone_at_ms"]
    if any(one["undone_at_ms"] == at_ms for one in said):
        return
    for one in said:
        if one["undone_at_ms"] is None and one["created_at_ms"] <= at_ms:
            intake.connection.execute(sql["undo_relation"], {**values, "id": one["id"]})
            return
    _put(intake, values)


def say_duplicate(intake: Intake, number: int, learned_at_ms: int, twin: Row) -> None:
    """Say that two memories are the same statement."""
    is_newer = learned_at_ms >= twin["learned_at_ms"]
    newer, older = (number, twin["number"]) if is_newer else (twin["number"], number)
    _say(intake, "duplicate_of", newer, older, "the same text in a merged store")


def say_rivals(intake: Intake, number: int, project: int, line: Line) -> None:
    """Say that a memory and one that is here give one state key two values."""
    values = {"project": project, "state_key": line["state_key"], "number": number}
    for rival in intake.connection.execute(sql["rivals"], values).fetchall():
        if rival["id"] in intake.memories:  # they are of one file, which says what they are
            continue
        is_newer = line["learned_at_ms"] >= rival["learned_at_ms"]
        newer, older = (number, rival["number"]) if is_newer else (rival["number"], number)
        _say(intake, "possible_conflict", newer, older, f"state key {line['state_key']}")
        intake.report.counts["rivals"] += 1


def _say(intake: Intake, kind: str, newer: int, older: int, reason: str) -> None:
    _put_unless_said(
        intake,
        {
            **SAID_BY_MERGE,
            "kind": kind,
            "newer_number": newer,
            "older_number": older,
            "reason": reason,
            "created_at_ms": intake.at_ms,
        },
    )


def _put_unless_said(intake: Intake, values: Line) -> None:
    if not intake.connection.execute(sql["same_relations"], values).fetchall():
        _put(intake, values)


def _put(intake: Intake, values: Line) -> None:
    intake.connection.execute(sql["put_relation"], values)
    intake.report.counts["relations"] += 1


def put_feedback(intake: Intake, line: Line) -> None:
    """Write a word that a person said, unless it is known."""
    number = intake.memories.get(line["memory"])
    if number is None:
        return
    revision = intake.revisions[line["memory"]].get(line["revision"], line["revision"])
    values = {**line, "number": number, "revision": revision}
    if intake.connection.execute(sql["same_feedback"], values).fetchone() is None:
        intake.connection.execute(sql["put_feedback"], values)
        intake.report.counts["feedback"] += 1
