"""Real fixes: a command failed, files were edited, the same command passed, and it stayed so."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from hitherto_server.core.outputs import (
    FAILURE,
    LONGEST_COMMAND,
    NOT_RUN,
    TAKES_BACK,
    WRITES,
    plain_command,
    telling_line,
)
from hitherto_server.gates.secrets import redact
from hitherto_server.history.findings import Finding, Support
from hitherto_server.history.rows import Call, Outcome, Reply
from hitherto_server.history.spoken import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hitherto_server.history.rows import Row

MOST_PENDING, MOST_CALLS, MOST_FIXED = 30, 200, 200
MOST_FILES = 4
"""A fix that touches more is a piece of work."""
MOST_COMMAND, MOST_CAUSE, MOST_CHANGE = 200, 240, 160
WINDOW = 8000
Kept = TypeVar("Kept")
EDITS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}
CAUSE = re.compile(
    r"\b(?:because|root cause|the cause|caused by|(?:problem|issue|bug|reason|culprit) (?:was|is)"
    r"|turns out|turned out)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Seen:
    """A row that speaks for a fix."""

    row: Row
    text: str


@dataclass(frozen=True)
class _Edit:
    """One change of a file."""

    seen: _Seen
    path: str
    old: str
    new: str


@dataclass(frozen=True)
class _Failure:
    """A command that fails, and what was tried since."""

    command: str
    first: _Seen
    edits: tuple[_Edit, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Fixed:
    """A failure that was mended."""

    failure: _Failure
    passed: _Seen
    turn: int


@dataclass
class FixWatch:
    """Watches a session's commands and edits for fixes."""

    _calls: dict[str, tuple[Call, Row]] = field(default_factory=dict)
    _failing: dict[str, _Failure] = field(default_factory=dict)
    _fixed: list[_Fixed] = field(default_factory=list)
    _edits: int = 0
    _edits_at_pass: dict[str, int] = field(default_factory=dict)
    _turn: int = 0

    def take(self, row: Row) -> None:
        """Note what happened."""
        match row.what:
            case Call() as call:
                _put(self._calls, call.call_id, (call, row), MOST_CALLS)
            case Reply(text):
                for command, failure in self._failing.items():
                    self._failing[command] = replace(
                        failure, said=(*failure.said[-5:], text[:2000])
                    )
            case Outcome() as outcome:
                self._end(outcome, row)
            case _:
                self._turn += 1

    def take_back_last(self) -> None:
        """Drop what was fixed since the prompt before: the person takes it back."""
        self._fixed = [one for one in self._fixed if one.turn < self._turn - 1]

    def findings(self) -> Iterator[Finding]:
        """Yield the fixes that held to the end of the session."""
        for one in self._fixed:
            finding = _finding(one)
            if finding is not None:
                yield finding

    def _end(self, outcome: Outcome, row: Row) -> None:
        called = self._calls.pop(outcome.call_id, None)
        if called is None or (NOT_RUN.search(outcome.text[:300]) and outcome.failed):
            return
        call, at = called
        if call.tool in EDITS and not outcome.failed:
            self._edited(call, at)
        elif call.tool == "Bash":
            self._ran(call, outcome, row)

    def _edited(self, call: Call, at: Row) -> None:
        self._edits += 1
        given = call.given
        path, old, new = (
            str(given.get(name) or "") for name in ("file_path", "old_string", "new_string")
        )
        edit = _Edit(_Seen(at, path), path, old[:WINDOW], new[:WINDOW])
        self._fixed = [one for one in self._fixed if not _undoes(edit, one)]
        for command, failure in self._failing.items():
            self._failing[command] = replace(
                failure, edits=(*failure.edits, edit)[: MOST_FILES * 4]
            )

    def _ran(self, call: Call, outcome: Outcome, row: Row) -> None:
        raw = str(call.given.get("command") or "")
        if len(raw) > LONGEST_COMMAND:
            return
        if TAKES_BACK.search(raw):
            self._fixed = [one for one in self._fixed if not _names(raw, one)]
            return
        if WRITES.search(raw):
            self._edits += 1
        command = plain_command(raw)
        if not command or call.given.get("run_in_background"):
            return
        seen = _Seen(row, outcome.text)
        if outcome.failed or FAILURE.search(outcome.text):
            self._failed(command, seen)
        else:
            self._passed(command, seen)

    def _failed(self, command: str, seen: _Seen) -> None:
        self._fixed = [one for one in self._fixed if one.failure.command != command]
        # what the session itself broke just before teaches nothing
        untouched = self._edits == self._edits_at_pass.get(command, 0)
        if command not in self._failing and untouched:
            _put(self._failing, command, _Failure(command, seen), MOST_PENDING)

    def _passed(self, command: str, seen: _Seen) -> None:
        self._edits_at_pass[command] = self._edits
        failure = self._failing.pop(command, None)
        if failure is not None and failure.edits and len(self._fixed) < MOST_FIXED:
            self._fixed.append(_Fixed(failure, seen, self._turn))


def _put(kept: dict[str, Kept], key: str, value: Kept, most: int) -> None:
    while len(kept) >= most:
        kept.pop(next(iter(kept)))
    kept[key] = value


def _undoes(edit: _Edit, fixed: _Fixed) -> bool:
    return any(
        edit.path == one.path
        and edit.old.strip() == one.new.strip()
        and edit.new.strip() == one.old.strip()
        for one in fixed.failure.edits
    )


def _names(command: str, fixed: _Fixed) -> bool:
    """Tell whether a git command takes back a fix: it names its file, or no file at all."""
    names = {os.path.basename(one.path) for one in fixed.failure.edits}  # noqa: PTH119 - a text
    words = {os.path.basename(word) for word in command.split()}  # noqa: PTH119 - a text
    return bool(names & words) or not any("." in word.strip(".") for word in words)


def _finding(fixed: _Fixed) -> Finding | None:
    failure = fixed.failure
    error = telling_line(redact(failure.first.text[-WINDOW:]).text)
    paths = list(dict.fromkeys(one.path for one in failure.edits if one.path))
    if error is None or not 0 < len(paths) <= MOST_FILES:
        return None
    folder = failure.first.row.folder
    files = [_within(path, folder) for path in paths]
    command = redact(failure.command[:WINDOW]).text
    command = command if len(command) <= MOST_COMMAND else f"{command[:MOST_COMMAND]} …"
    pieces = [
        f"`{command}` failed: {error}",
        _cause(failure.said),
        f"It passed after a change of {', '.join(files)}{_change(failure.edits)}.",
    ]
    supports = (
        _support(failure.first, "command failed", error),
        *(
            _support(one.seen, "edit", _within(one.path, folder))
            for one in failure.edits[:MOST_FILES]
        ),
        _support(fixed.passed, "command passed", command),
    )
    return Finding(
        kind="issue",
        content="\n".join(piece for piece in pieces if piece),
        support=supports,
        session_id=failure.first.row.session_id,
        folder=folder or None,
        files=tuple(path for path in paths if path.startswith("/") and not redact(path).changed),
        tags=("fix",),
    )


def _cause(said: tuple[str, ...]) -> str:
    for text in reversed(said):
        for sentence in sentences(redact(text).text):
            if (
                CAUSE.search(sentence)
                and not sentence.endswith("?")
                and len(sentence) <= MOST_CAUSE
            ):
                return sentence
    return ""


def _change(edits: tuple[_Edit, ...]) -> str:
    """Return what was changed, where that is a line."""
    if len(edits) != 1:
        return ""
    old, new = (redact(text).text.strip() for text in (edits[0].old, edits[0].new))
    is_short = old and new and max(len(old), len(new)) <= MOST_CHANGE and "\n" not in old + new
    return f": `{old}` became `{new}`" if is_short else ""


def _within(path: str, folder: str) -> str:
    inside = folder and path.startswith(f"{folder.rstrip('/')}/")
    return redact(path[len(folder.rstrip("/")) + 1 :] if inside else path).text


def _support(seen: _Seen, happened: str, sentence: str) -> Support:
    return Support(sentence, happened, seen.row.message_id, seen.row.at_ms, "tool")  # type: ignore[arg-type]
