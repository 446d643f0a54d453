"""A stop, and all that the store knows of the turn that it ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hitherto_server.core.errors import GitSlow
from hitherto_server.sessions.bookkeeping import agent_id_of, prompt_id_of
from hitherto_server.sessions.stop.causes import NOTICES
from hitherto_server.store import obligations as owed
from hitherto_server.store.evidence import (
    MOST_OF_SESSION,
    Evidence,
    began_at_ms,
    last_memory_ms,
    session_evidence,
    turn_evidence,
)
from hitherto_server.store.loops import last_loop
from hitherto_server.store.shown import is_silenced
from hitherto_server.store.turns import list_prompts

if TYPE_CHECKING:
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.moments import Tools
    from hitherto_server.store.driver import Connection

MOST_PROMPTS = 50
"""Somebody who ran the tests may have said so some prompts ago."""
HEARD_WHOLE = "claude-code"
"""Of another client's tools not all are heard, so that nobody knows that nothing ran."""


@dataclass(frozen=True)
class Stop:
    """What counts of a stop."""

    session_id: str
    prompt_id: str
    agent_id: str | None
    """None: the session's own agent stops."""
    message: str
    prompts: tuple[str, ...]
    """What the person said in this session, as far as it is kept: the one that is ended first."""
    turn: Evidence
    """What was done for this prompt; of a subagent, what that one did."""
    everything: Evidence
    """What was done in the session, by anybody."""
    is_whole: bool
    """Whether all that was done in the session is known."""
    stored_ms: int | None
    """When the session last stored something."""
    lessons: owed.Asked
    owes: tuple[owed.Obligation, ...]
    has_block: bool
    is_looping: bool
    is_forced: bool
    """The turn goes on after a block, be it another's."""
    goes_on: bool
    """Something is at work in the background."""
    silent: frozenset[str]
    """Notices that lost their say."""
    project: int | None

    @property
    def subject(self) -> str:
        """By what its one block is known."""
        return self.prompt_id if self.agent_id is None else f"{self.prompt_id} {self.agent_id}"

    @property
    def own(self) -> Evidence:
        """What whoever stops knows of: the session's agent all, a subagent its own work."""
        return self.everything if self.agent_id is None else self.turn

    @property
    def has_stored(self) -> bool:
        """Whether something was stored since the turn's work began."""
        times = [one.at_ms for one in self.turn.commands] + [one.at_ms for one in self.turn.edits]
        return self.stored_ms is not None and bool(times) and self.stored_ms >= min(times)


async def look_at(tools: Tools, call: HookCall, *, all_heard: bool) -> Stop:
    """Read what is known of a stop; `all_heard`: no event waits to be taken in."""
    number = await project_of(tools, call)
    read = partial(_read, tools=tools, call=call, project=number, all_heard=all_heard)
    return await tools.store.readers.run(read)


async def project_of(tools: Tools, call: HookCall) -> int | None:
    """Return the number of a call's project; none where git takes too long to say."""
    try:
        project = await tools.projects.find(call.folder) if call.folder else None
    except GitSlow:  # the event says so in the log
        return None
    return project.number if project else None


def _read(
    connection: Connection, tools: Tools, call: HookCall, *, project: int | None, all_heard: bool
) -> Stop:
    session_id = call.session_id
    prompt_id = prompt_id_of(call)
    agent_id = agent_id_of(call)
    everything = session_evidence(connection, session_id)
    began_ms = began_at_ms(connection, session_id)
    is_known = (
        all_heard
        and call.client == HEARD_WHOLE
        and tools.settings.kept_prompt_chars > 0
        and began_ms is not None
        and not _was_left_alone(tools, call, began_ms)
    )
    loop = last_loop(connection, session_id) if agent_id is None else None
    subject = prompt_id if agent_id is None else f"{prompt_id} {agent_id}"
    return Stop(
        session_id=session_id,
        prompt_id=prompt_id,
        agent_id=agent_id,
        message=call.text("last_assistant_message"),
        prompts=tuple(list_prompts(connection, session_id, prompt_id, MOST_PROMPTS)),
        turn=turn_evidence(connection, session_id, prompt_id, agent_id),
        everything=everything,
        is_whole=is_known and everything.size < MOST_OF_SESSION,
        stored_ms=last_memory_ms(connection, session_id),
        lessons=owed.asked_to_store(connection, session_id),
        owes=tuple(owed.open_obligations(connection, session_id)),
        has_block=owed.has_block(connection, session_id, subject),
        is_looping=loop is not None and loop.is_live,
        is_forced=call.body.get("stop_hook_active") is True,
        goes_on=bool(call.body.get("background_tasks")),
        silent=frozenset(n for n in NOTICES.values() if is_silenced(connection, n, project)),
        project=project,
    )


def _was_left_alone(tools: Tools, call: HookCall, since_ms: int) -> bool:
    """Tell whether a session was paused or ignored since, so that not all of it was heard."""
    folder = f"{call.folder or ''}/"
    return any(
        rule.session_id == call.session_id
        or (rule.path is not None and folder.startswith(f"{rule.path.rstrip('/')}/"))
        for rule in tools.quiet.rules
        if min(filter(None, (rule.until_ms, rule.ended_at_ms)), default=since_ms + 1) > since_ms
    )
