"""`sync`: of the memories whose files have changed, which still describe them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.judge.asking import Asking
from hitherto_server.judge.surfaces.stale_check import MOST_PAIRS, SURFACE
from hitherto_server.recall.staleness import Checked, StaleJudge, Subject
from hitherto_server.recall.standings import anchors_of
from hitherto_server.standing.decide import leaves_doubt
from hitherto_server.standing.paths import relative_name
from hitherto_server.store import recall as rows
from hitherto_server.store.notices import list_anchored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hitherto_contract import SyncPair, SyncReply
    from hitherto_server.judge.asking import Origin
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.standing.decide import StandingView
    from hitherto_server.standing.verify import AnchorFinding
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.projects import Project

TOGETHER = 4
MOST_MEMORIES = 2000
BATCH = 16
LOOKING_S = 1.0
"""What a batch's files may take: git may have to compare a whole history first."""
SELECTING_S = 10.0
BREATH_S = 0.002
OPENING_CHARS = 120


@dataclass(frozen=True)
class SyncWish:
    """Which memories of a project are to be looked at; all, where none is named."""

    project: Project
    ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    session_id: str | None = None
    origin: Origin = "tool"

    @property
    def is_named(self) -> bool:
        return bool(self.ids or self.files)


@dataclass
class Selected:
    """What is to be judged, and what can't be."""

    subjects: list[Subject] = field(default_factory=list)
    settled: list[Checked] = field(default_factory=list)
    looked_at: int = 0
    not_looked_at: int = 0
    unknown: list[str] = field(default_factory=list)
    """Ids that no memory of the project has."""


async def sync(stale: StaleJudge, wish: SyncWish) -> SyncReply:
    """Judge what has changed, at most 20 pairs, and say what became of each."""
    selected = await _select(stale, wish)
    asked = selected.subjects[:MOST_PAIRS]
    together = asyncio.Semaphore(TOGETHER)
    asking = Asking(wish.origin, wish.session_id, wish.project.number)

    async def judged(subject: Subject) -> Checked:
        async with together:
            return await stale.check(SURFACE, wish.project.root, subject, asking)

    checked = await asyncio.gather(*map(judged, asked))
    return _reply(selected, [*checked, *selected.settled], len(selected.subjects) - len(asked))


async def _select(stale: StaleJudge, wish: SyncWish) -> Selected:
    """Look at memories in small portions, since others read the store too."""
    numbers, unknown = await stale.store.readers.run(partial(_numbers, wish=wish))
    selected = Selected(unknown=unknown)
    ends = time.monotonic() + SELECTING_S
    for batch in _batches(numbers):
        if time.monotonic() > ends:
            selected.not_looked_at = len(numbers) - selected.looked_at
            break
        found = await stale.store.readers.run(
            partial(_doubtful, numbers=batch, lookout=stale.lookout, wish=wish)
        )
        selected.looked_at += len(batch)
        for one in found:
            if isinstance(one, Subject):
                selected.subjects.append(one)
            else:
                selected.settled.append(one)
        await asyncio.sleep(BREATH_S)
    return selected


def _numbers(connection: Connection, wish: SyncWish) -> tuple[list[int], list[str]]:
    """Return the memories that are wanted, and the ids that none of the project has."""
    scopes = [wish.project.number]
    if not wish.is_named:
        return list_anchored(connection, wish.project.number, most=MOST_MEMORIES), []
    found = {one: rows.find_by_id(connection, one, scopes) for one in wish.ids}
    named = [number for numbers in found.values() for number in numbers]
    spelled = (relative_name(wish.project.root, path) for path in wish.files)
    paths = [path for path in spelled if path is not None]
    tied = rows.find_anchored(connection, paths, scopes, most=MOST_MEMORIES) if paths else {}
    unknown = [one for one, numbers in found.items() if not numbers]
    return list(dict.fromkeys([*named, *tied])), unknown


def _doubtful(
    connection: Connection, numbers: Sequence[int], lookout: Lookout, wish: SyncWish
) -> list[Subject | Checked]:
    """Return what a judgment may decide, and what it can't, of some memories."""
    texts = rows.list_texts(connection, numbers)
    states = rows.list_states(connection, numbers, [wish.project.number])
    fit = [n for n in numbers if n in states and states[n]["trashed_at_ms"] is None]
    newer = {number: states[number]["superseded_by"] for number in fit}
    root = wish.project.root
    asked = [texts[number] for number in fit]
    views = lookout.views(connection, asked, newer, root, looking_s=LOOKING_S)
    anchors = anchors_of(connection, fit)
    found: list[Subject | Checked] = []
    for number in fit:
        if _is_wanted(views[number], wish):
            deadline = time.perf_counter() + LOOKING_S
            tied = anchors.get(number, ())
            findings = lookout.files.look(root, tied, lookout.moves_in(root).find, deadline)
            found += _taken_apart(texts[number], findings, wish)
    return found


def _is_wanted(view: StandingView, wish: SyncWish) -> bool:
    if view.standing in {"superseded", "conflicting"}:
        return False
    return wish.is_named or view.standing == "changed" or view.is_late


def _taken_apart(
    text: Row, findings: Iterable[AnchorFinding], wish: SyncWish
) -> list[Subject | Checked]:
    """Return a memory's files one by one: to be judged, or why that can't be."""
    found: list[Subject | Checked] = []
    for finding in findings:
        path = finding.found_at or finding.path
        subject = Subject(text["number"], text["id"], text["revision"], text["content"], path)
        match finding.state:
            case "edited" if wish.is_named or leaves_doubt(finding):
                found.append(subject)
            case "unreadable" | "withheld":
                found.append(Checked(subject, "unreadable", reason=finding.note))
            case "unchecked":
                found.append(Checked(subject, "unjudged", reason="not looked at in time"))
            case "gone":
                found.append(Checked(subject, "unjudged", reason=f"{path} is gone"))
            case "edited" | "same":
                pass
    return found


def _reply(selected: Selected, checked: Sequence[Checked], beyond: int) -> SyncReply:
    by_verdict: dict[str, list[SyncPair]] = {
        "holds": [], "stale": [], "unjudged": [], "unreadable": []
    }  # fmt: skip
    for one in checked:
        decided = one.outcome == "judged" and one.verdict in {"holds", "stale"}
        listed = one.verdict if decided else one.outcome
        by_verdict["unjudged" if listed == "judged" else str(listed)].append(_pair(one))
    notes = [f"no memory of this project has the id {one}" for one in selected.unknown]
    if selected.not_looked_at:
        notes.append(f"{selected.not_looked_at} memories were not looked at in time")
    return contract.SyncReply(
        still_accurate=by_verdict["holds"],
        stale=by_verdict["stale"],
        unjudged=by_verdict["unjudged"],
        unreadable=by_verdict["unreadable"],
        looked_at=selected.looked_at,
        beyond=beyond,
        notes=notes,
    )


def _pair(one: Checked) -> SyncPair:
    subject = one.subject
    reason = one.reason
    if one.verdict == "undecided":
        reason = "undecided"
    return contract.SyncPair(
        id=subject.id,
        revision=subject.revision,
        opening=" ".join(subject.content[: 2 * OPENING_CHARS].split())[:OPENING_CHARS],
        path=subject.path,
        probability=None if one.probability is None else round(one.probability, 3),
        reason=reason,
    )


def _batches(numbers: Sequence[int]) -> Iterator[list[int]]:
    rest = iter(numbers)
    while batch := list(islice(rest, BATCH)):
        yield batch
