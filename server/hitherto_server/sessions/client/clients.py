"""In what the clients differ: how they name tools and files, and which answers they accept."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Body = dict[str, Any]

FILES = "file_paths"
"""Where a tool's input names several files; a client that edits one names it as it likes."""
MOST_FILES = 100
MOST_PATCH_CHARS = 4 * 1024 * 1024
PATCHED = re.compile(
    r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE
)
CODEX_DISPATCHES = frozenset({"spawn_agent", "collaborationspawn_agent"})
"""Codex's tool that starts a subagent, without and with the namespace that it puts before it."""
CODEX_AGENT = "default"
SEALED = re.compile(r"\S{64,}")
"""One long word is no task: Codex may let its model seal what it tells a subagent."""
UNIVERSAL = frozenset({"continue", "stopReason", "suppressOutput", "systemMessage"})
DECIDING = UNIVERSAL | {"decision", "reason"}
SPECIFIC = frozenset({"hookEventName", "additionalContext"})


@dataclass(frozen=True)
class Dialect:
    """One client's way of speaking, against Claude Code's, which is ours."""

    understood: Callable[[Body], Body] = lambda body: body
    """An event's body in our words."""
    accepts: Mapping[str, frozenset[str]] | None = None
    """By event, the fields that an answer may have; None: whatever is unknown is ignored."""
    context_at: frozenset[str] = field(default=frozenset())
    """The events whose answer may bring context for the model, where `accepts` counts."""


def codex_body(body: Body) -> Body:
    """Return Codex's body with turn, dispatch and files of a patch as Claude Code names them."""
    is_begun = body.get("hook_event_name") == "SubagentStart"  # in a turn of its own
    if isinstance(turn := body.get("turn_id"), str) and not is_begun:
        body = {"prompt_id": turn, **body}
    if body.get("tool_name") in CODEX_DISPATCHES:
        return {**body, "tool_name": "Agent", "tool_input": dispatch_of(body.get("tool_input"))}
    given, cwd = body.get("tool_input"), body.get("cwd")
    if body.get("tool_name") != "apply_patch" or not isinstance(given, dict):
        return body
    folder = cwd if isinstance(cwd, str) and cwd.startswith("/") else ""
    # a patch names files as they are seen from there
    named = [
        os.path.normpath(f"{folder}/{one}") if folder and not one.startswith("/") else one
        for one in files_of_patch(given.get("command"))
    ]
    return {**body, "tool_input": {FILES: named}}


def dispatch_of(given: object) -> Body:
    """Return what Codex gives a subagent to do; a message that is sealed says nothing."""
    wish = given if isinstance(given, dict) else {}
    message = wish.get("message")
    is_text = isinstance(message, str) and SEALED.fullmatch(message.strip()) is None
    agent_type = wish.get("agent_type") or CODEX_AGENT
    return {"prompt": message if is_text else "", "subagent_type": agent_type}


def files_of_patch(patch: object) -> list[str]:
    """Return the files that a patch of Codex adds, changes, removes or moves to, each once."""
    if not isinstance(patch, str):
        return []
    named = dict.fromkeys(PATCHED.findall(patch[:MOST_PATCH_CHARS]))
    return list(named)[:MOST_FILES]


CLAUDE_CODE = Dialect()
# From the schemas that Codex publishes; tests hold every answer against them.
CODEX = Dialect(
    understood=codex_body,
    accepts={
        "SessionStart": UNIVERSAL | {"hookSpecificOutput"},
        "UserPromptSubmit": DECIDING | {"hookSpecificOutput"},
        "PostToolUse": DECIDING | {"hookSpecificOutput"},
        "SubagentStart": UNIVERSAL | {"hookSpecificOutput"},
        "Stop": DECIDING,
        "PreCompact": UNIVERSAL,
    },
    context_at=frozenset({"SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"}),
)
DIALECTS = {"claude-code": CLAUDE_CODE, "codex": CODEX}


def split_name(name: str) -> tuple[str, str]:
    """Return the event and the client of a hook's name: `Stop`, or `Stop@codex`."""
    event, _, client = name.partition("@")
    return event, client if client in DIALECTS else "claude-code"


def accepted(client: str, event: str, reply: Body | None) -> Body | None:
    """Return what of an answer the client would accept; None if nothing is left of it."""
    dialect = DIALECTS[client]
    if reply is None or dialect.accepts is None:
        return reply
    fields = dialect.accepts.get(event, frozenset())
    kept = {name: value for name, value in reply.items() if name in fields and value is not None}
    specific = kept.pop("hookSpecificOutput", None)
    if isinstance(specific, dict) and event in dialect.context_at:
        said = {name: value for name, value in specific.items() if name in SPECIFIC}
        kept["hookSpecificOutput"] = {**said, "hookEventName": event}
    return kept or None
