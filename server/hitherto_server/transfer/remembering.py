"""One memory of an import: new here, known, or to be joined with what is here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import InvalidInput
from hitherto_server.core.text import content_hash
from hitherto_server.store.derived import drop_memory
from hitherto_server.store.memories import State, put_passages
from hitherto_server.store.projects import USER_WIDE
from hitherto_server.store.transfer import revisions_of, sql
from hitherto_server.transfer.histories import MERGE, mark, merge_histories
from hitherto_server.transfer.relating import say_duplicate, say_rivals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.store.driver import Row
    from hitherto_server.transfer.histories import Merged
    from hitherto_server.transfer.incoming import Intake

    Line = dict[str, Any]


def put_memory(intake: Intake, line: Line) -> None:
    """Take one memory in; what is known of it already is not said twice."""
    row = intake.connection.execute(sql["by_id"], {"id": line["id"]}).fetchone()
    if row is not None:
        _put_known(intake, row, line)
        _put_beside(intake, line)
        return
    number, twin = _put_new(intake, line)
    _put_beside(intake, line)
    if twin is not None:
        _join(intake, line, number, twin)
    elif line["trashed_at_ms"] is None and line["state_key"]:
        say_rivals(intake, number, intake.project(line["project"]), line)


def _put_new(intake: Intake, line: Line) -> tuple[int, Row | None]:
    """Write a memory that is not here; return its number, and who says the same here."""
    connection, project = intake.connection, intake.project(line["project"])
    values = _values(intake, line, project)
    twin = _twin(intake, line["id"], project, values["content_hash"], line["trashed_at_ms"])
    revisions = list(line["revisions"])
    if twin is not None:
        revisions.append(_forgotten(intake, revisions[-1]))
        values |= _last(intake, revisions[-1], project)
    key = {"project": project, "idempotency_key": line["idempotency_key"], "id": line["id"]}
    if line["idempotency_key"] and connection.execute(sql["key_taken"], key).fetchone():
        values["idempotency_key"] = None
        intake.report.notes.append(f"{line['id']}: another memory has its idempotency key")
    number = int(connection.execute(sql["put_memory"], values).fetchone()[0])
    for one in revisions:
        _put_revision(intake, number, one, project)
    _put_anchors(intake, number, line)
    put_passages(connection, number, tuple(intake.splitter(line["content"])))
    _note(intake, line, number, {one["revision"]: one["revision"] for one in line["revisions"]})
    intake.touched[number] = line["id"]
    intake.report.counts["memories"] += 1
    intake.new.append(line["id"])
    return number, twin


def _put_known(intake: Intake, row: Row, line: Line) -> None:
    """Join the histories of a memory that is here; of two last words the newer one holds."""
    project = row["project_id"] or USER_WIDE
    here = revisions_of(intake.connection, row["number"])
    merged = merge_histories(here, line["revisions"])
    places = {mark(one): one["revision"] for one in here}
    if merged.is_known:
        intake.report.counts["known"] += 1
    else:
        intake.report.differing.append(line["id"])
        places |= _append(intake, row, line, merged, project)
        intake.touched[row["number"]] = line["id"]
        intake.report.counts["merged"] += 1
    last = max(places.values())
    numbers = {one["revision"]: places.get(mark(one), last) for one in line["revisions"]}
    _note(intake, line, row["number"], numbers)
    beside = {name: line[name] for name in ("confirmed_at_ms", "confirmed_commit", "tier")}
    intake.connection.execute(sql["set_beside"], {**beside, "number": row["number"]})


def _append(intake: Intake, row: Row, line: Line, merged: Merged, project: int) -> dict[str, int]:
    """Write what the history here lacks; return where each of it stands now."""
    number, revision = row["number"], row["revision"]
    places: dict[str, int] = {}
    for one in merged.missing:
        revision += 1
        places[mark(one)] = revision
        _put_revision(intake, number, {**one, "revision": revision}, project)
    last: Mapping[str, Any] = {**merged.missing[-1], "revision": revision}
    if merged.restated is not None:
        last = _said_again(intake, merged.restated, revision + 1, last["changed_at_ms"])
        _put_revision(intake, number, last, project)
    last = _unless_twin(intake, row, last, project)
    drop_memory(intake.connection, number)
    intake.connection.execute(sql["set_state"], {**_last(intake, last, project), "number": number})
    if merged.there_wins:
        intake.connection.execute(sql["drop_anchors"], {"number": number})
        _put_anchors(intake, number, line)
    if last["content"] != row["content"]:
        put_passages(intake.connection, number, tuple(intake.splitter(last["content"])))
    if merged.is_conflict:
        other = row["revision"] if merged.there_wins else revision
        _say_conflict(intake, line["id"], number, last["revision"], other)
    return places


def _unless_twin(
    intake: Intake, row: Row, last: Mapping[str, Any], project: int
) -> Mapping[str, Any]:
    """Put a memory into the trash whose newest text another live one has."""
    hashed, trashed = content_hash(last["content"]), last["state"]["trashed_at_ms"]
    twin = _twin(intake, row["id"], project, hashed, trashed)
    if twin is None:
        return last
    last = _forgotten(intake, last)
    _put_revision(intake, row["number"], last, project)
    say_duplicate(intake, row["number"], row["learned_at_ms"], twin)
    intake.report.counts["duplicates"] += 1
    return last


def _say_conflict(intake: Intake, memory_id: str, number: int, kept: int, other: int) -> None:
    values = {"number": number, "kept_revision": kept, "other_revision": other}
    intake.connection.execute(sql["put_merge_conflict"], {**values, "found_at_ms": intake.at_ms})
    intake.report.conflicts.append(memory_id)


def _twin(
    intake: Intake, memory_id: str, project: int, hashed: str, trashed_at_ms: int | None
) -> Row | None:
    """Return the other live memory that says the very same, if there is one."""
    if trashed_at_ms is not None:
        return None
    values = {"project": project, "content_hash": hashed, "id": memory_id}
    row: Row | None = intake.connection.execute(sql["live_by_hash"], values).fetchone()
    return row


def _join(intake: Intake, line: Line, number: int, twin: Row) -> None:
    """Let the memory that is here stand for one that says the same: it gets what supports it."""
    intake.report.differing.append(line["id"])
    intake.report.counts["duplicates"] += 1
    say_duplicate(intake, number, line["learned_at_ms"], twin)
    for support in line["supports"]:
        _put_support(intake, twin["number"], support)
    beside = {name: line[name] for name in ("confirmed_at_ms", "confirmed_commit", "tier")}
    intake.connection.execute(sql["set_beside"], {**beside, "number": twin["number"]})
    intake.memories[line["id"]] = twin["number"]
    intake.revisions[line["id"]] = dict.fromkeys(intake.revisions[line["id"]], twin["revision"])


def _note(intake: Intake, line: Line, number: int, revisions: dict[int, int]) -> None:
    intake.memories[line["id"]] = number
    intake.revisions[line["id"]] = revisions


def _put_beside(intake: Intake, line: Line) -> None:
    """Write what hangs on a memory and is no state of it."""
    row = intake.connection.execute(sql["by_id"], {"id": line["id"]}).fetchone()
    number, numbers = row["number"], intake.revisions[line["id"]]
    for support in line["supports"]:
        _put_support(intake, number, support)
    for verdict in line["verdicts"]:
        revision = numbers.get(verdict["revision"], verdict["revision"])
        values = {**verdict, "number": number, "revision": revision}
        intake.connection.execute(sql["put_verdict"], values)
    for use in line["uses"]:
        intake.connection.execute(sql["put_use"], {**use, "number": number})
    for one in line["merge_conflicts"]:
        places = {name: numbers.get(one[name]) for name in ("kept_revision", "other_revision")}
        if None not in places.values():
            values = {**one, **places, "number": number}
            intake.connection.execute(sql["put_merge_conflict"], values)


def _put_support(intake: Intake, number: int, support: Line) -> None:
    if support["event"] not in intake.events:
        message = f"a memory names the event {support['event']}, which the file does not hold"
        raise InvalidInput(message)
    values = {**support, "number": number, "event_id": intake.events[support["event"]]}
    intake.connection.execute(sql["put_support"], values)


def _put_anchors(intake: Intake, number: int, line: Line) -> None:
    for anchor in line["anchors"]:
        values = {**anchor, "number": number}
        anchor_id = intake.connection.execute(sql["put_anchor"], values).fetchone()[0]
        for part in anchor["parts"]:
            intake.connection.execute(sql["put_part"], {**part, "anchor_id": anchor_id})


def _put_revision(intake: Intake, number: int, one: Mapping[str, Any], project: int) -> None:
    state = _state(intake, one, project)
    values = {**one, "number": number, "state": state.rest()}
    intake.connection.execute(sql["put_revision"], values)


def _state(intake: Intake, one: Mapping[str, Any], project: int) -> State:
    kept = one["state"]
    return State(
        content=one["content"],
        kind=kept["kind"],
        tags=json.dumps(kept["tags"]),
        importance=kept["importance"],
        category_id=intake.category(project, kept["category"]),
        state_key=kept["state_key"],
        trashed_at_ms=kept["trashed_at_ms"],
        files=list(kept["files"]),
        suspect=kept["suspect"],
    )


def _values(intake: Intake, line: Line, project: int) -> Line:
    return {
        **line,
        "project_id": project or None,
        "category_id": intake.category(project, line["category"]),
        "content_hash": content_hash(line["content"]),
        "tags": json.dumps(line["tags"]),
        "suspect": int(line["suspect"]),
    }


def _last(intake: Intake, last: Mapping[str, Any], project: int) -> Line:
    """Return the columns of a memory whose newest revision is this one."""
    state = _state(intake, last, project)
    return {
        **vars(state),
        "content_hash": content_hash(state.content),
        "suspect": int(state.suspect),
        "revision": last["revision"],
        "changed_at_ms": last["changed_at_ms"],
    }


def _said_again(intake: Intake, winner: Mapping[str, Any], revision: int, after_ms: int) -> Line:
    at_ms = max(intake.at_ms, after_ms + 1)
    again = {"change": "edit", "actor": MERGE, "changed_at_ms": at_ms, "revision": revision}
    return {**winner, **again}


def _forgotten(intake: Intake, last: Mapping[str, Any]) -> Line:
    """Return the revision that puts a memory into the trash."""
    at_ms = max(intake.at_ms, last["changed_at_ms"] + 1)
    again = _said_again(intake, last, last["revision"] + 1, last["changed_at_ms"])
    state = {**last["state"], "trashed_at_ms": at_ms}
    return {**again, "change": "forget", "changed_at_ms": at_ms, "state": state}
