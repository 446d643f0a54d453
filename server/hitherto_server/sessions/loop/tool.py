"""What agent and person do with a loop: start it, say how far it is, end it, look at it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import hitherto_contract as contract
from hitherto_server.core.errors import InvalidInput, LoopRuns, NotFound
from hitherto_server.gates.secrets import redact
from hitherto_server.store.loops import (
    NewLoop,
    begin_loop,
    end_in_time,
    end_loop,
    get_loop,
    journal_of,
    last_loop,
    newest_loops,
    resume_loop,
    say_blocked,
    write_entry,
)

if TYPE_CHECKING:
    from hitherto_server.core.clock import Clock
    from hitherto_server.store.database import Store
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.loops import Entry, Loop
    from hitherto_server.store.projects import Projects

MINUTE_MS = 60_000
BEGUN = (
    "Iteration 1 is this turn. When you stop, you are asked for the next one: end each with"
    " `loop` update."
)


@dataclass(frozen=True)
class LoopDesk:
    """Takes what is asked of loops by the tool and by the command line."""

    store: Store
    projects: Projects
    clock: Clock
    most_iterations: int
    """0: no loop can be started."""

    async def do(self, asked: contract.LoopRequest) -> contract.LoopReply:
        """Do what is asked of the loop of a session."""
        if asked.session_id is None:
            message = "a loop belongs to a session, and this call names none"
            raise InvalidInput(message, mend="Name it; `hitherto loop list` shows which there are.")
        match asked.action:
            case "start":
                return await self._start(asked, asked.session_id)
            case "update":
                return await self._changed(asked, asked.session_id)
            case "stop":
                return await self._changed(asked, asked.session_id)
            case "status":
                return await self._status(asked.session_id)

    async def list(self, asked: contract.LoopsRequest) -> contract.LoopsReply:
        """Return the newest loops, of a folder's project or of all."""
        folder = asked.project_dir
        project = await self.projects.find(folder) if folder else None
        if folder and project is None:
            return contract.LoopsReply(loops=[])
        await self._end_in_time()
        read = partial(
            newest_loops,
            live=not asked.ended,
            project_id=project.number if project else None,
            limit=asked.limit,
        )
        return contract.LoopsReply(loops=[view(one) for one in await self.store.readers.run(read)])

    async def _start(self, asked: contract.LoopRequest, session_id: str) -> contract.LoopReply:
        if not self.most_iterations:
            message = "loops are switched off"
            raise InvalidInput(message, mend="The setting `loop_iterations` is 0.")
        project = await self.projects.get(asked.project_dir) if asked.project_dir else None
        now_ms = self.clock()
        new = NewLoop(
            session_id=session_id,
            project_id=project.number if project else None,
            task=redact(asked.task or "").text,
            most_iterations=min(asked.iterations, self.most_iterations),
            at_ms=now_ms,
            until_ms=now_ms + asked.minutes * MINUTE_MS,
        )
        loop = await self.store.writer.run(partial(begin_loop, new=new))
        if loop is None:
            message = "a loop goes on in this session"
            raise LoopRuns(message)
        return contract.LoopReply(loop=view(loop), notes=[BEGUN])

    async def _changed(self, asked: contract.LoopRequest, session_id: str) -> contract.LoopReply:
        """Write down what was done, and let the loop go on, wait or end."""
        note, now_ms = redact(asked.note or "").text.strip(), self.clock()

        def job(connection: Connection) -> tuple[Loop, list[Entry]] | None:
            end_in_time(connection, now_ms)
            loop = last_loop(connection, session_id)
            if loop is None or not loop.is_live:
                return None
            if note:
                write_entry(connection, loop, "agent", note, now_ms)
            _change(connection, loop, asked, now_ms)
            return get_loop(connection, loop.id) or loop, journal_of(connection, loop.id)

        changed = await self.store.writer.run(job)
        if changed is None:
            message = "no loop goes on in this session"
            raise NotFound(message)
        return contract.LoopReply(loop=view(*changed))

    async def _status(self, session_id: str) -> contract.LoopReply:
        await self._end_in_time()

        def read(connection: Connection) -> tuple[Loop, list[Entry]] | None:
            loop = last_loop(connection, session_id)
            return None if loop is None else (loop, journal_of(connection, loop.id))

        found = await self.store.readers.run(read)
        return contract.LoopReply(loop=None if found is None else view(*found))

    async def _end_in_time(self) -> None:
        await self.store.writer.run(partial(end_in_time, now_ms=self.clock()), durable=False)


def _change(connection: Connection, loop: Loop, asked: contract.LoopRequest, now_ms: int) -> None:
    by_person = asked.actor == "cli"
    if asked.action == "stop":
        end_loop(connection, loop.id, "person" if by_person else "stopped", now_ms)
    elif asked.state == "done":
        end_loop(connection, loop.id, "done", now_ms)
    elif asked.state == "blocked":
        say_blocked(connection, loop.id)
    else:
        resume_loop(connection, loop.id)


def view(loop: Loop, journal: list[Entry] | None = None) -> contract.LoopView:
    """Return a loop as the wire shows it."""
    entries = [contract.LoopEntryView(**vars(one)) for one in journal or []]
    shown = {
        name: getattr(loop, name) for name in contract.LoopView.model_fields if name != "journal"
    }
    return contract.LoopView(**shown, journal=entries)
