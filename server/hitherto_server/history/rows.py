"""A client's transcript as a stream: prompts, replies, tool calls and what came of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitherto_server.core.text import ending_of, opening_of, storable
from hitherto_server.sessions.transcript import Lines, time_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_TEXT = 20_000
MARGIN = 4096
"""So much more is searched for secrets than is kept of an end: none is cut in two."""
SPOKEN = ("user", "assistant")
"""The client keeps much else, of types that no list of ours could keep up with."""
NOT_SAID = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
)


@dataclass(frozen=True)
class Prompt:
    """What the person sent, with what the client put around it."""

    text: str


@dataclass(frozen=True)
class Reply:
    """What the agent said."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool that the agent called."""

    call_id: str
    tool: str
    given: dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of a call; the end of a long output."""

    call_id: str
    failed: bool
    text: str


@dataclass(frozen=True)
class Row:
    """One thing that happened, and where it stands in the transcript."""

    what: Prompt | Reply | Call | Outcome
    message_id: str
    session_id: str
    folder: str
    at_ms: int
    branch: str = ""
    offset: int = 0
    """Where its line begins, in bytes."""


@dataclass
class Transcript(Lines):
    """Reads one transcript, row after row; what is torn is counted and passed over."""

    unreadable: int = 0

    @property
    def skipped(self) -> int:
        """How many lines could not be read."""
        return self.unreadable + self.too_long

    def rows(self) -> Iterator[Row]:
        """Yield what happened in the session itself, the oldest first."""
        at_ms = int(self.path.stat().st_mtime * 1000)
        for offset, line in self.read():
            if b'"message"' not in line:  # the client keeps much beside the conversation
                continue
            for row in self._rows_of(line, offset, at_ms):
                at_ms = row.at_ms
                yield row

    def _rows_of(self, line: bytes, offset: int, before_ms: int) -> list[Row]:
        try:
            value = json.loads(line)
            if value.get("type") not in SPOKEN or any(value.get(name) for name in NOT_SAID):
                return []
            whats = _whats(value)
        except (ValueError, RecursionError, TypeError, AttributeError):
            self.unreadable += 1
            return []
        names = [_text(value, name)[:4096] for name in ("uuid", "sessionId", "cwd")]
        session_id = names[1] or self.path.stem
        at_ms = time_of(value.get("timestamp")) or before_ms
        branch = _text(value, "gitBranch")[:200]
        return [
            Row(what, names[0], session_id[:200], names[2], at_ms, branch, offset) for what in whats
        ]


def _whats(value: dict[str, Any]) -> list[Prompt | Reply | Call | Outcome]:
    content = (value.get("message") or {}).get("content")
    match value.get("type"):
        case "user" if isinstance(content, str):
            return [Prompt(_bounded(content))]
        case "user" if isinstance(content, list):
            return _sent(content)
        case "assistant" if isinstance(content, list):
            return [what for block in content if (what := _replied(block)) is not None]
        case _:
            return []


def _sent(blocks: list[dict[str, Any]]) -> list[Prompt | Reply | Call | Outcome]:
    outcomes = [block for block in blocks if block.get("type") == "tool_result"]
    if outcomes:
        return [_outcome(block) for block in outcomes]
    texts = [_text(block, "text") for block in blocks if block.get("type") == "text"]
    return [Prompt(_bounded("\n".join(texts)))] if texts else []


def _outcome(block: dict[str, Any]) -> Outcome:
    content = block.get("content")
    if isinstance(content, list):
        content = "\n".join(_text(one, "text") for one in content if isinstance(one, dict))
    text = ending_of(storable(content), MOST_TEXT) if isinstance(content, str) else ""
    return Outcome(_text(block, "tool_use_id"), bool(block.get("is_error")), text)


def _replied(block: dict[str, Any]) -> Reply | Call | None:
    match block.get("type"):
        case "text":
            return Reply(_bounded(_text(block, "text")))
        case "tool_use" if isinstance(block.get("input"), dict):
            return Call(_text(block, "id"), _text(block, "name"), block["input"])
        case _:
            return None


def _bounded(text: str) -> str:
    """Return a text, or its two ends: what is pasted between them may be a megabyte."""
    text = storable(text)
    if len(text) <= MOST_TEXT:
        return text
    from hitherto_server.gates.secrets import redact

    half = MOST_TEXT // 2
    head, tail = redact(text[: half + MARGIN]).text, redact(text[-half - MARGIN :]).text
    opening = opening_of(head, min(half, max(len(head) - MARGIN, 0)))
    return f"{opening}\n\n{ending_of(tail, min(half, max(len(tail) - MARGIN, 0)))}"


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return storable(found) if isinstance(found, str) else ""
