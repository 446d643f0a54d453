"""What a client's transcript shows of a session: what was done, and what the replies took."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hitherto_server.core.own_file import own_file
from hitherto_server.sessions.transcript import Lines, time_of
from hitherto_server.sessions.worth.acts import Act, ActKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

MOST_BYTES = 512 * 1024 * 1024
MOST_ACTS = 20_000
MOST_TEXT = 20_000
MOST_SUBAGENTS = 200
CLASSES = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
SYNTHETIC = "<synthetic>"
"""The client's own words, that no model was paid for."""
TOOLS: Mapping[str, ActKind] = {
    "Bash": "command",
    "Edit": "edit",
    "Write": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Read": "look",
    "Grep": "look",
    "Glob": "look",
    "LS": "look",
}
PATHS = ("file_path", "notebook_path", "path")
UNREMARKABLE = frozenset({"old_string", "description", *PATHS})
"""What an edit takes out is no trace of anything, and who describes a command says it twice."""


@dataclass
class Usage:
    """What replies took, each counted once by its message id; None: no reply says."""

    replies: dict[str, dict[str, int]] = field(default_factory=dict)

    def take(self, message: Mapping[str, Any]) -> None:
        """Note what a row says of its reply; several rows of one reply say the same, or more."""
        name, usage = message.get("id"), message.get("usage")
        if not isinstance(name, str) or message.get("model") == SYNTHETIC:
            return
        known = self.replies.setdefault(name, {})
        for one in CLASSES:
            value = usage.get(one) if isinstance(usage, dict) else None
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                known[one] = max(known.get(one, 0), value)

    def total(self, one: str) -> int | None:
        """Return what all replies took of a class; None where none of them says."""
        told = [reply[one] for reply in self.replies.values() if one in reply]
        return sum(told) if told else None

    @property
    def silent(self) -> int:
        """Return how many replies do not say all that they took."""
        return sum(len(reply) < len(CLASSES) for reply in self.replies.values())


@dataclass
class Seen:
    """What transcripts show."""

    acts: list[Act] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


def read_transcripts(path: Path, told: Callable[[int], None] = lambda _: None) -> Seen | None:
    """Read a session's transcript and its subagents'; None where there is none."""
    if not is_readable(path):
        return None
    seen = Seen()
    _read(path, seen, "", told)
    folder = path.with_suffix("") / "subagents"
    for one in sorted(folder.glob("agent-*.jsonl"))[:MOST_SUBAGENTS]:
        if is_readable(one):
            _read(one, seen, one.stem.removeprefix("agent-"), told)
    seen.acts.sort(key=lambda act: act.at_ms)
    return seen


def is_readable(path: Path) -> bool:
    """Tell whether a path is a file of the person's own, of a size that is read."""
    found = own_file(path)
    return found is not None and found.st_size <= MOST_BYTES


def _read(path: Path, seen: Seen, agent: str, told: Callable[[int], None]) -> None:
    for _, line in Lines(path, told).read():
        if b'"message"' in line:
            _take(line, seen, agent)


def _take(line: bytes, seen: Seen, agent: str) -> None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return  # torn at its end, or the rest of a line that is too long
    message = row.get("message") if isinstance(row, dict) else None
    if not isinstance(message, dict):
        return
    if row.get("type") == "assistant":
        seen.usage.take(message)
    if len(seen.acts) < MOST_ACTS and row.get("type") in {"user", "assistant"}:
        is_said = not any(row.get(name) for name in ("isMeta", "isCompactSummary"))
        seen.acts += _acts(row, time_of(row.get("timestamp")) or 0, agent) if is_said else ()


def _acts(row: Mapping[str, Any], at_ms: int, agent: str) -> Iterator[Act]:
    said: ActKind = "reply" if row.get("type") == "assistant" else "prompt"
    content = row["message"].get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks if isinstance(blocks, list) else ():
        match block:
            case {"type": "tool_use", "name": str(name), "input": dict(given)}:
                path = next((given[one] for one in PATHS if isinstance(given.get(one), str)), "")
                yield Act(at_ms, TOOLS.get(name, "other"), _words(given), path, agent)
            case {"type": "tool_result", "content": found}:
                yield Act(at_ms, "result", _said(found), agent=agent)
            case {"type": "text", "text": str(text)}:
                yield Act(at_ms, said, text[:MOST_TEXT], agent=agent)
            case _:
                continue


def _words(given: Mapping[str, Any]) -> str:
    """Return the texts of a tool's input, one a line."""
    found: list[str] = []
    waiting: list[Any] = [given]
    while waiting:
        match waiting.pop():
            case str(text):
                found.append(text[:MOST_TEXT])
            case dict(one):
                waiting += [value for name, value in one.items() if name not in UNREMARKABLE]
            case list(several):
                waiting += several[:100]
    return "\n".join(reversed(found))[:MOST_TEXT]


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content[:MOST_TEXT]
    blocks = content if isinstance(content, list) else ()
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))[:MOST_TEXT]
