"""A client's transcript as a stream: prompts, replies, tool calls and what came of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO

from hitherto_server.core.text import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MOST_LINE_BYTES = 8 * 1024 * 1024
"""A longer line is an image or a blob: nobody says that much."""
MOST_TEXT = 20_000
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


@dataclass
class Skipped:
    """How many lines of a transcript could not be read."""

    unreadable: int = 0
    too_long: int = 0


@dataclass
class Transcript:
    """Reads one transcript, row after row; what is torn or too long is counted and passed over."""

    path: Path
    told: Callable[[int], None] = lambda _: None
    """Called with the number of bytes that were read."""
    skipped: Skipped = field(default_factory=Skipped)

    def rows(self) -> Iterator[Row]:
        """Yield what happened in the session itself, the oldest first."""
        at_ms = int(self.path.stat().st_mtime * 1000)
        with self.path.open("rb") as file:
            for line in self._lines(file):
                for row in self._rows_of(line, at_ms):
                    at_ms = row.at_ms
                    yield row

    def _lines(self, file: BinaryIO) -> Iterator[bytes]:
        while line := file.readline(MOST_LINE_BYTES):
            self.told(len(line))
            if len(line) == MOST_LINE_BYTES and not line.endswith(b"\n"):
                self.skipped.too_long += 1
                self._pass_over(file)
            elif b'"message"' in line:  # the client keeps much beside the conversation
                yield line

    def _pass_over(self, file: BinaryIO) -> None:
        while rest := file.readline(MOST_LINE_BYTES):
            self.told(len(rest))
            if rest.endswith(b"\n"):
                return

    def _rows_of(self, line: bytes, before_ms: int) -> list[Row]:
        try:
            value = json.loads(line)
            if value.get("type") not in SPOKEN or any(value.get(name) for name in NOT_SAID):
                return []
            whats = _whats(value)
        except (ValueError, RecursionError, TypeError, AttributeError):
            self.skipped.unreadable += 1
            return []
        names = [_text(value, name)[:4096] for name in ("uuid", "sessionId", "cwd")]
        session_id = names[1] or self.path.stem
        at_ms = _time(value.get("timestamp")) or before_ms
        return [Row(what, names[0], session_id[:200], names[2], at_ms) for what in whats]


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
    text = storable(content[-MOST_TEXT:]) if isinstance(content, str) else ""
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
    half = MOST_TEXT // 2
    return text if len(text) <= MOST_TEXT else f"{text[:half]}\n\n{text[-half:]}"


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return storable(found) if isinstance(found, str) else ""


def _time(spelled: object) -> int | None:
    if not isinstance(spelled, str):
        return None
    try:
        return max(int(datetime.fromisoformat(spelled).timestamp() * 1000), 0)
    except (ValueError, OverflowError):
        return None
