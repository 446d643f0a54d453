"""What Hitherto does at each moment of a session that it answers."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.core.clock import uuid7
from hitherto_server.core.text import ending_of, opening_of
from hitherto_server.judge.asking import NobodyAsks
from hitherto_server.recall.admission import Admission, Occasion
from hitherto_server.recall.hits import Question
from hitherto_server.sessions.client.files import ClientFiles
from hitherto_server.sessions.compaction.choosing import Choosing
from hitherto_server.sessions.dispatches import Dispatches
from hitherto_server.sessions.in_time import InTime
from hitherto_server.sessions.prompt.reader import PromptReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hitherto_server.core.clock import Clock
    from hitherto_server.core.settings import Settings
    from hitherto_server.gates.context import WriteContext
    from hitherto_server.judge.asking import Asks
    from hitherto_server.recall.pipeline import Recaller
    from hitherto_server.sessions.call import HookCall
    from hitherto_server.sessions.control.quiet import Quiet
    from hitherto_server.sessions.edit_watch import EditWatch
    from hitherto_server.sessions.prompt.keeper import PromptKeeper
    from hitherto_server.sessions.prompt.preferences import Preferences
    from hitherto_server.store.database import Store
    from hitherto_server.store.ledger import Channel
    from hitherto_server.store.projects import Project, Projects

Reply = dict[str, Any] | None
"""The JSON object that the hook prints; None prints nothing."""

MAX_QUERY_CHARS = 4000
PROMPT_WAIT_S, START_WAIT_S = 0.02, 0.1
"""How long the first prompt and the start wait for the client's files to be read."""
DELIVERY_MS = 15
"""What the way back to the client takes: a reply that is later is not delivered."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, repr=False)  # the driver logs what it is given, and this is a megabyte
class Tools:
    """What the moments work with."""

    store: Store
    projects: Projects
    writes: WriteContext
    recaller: Recaller
    settings: Settings
    quiet: Quiet
    prompts: PromptKeeper
    preferences: Preferences
    wake_model: Callable[[], None]
    clock: Clock
    on_work: Callable[[Project], None]
    """Told where a session is at work: its files may have changed."""
    edits: EditWatch
    """Told of edits, to have the memories of the files judged."""
    has_news: set[str]
    """Sessions that were given something which does not hold any more."""
    client_files: ClientFiles = field(default_factory=ClientFiles)
    dispatches: Dispatches = field(default_factory=Dispatches)
    reader: PromptReader = field(default_factory=PromptReader)
    judge: Asks = field(default_factory=NobodyAsks)
    on_transcript: Callable[[HookCall], None] = lambda _: None
    """Told of calls after which a transcript may have grown, or be complete."""
    choosing: Choosing = field(default_factory=Choosing)
    in_time: InTime = field(default_factory=InTime)
    read_replies: Callable[[Path], Sequence[tuple[int, str]]] = lambda _: ()
    """Reads from a transcript what the agent answered, each with its time."""
    read_given: Callable[[Path], Sequence[tuple[int, str]]] = lambda _: ()
    """Reads from a transcript what hooks and our tools gave the session, and since when."""


def asked_in(prompt: str) -> str:
    """Return the two ends of a prompt: what is pasted between them may be a megabyte."""
    if len(prompt) <= MAX_QUERY_CHARS:
        return prompt
    half = MAX_QUERY_CHARS // 2
    return f"{opening_of(prompt, half)}\n{ending_of(prompt, half)}"


async def answer_start(tools: Tools, call: HookCall) -> Reply:
    """Give a session its brief; a resumed one still has what it was given."""
    tools.wake_model()
    if call.text("source") == "resume":
        return None
    question = await question_of(tools, call, "")
    settings = tools.settings
    most = (settings.brief_memories, settings.brief_tokens)
    occasion = await occasion_of(tools, call, "start", question, most)
    admission = await tools.recaller.brief(question, occasion)
    return await deliver(tools, call, admission)


async def question_of(tools: Tools, call: HookCall, text: str) -> Question:
    """Return a text as a question about the project of a call."""
    project = await tools.projects.find(call.folder) if call.folder else None
    return Question(
        text=text,
        project=project.number if project else None,
        root=project.root if project else None,
    )


async def occasion_of(
    tools: Tools, call: HookCall, channel: Channel, question: Question, most: tuple[int, int]
) -> Occasion:
    """Return to whom something is given by a call's answer, and `most` of it: memories, tokens."""
    at_ms = tools.clock()
    wait_s = PROMPT_WAIT_S if channel in {"prompt", "subagent"} else START_WAIT_S
    said = await tools.client_files.said_in(question.root, wait_s=wait_s, client=call.client)
    memories, tokens = most
    return Occasion(
        session_id=call.session_id,
        channel=channel,
        admission=uuid7(at_ms),
        at_ms=at_ms,
        memories=memories,
        tokens=tokens,
        said_in=said.where,
    )


async def deliver(tools: Tools, call: HookCall, admission: Admission) -> Reply:
    """Enter the admission in the ledger and return it, unless it would come too late."""
    if is_late(tools, call):
        tools.recaller.note_withheld(admission)
        return None
    admission = await tools.recaller.deliver(admission)
    if is_late(tools, call):  # the disk took its time
        await tools.recaller.take_back(admission)
        return None
    if not admission.text:
        return None
    return {
        "systemMessage": f"Hitherto: {admission.notice}",
        "hookSpecificOutput": {
            "hookEventName": call.event,
            "additionalContext": admission.text,
        },
    }


def is_late(tools: Tools, call: HookCall) -> bool:
    """Tell whether a reply would not be delivered any more."""
    if call.deadline_ms is None:
        return False
    spent_ms = tools.clock() - call.at_ms
    if spent_ms <= call.deadline_ms - DELIVERY_MS:
        return False
    log.warning("%s of %s withheld: %d ms", call.event, call.session_id, spent_ms)
    return True
