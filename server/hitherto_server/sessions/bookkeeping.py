"""What is kept of an event: enough for later questions, bounded, and never a file's content.

Commands and replies are not kept; prompts are, by `prompts`. Nothing is with its secrets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hitherto_server.core.text import opening_of
from hitherto_server.gates.secrets import redact
from hitherto_server.sessions.prompt.silence import SYSTEM_TEXT
from hitherto_server.store.evidence import drop_old, end_later, put_evidence
from hitherto_server.store.loops import end_loops_of
from hitherto_server.store.obligations import ENDED, clear_obligations
from hitherto_server.store.sessions import (
    NewEvent,
    begin_session,
    end_session,
    follow_cleared,
    next_generation,
    put_event,
)
from hitherto_server.store.turns import put_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.sessions.call import HookCall
    from hitherto_server.store.driver import Connection
    from hitherto_server.store.evidence import NewEvidence
    from hitherto_server.store.turns import NewTurn

MAX_PATH_CHARS = 1000
NOTIFICATION = "<task-notification>"
"""What the client writes into a prompt when something in the background has ended."""
MAX_FIELD_CHARS = 200
PLAIN = re.compile(r"[a-zA-Z-]{1,24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|toolu_\w+")
"""A word, a UUID, a call's id: most fields are one, and a start need not load the secret gate."""
SMALL_FIELDS = (
    "source",
    "reason",
    "trigger",
    "prompt_id",
    "tool_use_id",
    "permission_mode",
    "agent_id",
    "agent_type",
)


def detail_of(call: HookCall) -> dict[str, Any]:
    """Return what is kept of an event's body."""
    detail: dict[str, Any] = {
        name: kept(call.text(name), MAX_FIELD_CHARS) for name in SMALL_FIELDS if call.text(name)
    }
    files = [kept(path, MAX_PATH_CHARS) for path in call.files]
    if files:
        detail["file"] = files[-1]
    if len(files) > 1:
        detail["files"] = files
    if prompt := call.text("prompt"):
        detail["prompt_chars"] = len(prompt)
        if SYSTEM_TEXT.match(prompt):
            detail["by_client"] = True
    return detail


def kept(text: str, most: int) -> str:
    """Return a text as it may be kept: without secrets, then cut."""
    # a secret that was cut first would no longer look like one
    return text[:most] if PLAIN.fullmatch(text) else redact(opening_of(text, 4 * most)).text[:most]


def prompt_id_of(call: HookCall) -> str:
    """Return the client's id of a call's prompt, as it is kept; empty where none is told."""
    return kept(call.text("prompt_id"), MAX_FIELD_CHARS)


def agent_id_of(call: HookCall) -> str | None:
    """Return the subagent that a call is of, as it is kept; None: the session's own agent."""
    return kept(call.text("agent_id"), MAX_FIELD_CHARS) or None


def note_event(
    connection: Connection,
    call: HookCall,
    *,
    project: int | None,
    received_at_ms: int,
    turn: NewTurn | None = None,
    evidence: Sequence[NewEvidence] = (),
) -> int | None:
    """Write an event and all that is kept with it; None if the event was noted already."""
    begin_session(
        connection,
        call.session_id,
        client=call.client,
        at_ms=call.at_ms,
        project=project,
        working_dir=call.folder,
    )
    if turn is not None:
        put_turn(connection, turn)
    noted = put_event(connection, _event_of(call, received_at_ms))
    if noted is not None:
        for one in evidence:
            put_evidence(connection, one)
        if call.event == "SessionStart":
            drop_old(connection, received_at_ms)
        if call.event == "UserPromptSubmit":
            _end_in_background(connection, call)
        _move_session(connection, call)
    return noted


def _event_of(call: HookCall, received_at_ms: int) -> NewEvent:
    return NewEvent(
        session_id=call.session_id,
        name=kept(call.event, MAX_FIELD_CHARS),
        body_hash=call.body_hash,
        at_ms=call.at_ms,
        received_at_ms=received_at_ms,
        spooled=call.spooled,
        tool_name=kept(call.text("tool_name"), MAX_FIELD_CHARS) or None,
        detail=detail_of(call),
    )


def _end_in_background(connection: Connection, call: HookCall) -> None:
    """Learn how commands ended that went on while the agent did something else."""
    prompt = call.text("prompt")
    if not prompt.lstrip().startswith(NOTIFICATION):
        return
    from hitherto_server.sessions.stop.evidence import ended_later

    for call_id, failed, code in ended_later(prompt):
        end_later(connection, call.session_id, call_id, failed=failed, exit_code=code)


def _move_session(connection: Connection, call: HookCall) -> None:
    match call.event:
        case "SessionStart" if call.text("source") == "compact":
            from hitherto_server.store.digests import begin_after_compaction

            begin_after_compaction(connection, call.session_id, call.at_ms)
        case "PostCompact":
            from hitherto_server.store.digests import end_compaction

            end_compaction(connection, call.session_id, call.at_ms)
        case "SessionStart" if call.text("source") != "resume":
            next_generation(connection, call.session_id, call.at_ms)
            if call.text("source") == "clear":
                follow_cleared(connection, call.session_id, call.at_ms)
        case "SessionEnd":
            reason = kept(call.text("reason"), MAX_FIELD_CHARS) or "unknown"
            end_session(connection, call.session_id, reason=reason, at_ms=call.at_ms)
            end_loops_of(connection, call.session_id, call.at_ms)
            clear_obligations(connection, call.session_id, by=ENDED, at_ms=call.at_ms)
