"""Makes the parts of a server, each once, and hands each what it needs."""

from __future__ import annotations

import asyncio
import platform
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.benches.passes import Passes
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
from hitherto_server.standing.anchors import anchor
from hitherto_server.standing.files import FileStates
from hitherto_server.store.memories import AnchorRow, PartRow
from hitherto_server.store.projects import Projects, find_root

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.home import Home
    from hitherto_server.core.settings import Settings
    from hitherto_server.gates.context import Place
    from hitherto_server.history.importer import Show
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
    judge = make_judge(store, clock, home.env_file, without_doubt)
    passes = Passes(store, clock, lambda: judge.switches.config)
    judge.switches.passes = passes
    quiet = Quiet(store, clock, home.quiet)
    judge.is_ignored = partial(_is_ignored, quiet, store)
    files, projects = FileStates(hides=quiet.hides), Projects(store, clock)
    lookout = Lookout(files)
    recaller = Recaller(store, embedder, settings, clock, lookout, judge=judge)
    sweep = Sweep(store, lookout, clock, has_news=set())
    judged = JudgedWork(store, judge, clock, embedder)
    indexer = Indexer(store, embedder, clock, Comparer(store, clock, judged))
    judged.is_busy = lambda: indexer.is_busy or sweep.is_busy
    stale = StaleJudge(store, lookout, judge, clock)
    writes = WriteContext(
        store=store,
        projects=projects,
        anchorer=partial(tie_to_files, files),
        splitter=split,
        clock=clock,
        device=platform.node() or "unknown",
        on_written=partial(_index_new, embedder, indexer),
        read=files.read,
        judge=judge,
        meaning=embedder,
        on_work=judged.notify,
    )
    wake_model = partial(_wake_model, embedder, indexer)
    miner = Miner(store, settings, quiet, clock, _mine_by(writes, quiet, embedder))
    worth = WorthKeeper(store, quiet, clock, is_on=bool(settings.worth))
    worth.afterwards = partial(_set_aside, store, clock, settings.set_aside_days)
    tools = Tools(
        store=store,
        projects=projects,
        writes=writes,
        recaller=recaller,
        settings=settings,
        quiet=quiet,
        prompts=PromptKeeper(store, settings.kept_prompt_chars),
        preferences=Preferences(writes, settings, _hear),
        client_files=ClientFiles(hides=quiet.hides),
        wake_model=wake_model,
        clock=clock,
        on_work=sweep.notify,
        edits=EditWatch(stale, sweep.has_news, partial(_is_left_alone, quiet)),
        has_news=sweep.has_news,
        judge=judge,
        on_transcript=partial(_note_transcript, (miner, worth)),
        read_replies=partial(_read_replies, quiet),
        read_given=_read_given,
    )
    judged_prompts = JudgedPrompts(home.judged, judge, lambda: _may_ask(judge))
    judge.on_change = judged_prompts.keep
    return Services(
        home=home,
        settings=settings,
        clock=clock,
        started_at_ms=clock(),
        store=store,
        projects=projects,
        writes=writes,
        embedder=embedder,
        indexer=indexer,
        sweep=sweep,
        recaller=recaller,
        stale=stale,
        sessions=SessionDesk(tools, Spool(home.spool), judged_prompts),
        quiet=quiet,
        history=Importer(
            store,
            projects,
            writes,
            clock,
            quiet.hides,
            _show_by(store, projects, recaller, indexer, settings=settings, clock=clock),
            miner.take_past,
        ),
        miner=miner,
        worth=worth,
        backups=_backups(home, settings, store, clock),
        judge=judge,
        judged=judged,
        passes=passes,
        recall_counts=RecallCounts(store, clock),
        wake_model=wake_model,
        stopping=asyncio.Event(),
        token=token,
        port=port,
    )


def _note_transcript(keepers: Sequence[Miner | WorthKeeper], call: HookCall) -> None:
    for one in keepers:
        one.note(call)


async def _set_aside(store: Store, clock: Clock, days: int) -> None:
    from hitherto_server.cleaning.aside import Aside

    await Aside(store, clock, days).set_aside()


def _read_given(path: Path) -> list[str]:
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


def _wake_model(embedder: Succession, indexer: Indexer) -> None:
    # each look for what waits reads all passages: not at every recall
    if embedder.state != "ready":
        _index_new(embedder, indexer)


def _mine_by(writes: WriteContext, quiet: Quiet, embedder: Succession) -> Callable[[], Mine]:
    """Return what makes the keeper of what sessions say: it loads itself at the first."""

    def mine() -> Mine:
        from hitherto_server.history.mined import Mine

        return Mine(writes, quiet, embedder)

    return mine


def _backups(home: Home, settings: Settings, store: Store, clock: Clock) -> Backups:
    every_hours, kept = settings.backup_hours, settings.backups_kept
    return Backups(home, store, clock, every_hours=every_hours, kept=kept)


def _show_by(
    store: Store,
    projects: Projects,
    recaller: Recaller,
    indexer: Indexer,
    *,
    settings: Settings,
    clock: Clock,
) -> Show:
    """Return what finds the memory of an import that is shown: it loads itself when it is asked."""

    async def show(
        import_id: int, sources: Sequence[Source], told: Callable[[int], None]
    ) -> Shown | None:
        from hitherto_server.history.shown import Showcase

        case = Showcase(store, projects, recaller, indexer, settings, clock)
        return await case.find(import_id, sources, told)

    return show


def tie_to_files(
    files: FileStates, content: str, named: Sequence[str], edited: Sequence[str], place: Place
) -> tuple[AnchorRow, ...]:
    """Return the anchors of a content, as the store keeps them; ignored files get none."""
    if place.project is None:
        return ()
    root, commit = place.project.root, place.head.commit
    named = [name for name in named if not files.hides(root / name)]
    return tuple(
        AnchorRow(
            found.path,
            found.file_hash,
            tuple(PartRow(part.kind, part.name, part.region_hash) for part in found.parts),
            found.commit,
        )
        for found in anchor(content, named, root, files.read, edited=edited, commit=commit)
    )
