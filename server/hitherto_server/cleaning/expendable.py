"""What may be expendable: why it is offered, how it was judged, and in which order."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hitherto_server.cleaning.entries import Entry, Score, members_of
from hitherto_server.core.clock import DAY_MS, date_of
from hitherto_server.store.cleaning import Wanted, list_expendable, list_members, list_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hitherto_server.cleaning.entries import Member
    from hitherto_server.judge.surfaces.trash_triage import Candidate
    from hitherto_server.store.driver import Connection, Row

UNIMPORTANT = 3
"""Importance up to here speaks for it."""
OLD_MS = 90 * DAY_MS
MOST = 2000
"""The most that are considered."""
KEPT_MS = 7 * DAY_MS
"""How long a score counts."""
PARTS = 1_000_000

Rank = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Found:
    """A memory that may be expendable, as the judge would be shown it."""

    number: int
    revision: int
    candidate: Candidate
    entry: Entry
    reasons: int
    touched_at_ms: int
    project: int | None = None
    """Its number; None where it holds everywhere."""

    @property
    def rank(self) -> Rank:
        """Order by it: the most expendable first, then what was not judged."""
        score = self.entry.score
        if score is not None:
            return (0, PARTS * 10 - round(score.score * PARTS), 0, 0, self.number)
        importance = self.candidate.importance
        return (1, 9 - self.reasons, importance, self.touched_at_ms, self.number)

    def scored(self, score: Score) -> Found:
        """Return it as it is offered once it was judged."""
        said_at_ms = score.judged_at_ms
        entry = replace(self.entry, said_by="judge", score=score, said_at_ms=said_at_ms)
        return replace(self, entry=entry)


def find_expendable(
    connection: Connection,
    *,
    now_ms: int,
    backend: str | None,
    projects: Sequence[int] | None = None,
    only: Sequence[int] | None = None,
    most: int = MOST,
) -> list[Found]:
    """Return what may be expendable, each with the score that still counts, as it ranks."""
    old_ms = now_ms - OLD_MS
    wanted = Wanted(projects, only, most)
    rows = list_expendable(connection, wanted, unimportant=UNIMPORTANT, old_ms=old_ms)
    numbers = [row["number"] for row in rows]
    others = [row["other"] for row in rows if row["other"] is not None]
    members = members_of(connection, [*numbers, *others])
    texts = list_members(connection, numbers)
    scores = list_scores(connection, numbers)
    found = []
    for row in rows:
        candidate = _candidate(row, texts[row["number"]])
        kept = _kept(scores.get(row["number"]), candidate, backend, now_ms)
        one = _found(row, members, candidate, kept, old_ms)
        found.append(replace(one, project=texts[row["number"]]["project_id"]))
    return ranked(found)


def ranked(found: Iterable[Found]) -> list[Found]:
    """Return them in the order in which they are offered."""
    return sorted(found, key=lambda one: one.rank)


def key_of(position: int) -> str:
    """Name a candidate within its request."""
    return f"m{position + 1}"


def score_as_kept(score: Score, backend: str) -> str:
    """Return a score as a verdict's answer."""
    said = {"score": score.score, "confidence": score.confidence, "model": score.model}
    return json.dumps({**said, "backend": backend}, sort_keys=True)


def basis(candidate: Candidate, model: str, backend: str) -> str:
    """Return what a score is bound to: who judged, by which question, and what was judged."""
    from hitherto_server.judge.surfaces.trash_triage import basis_of

    return basis_of(candidate, f"{backend}\n{model}")


def _kept(row: Row | None, candidate: Candidate, backend: str | None, now_ms: int) -> Score | None:
    """Return a stored score that still counts: not too old, and of the same on both sides."""
    if row is None or now_ms - row["judged_at_ms"] >= KEPT_MS:
        return None
    said: Mapping[str, Any] = json.loads(row["answer"])
    # where nobody is asked now, what was judged before is better than nothing
    asked = said["backend"] if backend is None else backend
    if row["basis_hash"] != basis(candidate, said["model"], asked):
        return None
    return Score(said["score"], said["confidence"], said["model"], row["judged_at_ms"])


def _candidate(row: Row, text: Row) -> Candidate:
    # the surface's words are loaded when something is judged, not at a start
    from hitherto_server.judge.surfaces.trash_triage import Candidate

    return Candidate(
        key="",
        content=text["content"],
        category=text["category_name"],
        importance=row["importance"],
        learned_on=date_of(text["learned_at_ms"]),
        times_recalled=row["times"],
        duplicates_another=row["other"] is not None,
    )


def _found(
    row: Row,
    members: Mapping[int, Member],
    candidate: Candidate,
    score: Score | None,
    old_ms: int,
) -> Found:
    about = members[row["number"]]
    other = None if row["other"] is None else members[row["other"]]
    entry = Entry(
        members=(about,) if other is None else (about, other),
        reasons=_reasons(row, other, old_ms),
        said_by="rule" if score is None else "judge",
        choices=("trash",),
        score=score,
        said_at_ms=None if score is None else score.judged_at_ms,
    )
    return Found(
        about.number,
        about.revision,
        candidate,
        entry,
        row["reasons"],
        row["touched_at_ms"],
    )


def _reasons(row: Row, other: Member | None, old_ms: int) -> tuple[str, ...]:
    said = []
    if other is not None:
        alike = "says the same as" if row["copies"] else "says much the same as"
        said.append(f"{alike} {other.id}")
    if row["wrong"] is not None:
        said.append(f"said to be wrong in {row['wrong']} sessions")
    if row["importance"] <= UNIMPORTANT:
        said.append(f"importance {row['importance']}")
    if row["times"] == 0:
        said.append("never recalled")
    if row["touched_at_ms"] < old_ms:
        said.append(f"untouched since {date_of(row['touched_at_ms'])}")
    return tuple(said)
