"""Taking an action back, step by step, unless something has moved since."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.core.errors import (
    NotFound,
    NothingToUndo,
    RevisionMoved,
    SupersedesItself,
)
from hitherto_server.gates.reflect import refuse_rival
from hitherto_server.store.cleaning import (
    MACHINES,
    decide,
    dissolve,
    find_action,
    find_relation,
    list_steps,
    mark_undone,
    release,
    revive,
    set_confirmed,
)
from hitherto_server.store.memories import (
    AnchorRow,
    PartRow,
    change_memory,
    earlier_state,
    get_row,
    retie,
)
from hitherto_server.store.neighbours import note_waiting
from hitherto_server.store.relations import would_circle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.store.driver import Connection, Row


@dataclass(frozen=True)
class Undone:
    """What was taken back, and the revisions that memories are at since."""

    action: int
    which: str
    deed: str
    revisions: Mapping[str, int]


@dataclass(frozen=True)
class _Undo:
    connection: Connection
    actor: str
    at_ms: int

    def take_back(self, step: Row) -> dict[str, int]:
        """Take one step back and return the revision that the memory got by it."""
        match step["what"]:
            case "change":
                return self._change(step)
            case "confirm":
                self._confirm(step)
            case "relate":
                dissolve(self.connection, step["relation_id"], actor=self.actor, at_ms=self.at_ms)
            case "decide":
                decide(self.connection, step["relation_id"], None)
            case "dissolve":
                self._dissolve(step)
            case _:  # a dismissal ends with its action
                pass
        return {}

    def _change(self, step: Row) -> dict[str, int]:
        row = _unmoved(self.connection, step)
        before = earlier_state(self.connection, row)
        if before is None:
            message = f"memory {row['id']} has no earlier state"
            raise NothingToUndo(message)
        if before.trashed_at_ms is None:
            refuse_rival(self.connection, row, before)
        revision = change_memory(
            self.connection, row, before, change="undo", actor=self.actor, at_ms=self.at_ms
        )
        if row["trashed_at_ms"] is not None:
            note_waiting(self.connection, row["id"], at_ms=self.at_ms)
        return {row["id"]: revision}

    def _confirm(self, step: Row) -> None:
        row, before = _unmoved(self.connection, step), json.loads(step["detail"])
        set_confirmed(
            self.connection, row["number"], before["confirmed_at_ms"], before["confirmed_commit"]
        )
        retie(self.connection, row, [_anchor(one) for one in before["anchors"]], self.at_ms)

    def _dissolve(self, step: Row) -> None:
        relation, detail = find_relation(self.connection, step["relation_id"]), _detail(step)
        if relation is None:  # one of both was erased
            return
        newer, older = relation["newer_number"], relation["older_number"]
        if relation["kind"] == "supersedes" and would_circle(self.connection, newer, older):
            message = "the older one replaces the newer one since"
            raise SupersedesItself(message)
        by_machine = relation["said_by"] in MACHINES
        now = _revisions(self.connection, step["memory_number"], detail["other"])
        if now == (step["revision"], detail["other_revision"]) or not by_machine:
            revive(self.connection, relation["id"])
        else:
            # what was read off other texts: let rules and judgments say what they read off these
            release(self.connection, relation["id"], at_ms=self.at_ms)


def undo(connection: Connection, action: int, *, actor: str, at_ms: int) -> Undone:
    """Take an action back as a whole; refused where a memory has changed since."""
    found = find_action(connection, action)
    if found is None:
        message = f"there is no action {action}"
        raise NotFound(message, mend="See `hitherto clean actions`.")
    if found["undone_at_ms"] is not None:
        message = f"action {action} is taken back already"
        raise NothingToUndo(message, mend="See `hitherto clean actions`.")
    undoing = _Undo(connection, actor, at_ms)
    revisions: dict[str, int] = {}
    for step in list_steps(connection, action):
        revisions |= undoing.take_back(step)
    mark_undone(connection, action, actor=actor, at_ms=at_ms)
    return Undone(action, found["list"], found["deed"], revisions)


def _unmoved(connection: Connection, step: Row) -> Row:
    if step["revision_now"] != step["revision"]:
        message = (
            f"memory {step['memory_id']} is at revision {step['revision_now']},"
            f" not {step['revision']} as that action left it"
        )
        raise RevisionMoved(message, mend="Undo what came later first, or edit it by hand.")
    return get_row(connection, step["memory_id"])


def _revisions(connection: Connection, *numbers: int) -> tuple[int, ...]:
    query = "SELECT revision FROM memory WHERE number = ?"
    return tuple(connection.execute(query, (one,)).fetchone()[0] for one in numbers)


def _detail(step: Row) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(step["detail"])
    return found


def _anchor(told: Mapping[str, Any]) -> AnchorRow:
    parts = tuple(PartRow(kind, name, region) for kind, name, region in told["parts"])
    return AnchorRow(told["path"], told["file_hash"], parts, told["commit"])
