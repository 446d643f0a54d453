"""Clean-up as one part: pages of the six lists, what is done with them, and the run that judges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal, assert_never

from hitherto_server.cleaning.applying import Deed, act
from hitherto_server.cleaning.entries import handle_of
from hitherto_server.cleaning.expendable import MOST, find_expendable
from hitherto_server.cleaning.offering import Asked, find_offered
from hitherto_server.cleaning.reading import (
    Page,
    read_conflicts,
    read_duplicates,
    read_misfiled,
    read_replaced,
)
from hitherto_server.cleaning.runs import Run, Runs
from hitherto_server.cleaning.stale import StaleList, confirmation_of
from hitherto_server.cleaning.triage import Snapshot, Triage
from hitherto_server.cleaning.undoing import undo
from hitherto_server.core.errors import InvalidInput
from hitherto_server.store.cleaning import Wanted
from hitherto_server.store.memories import get_row
from hitherto_server.store.projects import USER_WIDE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from hitherto_server.cleaning.applying import Confirmation, Done
    from hitherto_server.cleaning.entries import Choice, Entry, Handle, ListName
    from hitherto_server.cleaning.expendable import Found, Rank
    from hitherto_server.cleaning.undoing import Undone
    from hitherto_server.core.clock import Clock
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.judge.asking import Asks, Origin
    from hitherto_server.recall.standings import Lookout
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.projects import Project

FEW = 20
"""So many entries are acted upon among other writes; more have a transaction to themselves."""
RANK_PARTS = 5


@dataclass(frozen=True)
class Where:
    """Whose memories are looked at: of a folder's project and everywhere, or of all projects."""

    projects: Sequence[int] | None = None
    here: Project | None = None


EVERYWHERE = Where()


@dataclass(frozen=True)
class Cleaner:
    """Lists what could be cleaned up, does it when told to, and takes it back."""

    store: Store
    lookout: Lookout
    writes: WriteContext
    judge: Asks
    clock: Clock
    backend: Callable[[], str | None] = lambda: None
    """Who would be asked now."""
    runs: Runs[Snapshot] = field(default_factory=Runs)

    async def page(self, which: ListName, where: Where, *, limit: int, cursor: str | None) -> Page:
        """Return a part of a list; nobody is asked for a judgment."""
        wanted = Wanted(where.projects, most=limit)
        match which:
            case "duplicates":
                read = read_duplicates
            case "misfiled":
                read = read_misfiled
            case "replaced":
                read = read_replaced
            case "conflicts":
                read = read_conflicts
            case "expendable":
                found = await self.expendable(where)
                return _ranked_page(found, limit, cursor)
            case "stale":
                return await StaleList(self.store, self.lookout).read(wanted, cursor, where.here)
            case _:
                assert_never(which)
        return await self.store.readers.run(partial(read, wanted=wanted, cursor=cursor))

    async def expendable(self, where: Where, *, most: int = MOST) -> list[Found]:
        """Return what may be expendable, as it ranks by what is known."""
        return await self.store.readers.run(
            partial(
                find_expendable,
                now_ms=self.clock(),
                backend=self.backend(),
                projects=where.projects,
                most=most,
            )
        )

    async def begin_triage(self, where: Where, *, most: int, origin: Origin) -> Run[Snapshot]:
        """Begin to judge what has no score yet; a second run beside the first is refused."""
        return self.runs.begin(self._triage(where, most, origin))

    async def _triage(self, where: Where, most: int, origin: Origin) -> AsyncIterator[Snapshot]:
        triage = Triage(self.store, self.judge, self.clock, self.backend)
        found = await self.expendable(where, most=most)
        async for snapshot in triage.run(found, origin=origin):
            yield snapshot

    async def act(
        self,
        which: ListName,
        deed: Literal["apply", "dismiss"],
        ids: Sequence[str],
        *,
        actor: str,
        choice: Choice | None = None,
    ) -> Done:
        """Apply or dismiss entries, all of them in one transaction or none."""
        handles = list({one.text: one for one in map(handle_of, ids)}.values())
        at_ms = self.clock()
        stale = await self._stale(handles) if which == "stale" else ()
        confirmed = await self._confirmations(stale) if choice == "confirm" else {}
        asked = Asked(which, handles, at_ms, self.backend(), stale)
        order = Deed(which, deed, actor, at_ms, choice, confirmed)

        def job(connection: Connection) -> Done:
            return act(connection, order, find_offered(connection, asked))

        write = self.store.writer
        done = await (write.run if len(handles) <= FEW else write.run_alone)(job)
        self.writes.on_written()
        return done

    async def undo(self, action: int, *, actor: str) -> Undone:
        """Take an action back as a whole."""
        at_ms = self.clock()
        done = await self.store.writer.run_alone(
            lambda connection: undo(connection, action, actor=actor, at_ms=at_ms)
        )
        self.writes.on_written()
        return done

    async def _stale(self, handles: Sequence[Handle]) -> Sequence[Entry]:
        """Look at the files of what is named before any transaction begins."""

        def numbers(connection: Connection) -> list[int]:
            named = [one.memory for one in handles if one.memory is not None]
            return [get_row(connection, one)["number"] for one in named]

        only = await self.store.readers.run(numbers)
        wanted = Wanted(only=only, most=max(1, len(only)))
        entries: list[Entry] = []
        cursor: str | None = None
        while True:
            page = await StaleList(self.store, self.lookout).read(wanted, cursor, None)
            entries += page.entries
            cursor = page.cursor
            if cursor is None:
                return entries

    async def _confirmations(self, stale: Sequence[Entry]) -> dict[int, Confirmation]:
        ids = [entry.members[0].id for entry in stale]
        return dict([await confirmation_of(self.writes, one) for one in ids])


def where_is(project: Project | None, *, is_named: bool) -> Where:
    """Return whose memories a caller means; a folder that was never seen has none of its own."""
    if project is not None:
        return Where((project.number, USER_WIDE), project)
    return Where((USER_WIDE,)) if is_named else EVERYWHERE


def _ranked_page(found: Sequence[Found], limit: int, cursor: str | None) -> Page:
    after = _rank_of(cursor)
    rest = [one for one in found if after is None or one.rank > after]
    more = len(rest) > limit
    page = rest[:limit]
    return Page(
        tuple(one.entry for one in page),
        ".".join(map(str, page[-1].rank)) if more and page else None,
    )


def _rank_of(cursor: str | None) -> Rank | None:
    if cursor is None:
        return None
    parts = cursor.split(".")
    if len(parts) != RANK_PARTS or not all(one.isascii() and one.isdecimal() for one in parts):
        message = f"the cursor {cursor[:40]!r} is of no such list"
        raise InvalidInput(message, mend="Take the cursor from the page before.")
    kind, first, second, third, number = (int(one[:19]) for one in parts)
    return kind, first, second, third, number
