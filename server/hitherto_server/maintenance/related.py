"""Writes what a memory was judged to be to others, and counts what that changed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hitherto_server.judge.surfaces import relations, supersession
from hitherto_server.maintenance.asked import Spent, spent_on
from hitherto_server.maintenance.pairs import find_unmoved
from hitherto_server.store import judged as rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hitherto_server.judge.answers import Answers
    from hitherto_server.judge.surfaces.relations import Limits, Ruling
    from hitherto_server.maintenance.pairs import Case
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.relations import RelationKind

Said = Literal["duplicate", "conflict", "similar", "nothing", "undecided", "supersedes"]
Class = Literal["duplicate", "conflict", "none"]

CONFLICT: RelationKind = "possible_conflict"

KINDS: Mapping[str, RelationKind] = {
    "duplicate": "duplicate_of",
    "conflict": "possible_conflict",
    "similar": "similar",
}
REASONS: Mapping[str, str] = {
    "duplicate_of": "judged to say the same",
    "possible_conflict": "judged to exclude each other",
    "similar": "judged to be related",
    "supersedes": "judged to be a newer statement of the same thing",
}


@dataclass(frozen=True)
class Considered:
    """What a memory's judgment came to, before anything is written."""

    case: Case
    rulings: Mapping[int, Ruling] = field(default_factory=dict)
    replaces: int | None = None
    """The pair in which the later side replaces the earlier."""
    replaces_p: float | None = None
    calibrated: bool = False
    basis_hash: str = ""
    answers: tuple[Answers, ...] = ()

    @property
    def spent(self) -> Spent:
        return spent_on(self.answers)


@dataclass(frozen=True)
class Related:
    """What was written of it."""

    said: Mapping[int, Said]
    """Of those pairs that had not moved on."""
    relations: int
    disagreements: int
    """Pairs that a rule sees otherwise."""

    @property
    def superseded(self) -> int:
        return sum(one == "supersedes" for one in self.said.values())


def write(connection: Connection, considered: Considered, *, at_ms: int) -> Related | None:
    """Write what was judged, in the caller's transaction; None if the memory has moved on."""
    case = considered.case
    now = rows.find_record(connection, case.row["id"])
    if now is None or now["revision"] != case.row["revision"]:
        return None
    pairs = find_unmoved(connection, case)
    said: dict[int, Said] = {}
    made = 0
    replaced = _replace(connection, considered, at_ms) if considered.replaces in pairs else None
    if replaced is not None:
        said[replaced] = "supersedes"
    for at in pairs.keys() - said.keys():
        said[at] = considered.rulings[at].said
        made += _rule(connection, considered, at, at_ms)
    rows.put_verdict(connection, _verdict(considered, said, at_ms))
    return Related(said, made, sum(_differs(considered, at, one) for at, one in said.items()))


def outcome_of(considered: Considered, related: Related) -> dict[str, str]:
    """Return what was done, in ids and words."""
    pairs = considered.case.pairs
    by_id = {pairs[at].other["id"]: one for at, one in related.said.items()}
    return {"memory": considered.case.row["id"], **by_id}


def _replace(connection: Connection, considered: Considered, at_ms: int) -> int | None:
    """Let the later side of one pair replace the earlier, unless that would run in a circle."""
    at = considered.replaces
    if at is None:
        return None
    pair, number = considered.case.pairs[at], considered.case.row["number"]
    both = (number, pair.other["number"])
    newer, older = both if pair.later == "memory" else both[::-1]
    probability, reason = considered.replaces_p, REASONS["supersedes"]
    judged = rows.Judgment("supersedes", newer, older, probability, reason, takes_back=True)
    return at if rows.put_judgment(connection, judged, at_ms=at_ms) else None


def _rule(connection: Connection, considered: Considered, at: int, at_ms: int) -> bool:
    """Record what one pair is, beside or in place of what a rule said."""
    ruling, pair = considered.rulings[at], considered.case.pairs[at]
    if ruling.said == "undecided" or (ruling.said == "duplicate" and pair.ruled == CONFLICT):
        return False  # a value that differs is never judged away
    row, other = considered.case.row, pair.other
    newer, older = sorted((row, other), key=lambda one: (-one["dated_ms"], -one["number"]))
    kind = KINDS.get(ruling.said)
    judged = rows.Judgment(
        kind,
        newer["number"],
        older["number"],
        ruling.probability if considered.calibrated else None,
        REASONS[kind] if kind else "",
        takes_back=considered.calibrated and ruling.is_sure,
    )
    return rows.put_judgment(connection, judged, at_ms=at_ms)


def _differs(considered: Considered, at: int, said: Said) -> bool:
    if said in {"undecided", "supersedes"}:
        return False
    return _class(considered.case.pairs[at].ruled) != _class(said)


def _class(said: str | None) -> Class:
    match said:
        case "duplicate" | "duplicate_of":
            return "duplicate"
        case "conflict" | "possible_conflict":
            return "conflict"
        case _:
            return "none"


def basis_of(case: Case, limits: Limits, answers: tuple[Answers, ...]) -> str:
    """Return a hash of all that a verdict rests on."""
    surfaces = (relations.SURFACE, supersession.SURFACE)
    parts = [
        answers[0].model,
        *(f"{one.name} {one.version} {one.question_hash}" for one in surfaces),
        str(limits),
        *(f"{one['id']} {one['revision']}" for one in (case.row, *case.others)),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _verdict(considered: Considered, said: Mapping[int, Said], at_ms: int) -> rows.Verdict:
    row, pairs = considered.case.row, considered.case.pairs
    answer = {
        "pairs": {pairs[at].other["id"]: one for at, one in said.items()},
        "revisions": {pairs[at].other["id"]: pairs[at].other["revision"] for at in said},
        "calibrated": considered.calibrated if considered.answers else None,
    }
    return rows.Verdict(
        number=row["number"],
        revision=row["revision"],
        surface=relations.SURFACE.name,
        answer=json.dumps(answer, sort_keys=True),
        probability=None,
        basis_hash=considered.basis_hash,
        at_ms=at_ms,
    )
