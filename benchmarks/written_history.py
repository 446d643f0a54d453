"""Small sessions written as text, turned into transcripts of the client, with what they yield."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINE = re.compile(
    r"^(user|assistant|meta|note|nudge|block|feedback|output|slash|boundary|compact|sidechain|agent"
    r"|recall|remember|bash!?|edit|write|read|expect|forbid): ?(.*)$"
)
CLIENTS = {
    "meta": "isMeta",
    "feedback": "isMeta",
    "compact": "isCompactSummary",
    "sidechain": "isSidechain",
    "output": "",
    "slash": "",
}
"""Rows of a person's kind that no person wrote, each with what marks it."""
NUDGE = "UserPromptSubmit hook additional context: "
FEEDBACK = "Stop hook feedback:\n"
BEGAN_MS = 1_772_000_000_000
DAY_MS = 86_400_000
MINUTE_MS = 60_000


@dataclass
class Expected:
    """A finding that a session should yield."""

    kind: str
    phrase: str


@dataclass
class Session:
    """One written session."""

    project: str
    title: str
    steps: list[tuple[str, str, list[str]]] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    """What was given to the session, or is a secret: found in nothing that is kept."""

    @property
    def is_trap(self) -> bool:
        return not self.expected


def read_sessions(path: Path) -> list[Session]:
    """Return the sessions of one project's file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    project = lines[0].removeprefix("project: ")
    sessions: list[Session] = []
    for line in lines[1:]:
        if line.startswith("== session: "):
            sessions.append(Session(project, line.removeprefix("== session: ")))
        elif found := LINE.match(line):
            _step(sessions[-1], found[1], found[2])
        elif line.startswith("  "):
            sessions[-1].steps[-1][2].append(line[2:])
    return sessions


def _step(session: Session, kind: str, text: str) -> None:
    if kind == "expect":
        what, _, phrase = text.partition(" | ")
        session.expected.append(Expected(what, phrase))
    elif kind == "forbid":
        session.forbidden.append(text)
    else:
        session.steps.append((kind, text, []))


def write_transcript(session: Session, projects: Path, folder: str, *, day: int) -> Path:
    """Write a session as the client would, into the folder of its project; return the file."""
    session_id = str(uuid.UUID(_digest(session.project, session.title)[:32]))
    slug = re.sub(r"[^A-Za-z0-9]", "-", folder)
    path = projects / slug / f"{session_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    maker = _Maker(session_id, folder, BEGAN_MS + day * DAY_MS)
    rows = [row for step in session.steps for row in maker.rows(*step)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for number, (_, task, more) in enumerate(one for one in session.steps if one[0] == "agent"):
        _write_agent(path.with_suffix("") / "subagents", number, maker, "\n".join([task, *more]))
    return path


def _write_agent(folder: Path, number: int, maker: _Maker, said: str) -> None:
    """Write a subagent's own transcript, where the client keeps it: its task is no person's."""
    folder.mkdir(parents=True, exist_ok=True)
    row = maker.agents_row(said)
    (folder / f"agent-a{number}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@dataclass
class _Maker:
    """Makes the client's rows, one after another."""

    session_id: str
    folder: str
    at_ms: int
    last: str | None = None
    count: int = 0

    def rows(self, kind: str, text: str, more: list[str]) -> Iterator[dict[str, Any]]:
        pasted = "\n".join([text, *(line.removeprefix("| ") for line in more)])
        match kind:
            case "user":
                yield {"type": "queue-operation", "operation": "enqueue", "content": text}
                yield self._said(pasted, promptSource="typed")
            case "note" | "nudge" | "block":
                yield from self._hook(kind, text)
            case "boundary":
                told = {"subtype": "compact_boundary", "content": "Conversation compacted"}
                meta = {"trigger": text or "auto", "preTokens": 160_000, "postTokens": 9_000}
                yield {**self._row("system", None), **told, "compactMetadata": meta}
            case "assistant":
                yield self._reply({"type": "text", "text": text})
            case _ if kind in CLIENTS:
                yield self._clients(kind, pasted)
            case _:
                yield from self._tool(kind, text, more)

    def _clients(self, kind: str, text: str) -> dict[str, Any]:
        """Return a row of the client's making that looks like a person's."""
        match kind:
            case "output":
                return self._said(f"<local-command-stdout>{text}</local-command-stdout>")
            case "slash":
                name, _, arguments = text.partition(" ")
                return self._said(
                    f"<command-name>{name}</command-name>\n<command-message>{name[1:]}"
                    f"</command-message>\n<command-args>{arguments}</command-args>"
                )
            case _:
                return self._said(text, **{CLIENTS[kind]: True})

    def _hook(self, kind: str, text: str) -> Iterator[dict[str, Any]]:
        """Yield what the client keeps of what a hook of ours gave."""
        if kind == "note":
            yield from self._given(f"<hitherto-memories>\n{text}\n</hitherto-memories>")
        elif kind == "nudge":
            yield from self._given(f"{NUDGE}{text}")
        else:
            shown = {"blockingError": f"Stop hook feedback: {text}", "command": "hook Stop"}
            yield self._attachment({"type": "hook_blocking_error", **shown})
            yield self._said(FEEDBACK + text, isMeta=True)

    def agents_row(self, said: str) -> dict[str, Any]:
        """Return what a subagent was told to do."""
        return {**self._said(said), "isSidechain": True, "agentId": "a0"}

    def _said(self, text: str, **more: Any) -> dict[str, Any]:
        return self._row("user", {"role": "user", "content": text}, **more)

    def _given(self, context: str) -> Iterator[dict[str, Any]]:
        """Yield what the client keeps of a hook's context: the text, and the hook's own output."""
        output = {"hookEventName": "UserPromptSubmit", "additionalContext": context}
        said = json.dumps({"hookSpecificOutput": output})
        yield self._attachment({"type": "hook_success", "stdout": said, "exitCode": 0})
        yield self._attachment({"type": "hook_additional_context", "content": [context]})

    def _attachment(self, shown: dict[str, Any]) -> dict[str, Any]:
        return {**self._row("attachment", None), "attachment": shown}

    def _tool(self, kind: str, text: str, more: list[str]) -> Iterator[dict[str, Any]]:
        name, given, result = _called(kind, text, more, self.folder)
        call_id = f"toolu_{_digest(self.session_id, str(self.count))[:24]}"
        yield self._reply({"type": "tool_use", "id": call_id, "name": name, "input": given})
        failed = kind == "bash!"
        said = f"Exit code 1\n{result}" if failed else result
        block = {"tool_use_id": call_id, "type": "tool_result", "content": said, "is_error": failed}
        yield self._row("user", {"role": "user", "content": [block]}, toolUseResult={})

    def _reply(self, block: dict[str, Any]) -> dict[str, Any]:
        message = {"id": f"msg_{self.count}", "role": "assistant", "content": [block]}
        return self._row("assistant", message)

    def _row(self, kind: str, message: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
        self.count += 1
        self.at_ms += MINUTE_MS
        own = str(uuid.UUID(_digest(self.session_id, "row", str(self.count))[:32]))
        row = {
            "parentUuid": self.last,
            "isSidechain": False,
            "type": kind,
            "uuid": own,
            "timestamp": datetime.fromtimestamp(self.at_ms / 1000, tz=UTC)
            .isoformat()
            .replace("+00:00", "Z"),
            "userType": "external",
            "cwd": self.folder,
            "sessionId": self.session_id,
            "version": "2.1.332",
            "gitBranch": "main",
            **({} if message is None else {"message": message}),
            **more,
        }
        self.last = own
        return row


def _called(kind: str, text: str, more: list[str], folder: str) -> tuple[str, dict[str, Any], str]:
    output = "\n".join(line.removeprefix("| ") for line in more)
    path = f"{folder}/{text}"
    match kind:
        case "edit":
            old = "\n".join(line[2:] for line in more if line.startswith("- "))
            new = "\n".join(line[2:] for line in more if line.startswith("+ "))
            given = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
            return "Edit", given, f"The file {path} has been updated successfully."
        case "write":
            content = "\n".join(line[2:] for line in more)
            return "Write", {"file_path": path, "content": content}, f"File created: {path}"
        case "read":
            return "Read", {"file_path": path}, output
        case _:
            return *_asked_for(kind, text), output


def _asked_for(kind: str, text: str) -> tuple[str, dict[str, Any]]:
    match kind:
        case "recall":
            return "mcp__hitherto__recall", {"query": text}
        case "remember":
            return "mcp__plugin_hitherto_hitherto__remember", {"content": text}
        case "agent":
            given = {"description": text, "prompt": text, "subagent_type": "general-purpose"}
            return "Agent", given
        case _:
            return "Bash", {"command": text, "description": "Run it"}
