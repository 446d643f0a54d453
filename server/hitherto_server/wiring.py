"""Makes the parts of a server, each once, and hands each what it needs."""

from __future__ import annotations

import asyncio
import platform
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from hitherto_server.benches.passes import Passes
from hitherto_server.gates.anchoring import tie_to_files
from hitherto_server.gates.context import WriteContext
from hitherto_server.gates.secrets import without_doubt
from hitherto_server.history.importer import Importer
from hitherto_server.history.mining import Miner
from hitherto_server.judge.client import make_judge
from hitherto_server.maintenance.backups import Backups
from hitherto_server.maintenance.comparing import Comparer
from hitherto_server.maintenance.indexer import Indexer
from hitherto_server.maintenance.judged_work import JudgedWork
from hitherto_server.maintenance.recall_counts import RecallCounts
from hitherto_server.maintenance.sweep import Sweep
from hitherto_server.recall.passages import split
from hitherto_server.recall.pipeline import Recaller
from hitherto_server.recall.staleness import StaleJudge
from hitherto_server.recall.standings import Lookout
from hitherto_server.services import Services
from hitherto_server.sessions.client.files import ClientFiles
from hitherto_server.sessions.control.quiet import Quiet
from hitherto_server.sessions.desk import SessionDesk
from hitherto_server.sessions.edit_watch import EditWatch
from hitherto_server.sessions.moments import Tools
from hitherto_server.sessions.prompt.keeper import PromptKeeper
from hitherto_server.sessions.prompt.patience import JudgedPrompts
from hitherto_server.sessions.prompt.preferences import Preferences
from hitherto_server.sessions.spool_reader import Spool
from hitherto_server.sessions.worth.keeper import WorthKeeper
from hitherto_server.standing.files import FileStates
from hitherto_server.store.projects import Projects, find_root

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.home import Home
    from hitherto_server.core.settings import Settings
    from hitherto_server.history.mined import Mine
    from hitherto_server.history.shown import Shown
    from hitherto_server.history.sources import Source
    from hitherto_server.judge.client import Judge
    from hitherto_server.recall.succession import Succession
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.prompt.preference_rules import Heard
    from hitherto_server.store.database import Store


def wire(
    home: Home,
    settings: Settings,
    store: Store,
    embedder: Succession,
    *,
    token: str,
    port: int,
    clock: Clock,
) -> Services:
    """Make the parts of a server and hand each what it needs."""
    return _Parts(home, settings, store, embedder, clock).services(token, port)


@dataclass
class _Parts:
    """The parts of a server, each made when the first that needs it is made."""

    home: Home
    settings: Settings
    store: Store
    embedder: Succession
    clock: Clock

    def services(self, token: str, port: int) -> Services:
        """Gather what requests need."""
        return Services(
            home=self.home,
            settings=self.settings,
            clock=self.clock,
            started_at_ms=self.clock(),
            store=self.store,
            projects=self.projects,
            writes=self.writes,
            embedder=self.embedder,
            indexer=self.indexer,
            sweep=self.sweep,
            recaller=self.recaller,
            stale=self.stale,
            sessions=self.sessions,
            quiet=self.quiet,
            history=self.history,
            miner=self.miner,
            worth=self.worth,
            backups=self.backups,
            judge=self.judge,
            judged=self.judged,
            passes=self.passes,
            recall_counts=RecallCounts(self.store, self.clock),
            wake_model=self.wake_model,
            stopping=asyncio.Event(),
            token=token,
            port=port,
        )

    # --- who is asked, and what is left alone ---

    @cached_property
    def judge(self) -> Judge:
        judge = make_judge(self.store, self.clock, self.home.env_file, without_doubt)
        judge.switches.passes = self.passes
        judge.is_ignored = partial(_is_ignored, self.quiet, self.store)
        return judge

    @cached_property
    def passes(self) -> Passes:
        return Passes(self.store, self.clock, lambda: self.judge.switches.config)

    @cached_property
    def judged_prompts(self) -> JudgedPrompts:
        prompts = JudgedPrompts(self.home.judged, self.judge, partial(_may_ask, self.judge))
        self.judge.on_change = prompts.keep
        return prompts

    @cached_property
    def quiet(self) -> Quiet:
        return Quiet(self.store, self.clock, self.home.quiet)

    # --- projects and their files ---

    @cached_property
    def projects(self) -> Projects:
        return Projects(self.store, self.clock)

    @cached_property
    def files(self) -> FileStates:
        return FileStates(hides=self.quiet.hides)

    @cached_property
    def lookout(self) -> Lookout:
        return Lookout(self.files)

    @cached_property
    def sweep(self) -> Sweep:
        return Sweep(self.store, self.lookout, self.clock, has_news=set())

    @cached_property
    def stale(self) -> StaleJudge:
        return StaleJudge(self.store, self.lookout, self.judge, self.clock)

    # --- what is written, and what follows from it ---

    @cached_property
    def writes(self) -> WriteContext:
        return WriteContext(
            store=self.store,
            projects=self.projects,
            anchorer=partial(tie_to_files, self.files),
            splitter=split,
            clock=self.clock,
            device=platform.node() or "unknown",
            on_written=partial(_index_new, self.embedder, self.indexer),
            read=self.files.read,
            judge=self.judge,
            meaning=self.embedder,
            on_work=self.judged.notify,
        )

    @cached_property
    def indexer(self) -> Indexer:
        comparer = Comparer(self.store, self.clock, self.judged)
        return Indexer(self.store, self.embedder, self.clock, comparer)

    @cached_property
    def judged(self) -> JudgedWork:
        judged = JudgedWork(self.store, self.judge, self.clock, self.embedder)
        judged.is_busy = lambda: self.indexer.is_busy or self.sweep.is_busy
        return judged

    @cached_property
    def backups(self) -> Backups:
        every_hours, kept = self.settings.backup_hours, self.settings.backups_kept
        return Backups(self.home, self.store, self.clock, every_hours=every_hours, kept=kept)

    # --- what is found ---

    @cached_property
    def recaller(self) -> Recaller:
        return Recaller(
            self.store, self.embedder, self.settings, self.clock, self.lookout, judge=self.judge
        )

    def wake_model(self) -> None:
        # each look for what waits reads all passages: not at every recall
        if self.embedder.state != "ready":
            _index_new(self.embedder, self.indexer)

    # --- sessions and what is learned from them ---

    @cached_property
    def sessions(self) -> SessionDesk:
        return SessionDesk(self.tools, Spool(self.home.spool), self.judged_prompts)

    @cached_property
    def tools(self) -> Tools:
        return Tools(
            store=self.store,
            projects=self.projects,
            writes=self.writes,
            recaller=self.recaller,
            settings=self.settings,
            quiet=self.quiet,
            prompts=PromptKeeper(self.store, self.settings.kept_prompt_chars),
            preferences=Preferences(self.writes, self.settings, _hear),
            client_files=ClientFiles(hides=self.quiet.hides),
            wake_model=self.wake_model,
            clock=self.clock,
            on_work=self.sweep.notify,
            edits=self.edits,
            has_news=self.sweep.has_news,
            judge=self.judge,
            on_transcript=partial(_note_transcript, (self.miner, self.worth)),
            read_replies=partial(_read_replies, self.quiet),
            read_given=_read_given,
        )

    @cached_property
    def edits(self) -> EditWatch:
        return EditWatch(self.stale, self.sweep.has_news, partial(_is_left_alone, self.quiet))

    @cached_property
    def miner(self) -> Miner:
        return Miner(self.store, self.settings, self.quiet, self.clock, self._mine)

    def _mine(self) -> Mine:
        from hitherto_server.history.mined import Mine

        return Mine(self.writes, self.quiet, self.embedder)

    @cached_property
    def worth(self) -> WorthKeeper:
        keeper = WorthKeeper(self.store, self.quiet, self.clock, is_on=bool(self.settings.worth))
        keeper.afterwards = self._set_aside
        return keeper

    async def _set_aside(self) -> None:
        from hitherto_server.cleaning.aside import Aside

        await Aside(self.store, self.clock, self.settings.set_aside_days).set_aside()

    @cached_property
    def history(self) -> Importer:
        return Importer(
            self.store,
            self.projects,
            self.writes,
            self.clock,
            self.quiet.hides,
            self._show,
            self.miner.take_past,
        )

    async def _show(
        self, import_id: int, sources: Sequence[Source], told: Callable[[int], None]
    ) -> Shown | None:
        """Find the memory of an import that is shown."""
        from hitherto_server.history.shown import Showcase

        case = Showcase(
            self.store, self.projects, self.recaller, self.indexer, self.settings, self.clock
        )
        return await case.find(import_id, sources, told)


def _note_transcript(keepers: Sequence[Miner | WorthKeeper], call: HookCall) -> None:
    for one in keepers:
        one.note(call)


def _read_given(path: Path) -> list[tuple[int, str]]:
    from hitherto_server.history.replies import given_in

    return given_in(path)


def _read_replies(quiet: Quiet, path: Path) -> list[tuple[int, str]]:
    from hitherto_server.history.replies import replies_in
    from hitherto_server.history.tail import counted

    # what was said in a pause is nobody's to keep
    return replies_in(path, counted(quiet, {"session_id": path.stem, "since_ms": 0}))


def _may_ask(judge: Judge) -> bool:
    return judge.switches.config.on and judge.switches.config.backend is not None


def _hear(prompt: str) -> Heard:
    from hitherto_server.history.hearing import hear

    return hear(prompt)


def _index_new(embedder: Succession, indexer: Indexer) -> None:
    embedder.start_loading()
    indexer.notify()


async def _is_left_alone(quiet: Quiet, session_id: str, folder: Path) -> bool:
    return await quiet.rule_for(session_id, [str(folder)]) is not None


async def _is_ignored(quiet: Quiet, store: Store, project: int) -> bool:
    if not quiet.in_force("ignore"):
        return False
    root = await store.readers.run(lambda reading: find_root(reading, project))
    return root is not None and await asyncio.to_thread(quiet.hides, root)
