"""What of a tool's call is kept as evidence: the command and how it ended, the file, the result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hitherto_server.core.commands import only_looks
from hitherto_server.core.text import ending_of, storable
from hitherto_server.gates.secrets import redact
from hitherto_server.sessions.bookkeeping import (
    MAX_FIELD_CHARS,
    MAX_PATH_CHARS,
    NOTIFICATION,
    agent_id_of,
    kept,
    prompt_id_of,
)
from hitherto_server.sessions.edit_watch import EDITS
from hitherto_server.sessions.notices import AFTER_TOOLS
from hitherto_server.store.evidence import NewEvidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.sessions.call import HookCall

NO_RESULT = frozenset({"ExitPlanMode", "EnterPlanMode", "TodoWrite", "Read", "Glob", "Grep"})
OWN = re.compile(r"mcp__.*hitherto")
"""What our own tools say is no evidence; a memory write notes itself."""

SHOWS_SCREENS = re.compile(
    r"browser|playwright|puppeteer|chrome|screen|snapshot|page|desktop|mail|slack|message|calendar",
    re.IGNORECASE,
)
"""Of these tools' names: what they answer is a page, a screen or a letter, and is not kept."""

MOST_LINE = 500
MOST_TAIL = 500
WINDOW = 2000
"""What is redacted of an output's end: more than is kept, so that no secret is cut in two."""
MOST_TEXTS = 20
EXIT = re.compile(r"\s*Exit code (-?\d{1,10})\n?")
EXIT_SAID = re.compile(r"exit(?:ed)?(?: with)?[ _]code:? ?(-?\d{1,10})", re.IGNORECASE)
SAID_WITHIN = 300
ENDED_LATER = re.compile(
    r"<tool-use-id>(?P<call>[\w-]{1,200})</tool-use-id>.*?"
    r"<status>(?P<status>[a-z_]{1,40})</status>"
    r"(?:.*?exit code (?P<code>-?\d{1,10}))?",
    re.DOTALL,
)


def evidence_of(call: HookCall) -> tuple[NewEvidence, ...]:
    """Return what is kept of a tool's call, redacted and cut; nothing of what only looks."""
    tool = call.text("tool_name", most=MAX_FIELD_CHARS)
    if call.event not in AFTER_TOOLS or not tool or tool in NO_RESULT or OWN.match(tool):
        return ()
    if tool == "Bash":
        return tuple(_command(call))
    if tool in EDITS:
        return tuple(_edits(call))
    tail = "" if SHOWS_SCREENS.search(tool) else _tail(_answer(call))
    return (_made(call, "result", kept(tool, MAX_FIELD_CHARS), tail=tail),)


def ended_later(prompt: str) -> list[tuple[str, bool, int | None]]:
    """Return how commands in the background ended, as the client tells: call, failed, exit code."""
    if not prompt.lstrip().startswith(NOTIFICATION):
        return []
    found: list[tuple[str, bool, int | None]] = []
    for notice in prompt.split(NOTIFICATION)[1 : MOST_TEXTS + 1]:
        match = ENDED_LATER.search(notice)
        if match is not None and match["status"] in {"completed", "failed"}:
            code = None if match["code"] is None else int(match["code"])
            found.append((match["call"], match["status"] == "failed", code))
    return found


def _command(call: HookCall) -> Iterator[NewEvidence]:
    line = call.text("tool_input", "command")
    if not line.strip():
        return
    failed, code, output = _outcome(call)
    shows = failed is not False or not only_looks(line)
    tail = _tail(output) if shows else ""
    yield _made(call, "command", kept(line, MOST_LINE), failed=failed, exit_code=code, tail=tail)


def _outcome(call: HookCall) -> tuple[bool | None, int | None, str]:
    """Return if a command failed (None: nobody knows), its exit code, and what it printed."""
    if call.event == "PostToolUseFailure":
        error = call.text("error")
        told = EXIT.match(error)
        output = error[told.end() :] if told else error
        # what a person broke off has failed in nothing
        failed = None if call.body.get("is_interrupt") is True or told is None else True
        return failed, int(told[1]) if told else None, output
    given = call.body.get("tool_response")
    if not isinstance(given, dict):
        output = _answer(call)
        said = EXIT_SAID.search(output[:SAID_WITHIN])
        code = int(said[1]) if said else None
        return None if code is None else code != 0, code, output
    output = "\n".join(filter(None, (_text(given.get("stdout")), _text(given.get("stderr")))))
    goes_on = given.get("interrupted") is True or bool(given.get("backgroundTaskId"))
    return (None, None, output) if goes_on else (False, 0, output)


def _edits(call: HookCall) -> Iterator[NewEvidence]:
    failed = call.event == "PostToolUseFailure"
    for path in dict.fromkeys(call.files):
        yield _made(call, "edit", kept(path, MAX_PATH_CHARS), failed=failed)


def _answer(call: HookCall) -> str:
    """Return the texts of what a tool answered, whatever shape that has."""
    if call.event == "PostToolUseFailure":
        return call.text("error")
    given = call.body.get("tool_response")
    if isinstance(given, dict):
        given = given.get("content")
    if isinstance(given, list):
        parts = (one.get("text") if isinstance(one, dict) else one for one in given[:MOST_TEXTS])
        return "\n".join(filter(None, map(_text, parts)))
    return _text(given)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _tail(output: str) -> str:
    clean = redact(storable(ending_of(output.rstrip(), WINDOW))).text
    return ending_of(clean, MOST_TAIL).strip()


def _made(
    call: HookCall,
    kind: Any,
    subject: str,
    *,
    failed: bool | None = None,
    exit_code: int | None = None,
    tail: str = "",
) -> NewEvidence:
    is_result = kind == "result" and call.event == "PostToolUseFailure"
    return NewEvidence(
        session_id=call.session_id,
        prompt_id=prompt_id_of(call),
        call_id=kept(call.text("tool_use_id"), MAX_FIELD_CHARS) or call.body_hash[:32],
        kind=kind,
        subject=subject,
        at_ms=call.at_ms,
        agent_id=agent_id_of(call),
        failed=True if is_result else failed,
        exit_code=exit_code,
        tail=tail,
    )
