"""What no longer holds, by its files or by a judgment: found by looking, not kept anywhere."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.cleaning.applying import Confirmation
from hitherto_server.cleaning.entries import Entry, members_of
from hitherto_server.cleaning.reading import Page, after_number, without_dismissed
from hitherto_server.core.errors import InvalidInput
from hitherto_server.gates.context import Place, place_in, still_there, tie
from hitherto_server.recall.standings import anchors_of
from hitherto_server.store.cleaning import Wanted, list_anchored
from hitherto_server.store.memories import get_row
from hitherto_server.store.projects import list_projects
from hitherto_server.store.recall import list_anchors, list_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.gates.context import WriteContext
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.standing.anchors import Anchor
    from hitherto_server.standing.decide import StandingView
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection, Row
    from hitherto_server.store.projects import Project

BATCH = 64
LOOK_S = 2.5
"""What the files of one memory may take: git may have to compare a history first."""
MOST_LOOKS = 5
JUDGED = re.compile(r"judged no longer true of its files \(P = ([01]\.[0-9]+)\)")
PAGE_S = 5.0
"""A page that is not full by then is given as it is; the next one goes on."""


@dataclass(frozen=True)
class StaleList:
    """Finds memories whose files, or a judgment on them, say that they no longer hold."""

    store: Store
    lookout: Lookout

    async def read(self, wanted: Wanted, cursor: str | None, here: Project | None) -> Page:
        """Return a page by number; a caller's own checkout is looked at where it is one."""
        found: list[Entry] = []
        after, ends = after_number(cursor), time.monotonic() + PAGE_S
        while True:
            batch = Wanted(wanted.projects, wanted.only, BATCH)
            numbers = await self.store.readers.run(
                partial(list_anchored, wanted=batch, after=after)
            )
            found += await self._stale(numbers, here)
            if len(numbers) < BATCH:
                more = None
                break
            after = numbers[-1]
            if len(found) >= wanted.most or time.monotonic() > ends:
                more = f"n{after}"
                break
        if len(found) > wanted.most:
            found = found[: wanted.most]
            more = f"n{found[-1].members[0].number}"
        return Page(tuple(found), more)

    async def _stale(self, numbers: Sequence[int], here: Project | None) -> list[Entry]:
        by_project = await self.store.readers.run(partial(_by_project, numbers=numbers, here=here))
        for project, some in by_project:
            tied = await self.store.readers.run(partial(anchors_of, numbers=some))
            await asyncio.to_thread(self._warm, [tied.get(one, ()) for one in some], project)
        return await self.store.readers.run(partial(self._entries, by_project=by_project))

    def _warm(self, anchors: Sequence[Sequence[Anchor]], project: Project) -> None:
        """Look at the files on a thread of its own: a reader is no place to wait for git."""
        if not project.root.is_dir():
            return
        for tied in anchors:
            self.lookout.warm(tied, project.root, time.perf_counter() + LOOK_S)

    def _entries(
        self, connection: Connection, by_project: Sequence[tuple[Project, list[int]]]
    ) -> list[Entry]:
        found: dict[int, StandingView] = {}
        for project, numbers in by_project:
            texts = list(list_texts(connection, numbers).values())
            found |= self._views(connection, texts, project)
        stale = {number: one for number, one in found.items() if one.standing == "stale"}
        members = members_of(connection, stale)
        entries = [
            Entry(
                members=(members[number],),
                reasons=(one.reason,),
                said_by="rule" if _judged(one) is None else "judge",
                choices=("trash", "confirm"),
                probability=_judged(one),
                what=_what(members[number].revision, one.reason),
            )
            for number, one in sorted(stale.items())
        ]
        return without_dismissed(connection, "stale", entries)

    def _views(
        self, connection: Connection, texts: list[Row], project: Project
    ) -> dict[int, StandingView]:
        """Look at what is known by now; what recall's short time leaves out is looked at again."""
        found: dict[int, StandingView] = {}
        for _ in range(MOST_LOOKS):
            found |= self.lookout.views(connection, texts, {}, project.root)
            texts = [row for row in texts if found[row["number"]].is_late]
            if not texts:
                break
        return found


async def confirmation_of(context: WriteContext, memory_id: str) -> tuple[int, Confirmation]:
    """Return a memory's files as they are now, where its project was seen last."""
    row = await context.store.readers.run(lambda c: get_row(c, memory_id))
    projects = await context.store.readers.run(list_projects)
    place = await _place(next((p for p in projects if p.number == row["project_id"]), None))
    tied, _ = await context.store.readers.run(lambda c: list_anchors(c, [row["number"]]))
    files = await still_there(tied, place, context.read)  # what is gone speaks against it no more
    anchors = await tie(context, row["content"], files, place)
    return row["number"], Confirmation(place.head.commit, anchors)


async def _place(project: Project | None) -> Place:
    if project is None or not await asyncio.to_thread(project.root.is_dir):
        message = "the memory's project is not where it was seen last"
        raise InvalidInput(message, mend="Open a session in its folder, then try again.")
    return await place_in(project)


def _by_project(
    connection: Connection, numbers: Sequence[int], here: Project | None
) -> list[tuple[Project, list[int]]]:
    """Return memories by their projects, each where it was seen last or where the caller is."""
    known = {one.number: one for one in list_projects(connection)}
    if here is not None:
        known[here.number] = here
    found: dict[int, list[int]] = {}
    for row in list_texts(connection, numbers).values():
        found.setdefault(row["project"], []).append(row["number"])
    return [(known[number], some) for number, some in found.items()]


def _what(revision: int, reason: str) -> str:
    """Name what is dismissed: that this text is stale for this reason."""
    return hashlib.sha256(f"{revision}\n{reason}".encode()).hexdigest()[:16]


def _judged(view: StandingView) -> float | None:
    """Return the probability of the judgment by which a memory is stale, if one says so."""
    found = JUDGED.match(view.reason)
    return float(found[1]) if found else None
