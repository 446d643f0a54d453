"""Where hook calls arrive: each event is noted once, and some are answered."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.background import Background
from hitherto_server.core.errors import GitSlow, StoreError
from hitherto_server.sessions.bookkeeping import note_event
from hitherto_server.sessions.call import HookCall, read_call
from hitherto_server.sessions.control.left_alone import leave_alone, without_hidden
from hitherto_server.sessions.moments import answer_start, is_late
from hitherto_server.sessions.notices import AFTER_TOOLS, tells_of_files, with_news
from hitherto_server.sessions.prompt.keeper import turn_of
from hitherto_server.sessions.spool_reader import parse_record
from hitherto_server.sessions.subagents import answer_subagent, link_dispatch, note_dispatch
from hitherto_server.store.sessions import same_within_ms

if TYPE_CHECKING:
    from hitherto_server.sessions.moments import Reply, Tools
    from hitherto_server.sessions.prompt.patience import JudgedPrompts
    from hitherto_server.sessions.spool_reader import Record, Spool
    from hitherto_server.store.evidence import NewEvidence
    from hitherto_server.store.projects import Project

log = logging.getLogger(__name__)

DRAIN_EVERY_S = 2.0
REMEMBERED_CALLS = 512
BEFORE_WORK = frozenset({"SessionStart", "PostToolUse", "PostToolUseFailure"})
"""Events after which files are looked at: a session begins, or may have changed them."""


@dataclass
class SessionDesk:
    """Takes the hooks' calls, directly and from the spool."""

    tools: Tools
    spool: Spool
    judged_prompts: JudgedPrompts
    _recent: OrderedDict[tuple[str, str, str], int] = field(default_factory=OrderedDict)
    _taking: dict[tuple[str, str, str], asyncio.Future[bool]] = field(default_factory=dict)
    _background: Background = field(default_factory=lambda: Background("the spool"))
    _one_drain: asyncio.Lock = field(default_factory=asyncio.Lock)
    """A second drain would take the same batch, and remove the one after it."""

    def start(self) -> None:
        """Begin to take in what was spooled, now and from time to time."""
        self.spool.make_ready()
        self.judged_prompts.keep()
        self._background.start(self._drain_for_ever())

    async def close(self) -> None:
        """Stop draining; what is left is taken in after the next start."""
        await self._background.close()
        self.judged_prompts.close()
        await self.tools.edits.close()
        await self.tools.client_files.close()
        await self.tools.prompts.close()
        await self.tools.preferences.close()
        await self.tools.choosing.close()
        await self.tools.in_time.close()

    async def take(self, call: HookCall) -> Reply:
        """Note a call and return what the client should hear; a repeated one is not noted."""
        self.judged_prompts.keep()
        key = _key(call)
        while self._is_repeat(call):
            if await self._is_taken(key):
                return None
        taken = self._taking[key] = asyncio.get_running_loop().create_future()
        try:
            return await self._take_first(call)
        except BaseException:
            self._recent.pop(key, None)  # it will come again, by the spool
            raise
        finally:
            taken.set_result(key in self._recent)
            del self._taking[key]

    async def _is_taken(self, key: tuple[str, str, str]) -> bool:
        """Tell whether the first of two copies is noted, once it is: a kill may come before that.

        The second one may be the spool's, which forgets it then.
        """
        first = self._taking.get(key)
        return first is None or await asyncio.shield(first)

    async def _take_first(self, call: HookCall) -> Reply:
        if (rule := await self.tools.quiet.over(call)) is not None:
            return await leave_alone(self.tools, call, rule)
        reply = await self._take(await without_hidden(self.tools, call))
        if call.spooled or is_late(self.tools, call):
            return reply
        return self.tools.preferences.with_kept(call, reply)

    async def _take(self, call: HookCall) -> Reply:
        project = await self._project(call)
        if call.event == "PostToolUse" and call.text("tool_name") == "ExitPlanMode":
            from hitherto_server.sessions.plan.plans import store_plan

            # Before the event is noted: a repeated event is dropped, a repeated plan is known.
            await store_plan(self.tools, call)
        noting = asyncio.create_task(self._note(call, project.number if project else None))
        if call.event == "UserPromptSubmit" and not call.spooled:
            return await self._answer_prompt(call, noting)
        if await noting is None:
            return None
        self.tools.on_transcript(call)
        reply = await self._answer(call)
        if call.spooled:
            self.tools.preferences.keep_soon(call)
            return None
        if tells_of_files(call):
            reply = await with_news(self.tools, call, reply, unasked=True)
        if project is not None and call.event in BEFORE_WORK:
            self.tools.on_work(project)
        if project is not None and call.event == "PostToolUse":
            self.tools.edits.note(call, project)
        return reply

    async def _answer_prompt(self, call: HookCall, noting: asyncio.Task[int | None]) -> Reply:
        from hitherto_server.sessions.prompt.asked import answer_prompt

        reply = await with_news(self.tools, call, await answer_prompt(self.tools, call, noting))
        if call.session_id in self.tools.choosing.undelivered:
            from hitherto_server.sessions.compaction.digests import with_digest

            reply = await with_digest(self.tools, call, reply)
        return reply

    async def _answer(self, call: HookCall) -> Reply:  # noqa: C901, PLR0911 - a table
        """Follow what subagents are given to do, and answer what begins."""
        match call.event:
            case "PreCompact" | "PostCompact" | "SessionEnd":
                from hitherto_server.sessions.compaction.digests import follow_compaction

                await follow_compaction(self.tools, call)
            case "SessionStart" if call.text("source") == "compact":
                from hitherto_server.sessions.compaction.digests import answer_compaction

                return await answer_compaction(self.tools, call)
            case "SessionStart" if not call.spooled:
                self.tools.reader.warm()
                return await answer_start(self.tools, call)
            case "SubagentStart":
                return await answer_subagent(self.tools, call)
            case "PreToolUse":
                await note_dispatch(self.tools, call)
            case "PostToolUse" if call.text("tool_name") == "ExitPlanMode":
                from hitherto_server.sessions.plan.check import answer_plan

                return await answer_plan(self.tools, call)
            case "PostToolUse":
                link_dispatch(self.tools, call)
            case "Stop":
                from hitherto_server.sessions.stop.answering import answer_stop

                return await answer_stop(self.tools, call, all_heard=self._has_heard_all())
            case "SubagentStop":
                from hitherto_server.sessions.stop.answering import answer_subagent_stop

                all_heard = self._has_heard_all()
                return await answer_subagent_stop(self.tools, call, all_heard=all_heard)
            case _:
                pass
        return None

    def _has_heard_all(self) -> bool:
        """Tell whether no event waits to be taken in, as after a restart."""
        return not self.spool.is_waiting()

    async def _note(self, call: HookCall, project: int | None) -> int | None:
        # a prompt that comes late keeps nobody waiting; the others are kept after their reply
        most = self.tools.settings.kept_prompt_chars
        turn = await asyncio.to_thread(turn_of, call, most) if call.spooled else None
        evidence: tuple[NewEvidence, ...] = ()
        if call.event in AFTER_TOOLS:
            from hitherto_server.sessions.stop.evidence import evidence_of

            evidence = await asyncio.to_thread(evidence_of, call)
        job = partial(
            note_event,
            call=call,
            project=project,
            received_at_ms=self.tools.clock(),
            turn=turn,
            evidence=evidence,
        )
        # The client waits, and no kill loses it; only a power cut may, as with the spool.
        return await self.tools.store.writer.run(job, durable=call.spooled)

    async def _project(self, call: HookCall) -> Project | None:
        if call.folder is None:
            return None
        try:
            return await self.tools.projects.get(call.folder)
        except GitSlow as error:  # the session's next event brings its project
            log.warning("%s of %s is without a project: %s", call.event, call.session_id, error)
            return None

    def _is_repeat(self, call: HookCall) -> bool:
        """Tell whether the same call is here already: settings and a plugin both registered it."""
        before = self._recent.get(_key(call))
        if before is not None and abs(call.at_ms - before) <= same_within_ms(call.event):
            return True
        self._recent[_key(call)] = call.at_ms
        while len(self._recent) > REMEMBERED_CALLS:
            self._recent.popitem(last=False)
        return False

    async def _drain_for_ever(self) -> None:
        while True:
            await self._background.guard(self._drain())
            await asyncio.sleep(DRAIN_EVERY_S)

    async def _drain(self) -> None:
        try:
            await self.drain()
        except OSError as error:  # its folder is away, or the disk is full
            log.warning("the spool waits: %s", error)

    async def drain(self) -> int:
        """Take in what was spooled and return how many lines that were."""
        count = 0
        async with self._one_drain:
            while (batch := await asyncio.to_thread(self.spool.take)) is not None:
                for line in await asyncio.to_thread(self.spool.read_lines, batch):
                    await self._take_line(line)
                    count += 1
                await asyncio.to_thread(self.spool.done, batch)
        return count

    async def _take_line(self, line: bytes) -> None:
        try:
            await self.take(_spooled_call(parse_record(line)))
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad line must not hold up the rest
            log.warning("a spooled event could not be read: %r", error)
            await asyncio.to_thread(self.spool.keep_unreadable, line)


def _key(call: HookCall) -> tuple[str, str, str]:
    return call.session_id, call.event, call.body_hash


def _spooled_call(record: Record) -> HookCall:
    return read_call(
        record.event,
        record.body,
        at_ms=record.time_ns // 1_000_000,
        project=record.project or None,
        spooled=True,
    )
