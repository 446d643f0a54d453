"""Clean-up over a real store: a person who writes, and what cleans up after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.system_one_stub import SystemOneStub

from hitherto_server.api.cleaning import make_cleaner
from hitherto_server.cleaning.cleaner import EVERYWHERE
from hitherto_server.judge.configuration import Backend, JudgeConfig, SurfaceChoice
from hitherto_server.judge.profiles import PROFILES
from hitherto_server.judge.register import surfaces
from hitherto_server.store.relations import propose, relate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.person import Person

    from hitherto_server.cleaning.applying import Done
    from hitherto_server.cleaning.cleaner import Cleaner
    from hitherto_server.cleaning.entries import Choice, Entry, ListName
    from hitherto_server.cleaning.triage import Snapshot
    from hitherto_server.cleaning.undoing import Undone


class Home:
    """A person's store, and its clean-up."""

    def __init__(self, me: Person, cleaner: Cleaner) -> None:
        self.me = me
        self.cleaner = cleaner
        self.store = me.services.store
        self.clock = me.clock

    async def listed(
        self, which: ListName, *, limit: int = 50, cursor: str | None = None
    ) -> list[Entry]:
        page = await self.cleaner.page(which, EVERYWHERE, limit=limit, cursor=cursor)
        return list(page.entries)

    async def only(self, which: ListName) -> Entry:
        [entry] = await self.listed(which)
        return entry

    async def apply(
        self, which: ListName, *entries: Entry, choice: Choice | None = None, actor: str = "cli"
    ) -> Done:
        self.clock.pass_ms(1000)
        ids = [entry.handle for entry in entries]
        return await self.cleaner.act(which, "apply", ids, actor=actor, choice=choice)

    async def dismiss(self, which: ListName, *entries: Entry) -> Done:
        self.clock.pass_ms(1000)
        ids = [entry.handle for entry in entries]
        return await self.cleaner.act(which, "dismiss", ids, actor="cli")

    async def undo(self, done: Done) -> Undone:
        self.clock.pass_ms(1000)
        return await self.cleaner.undo(done.action, actor="cli")

    async def number(self, memory_id: str) -> int:
        query = "SELECT number FROM memory WHERE id = ?"
        return await self.store.readers.run(
            lambda c: int(c.execute(query, (memory_id,)).fetchone()[0])
        )

    async def relate(self, kind: Any, newer: str, older: str, **values: Any) -> None:
        """Say what two memories are to each other, as a job would."""
        first, second = await self.number(newer), await self.number(older)
        values = {"said_by": "judge", "probability": 0.9, "reason": "judged so", **values}
        at_ms = self.clock()
        await self.store.writer.run(
            lambda c: relate(c, kind, newer=first, older=second, at_ms=at_ms, **values)
        )

    async def propose(self, kind: Any, newer: str, older: str) -> bool:
        """Let a rule say it, and tell whether it did."""
        first, second = await self.number(newer), await self.number(older)
        at_ms = self.clock()
        return await self.store.writer.run(
            lambda c: propose(c, kind, newer=first, older=second, at_ms=at_ms, reason="a rule")
        )

    async def old_note(self, content: str, **values: Any) -> str:
        """Store something unimportant."""
        return (await self.me.remember(content, **{"importance": 2, **values})).id

    async def triage(self, *, most: int = 2000) -> list[Snapshot]:
        """Judge what may be expendable, and return all that is told meanwhile."""
        run = await self.cleaner.begin_triage(EVERYWHERE, most=most, origin="ui")
        return [one async for one in run.follow()]

    async def judged_by(self, stub: SystemOneStub, **values: Any) -> None:
        """Have a server asked for judgments, by the triage alone."""
        backend = Backend(PROFILES["custom"], stub.url, values.pop("model", stub.model), **values)
        others = [name for name in surfaces() if name != "trash-triage"]
        quiet = {name: SurfaceChoice(on=False) for name in others}
        config = JudgeConfig(backend=backend, surfaces=quiet)
        await self.me.services.judge.change(lambda _: config)


@pytest.fixture
def home(me: Person) -> Home:
    return Home(me, make_cleaner(me.services))


@pytest.fixture
def stub() -> Iterator[SystemOneStub]:
    with SystemOneStub() as stub:
        yield stub
