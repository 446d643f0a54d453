"""A session in pieces: what was asked, done and said in each exchange, or a part of one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.outputs import FAILURE, NOT_RUN, TIDY, telling_line
from hitherto_server.core.text import opening_of
from hitherto_server.gates.secrets import redact
from hitherto_server.history.echoes import is_ours
from hitherto_server.history.rows import Call, Outcome, Prompt, Reply
from hitherto_server.history.spoken import own_words
from hitherto_server.sessions.prompt.rules import asks_about_a_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hitherto_server.history.rows import Row

PART_CHARS = 1500
MOST_PART_CHARS = 3000
MOST_PARTS = 40
"""An exchange that goes on for longer repeats itself."""
MOST_PROMPT, MOST_REPLY, MOST_COMMAND = 800, 700, 160
OPENING_CHARS = 120
MOST_FILES, MOST_CALLS = 40, 200
EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
DISPATCHES = frozenset({"Agent", "Task"})
DONE = ("Edited ", "Ran ", "Dispatched: ")
ASKED, WENT_ON, SAID = "Asked: ", "Asked before: ", "Said: "


@dataclass(frozen=True)
class Resumed:
    """An exchange in whose midst reading begins."""

    message_id: str
    sequence: int
    asked: str


@dataclass
class Piece:
    """One part of an exchange; its text has no secrets any more."""

    message_id: str
    sequence: int
    session_id: str
    folder: str
    branch: str
    from_offset: int
    started_at_ms: int
    ended_at_ms: int
    to_offset: int = 0
    lines: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    asked: str = ""
    is_lookup: bool = False
    """What was asked is what earlier sessions said: the answer to that was theirs."""

    @property
    def text(self) -> str:
        """Return what is kept of it; a later part says first what was asked."""
        lead = [] if self.sequence == 0 or not self.asked else [WENT_ON + self.asked]
        return "\n".join([*lead, *self.lines])[:MOST_PART_CHARS]

    @property
    def says_something(self) -> bool:
        """Whether it is worth to be found: what retells earlier sessions is not."""
        if self.is_lookup:
            return any(line.startswith(DONE) for line in self.lines)
        return bool(self.lines)

    def size(self) -> int:
        """Return how many characters its lines have."""
        return sum(map(len, self.lines))


@dataclass
class Cutter:
    """Cuts a session's rows into pieces; told which files are not to be named."""

    hides: Callable[[str], bool] = lambda _: False
    resumed: Resumed | None = None
    pieces: list[Piece] = field(default_factory=list)
    _calls: dict[str, Call] = field(default_factory=dict)
    _open: Piece | None = None

    def take(self, row: Row) -> None:
        """Take in what happened next."""
        match row.what:
            case Prompt(text):
                self._ask(row, text)
            case Reply(text):
                self._cut_if_long(row)
                self._say(row, text)
            case Call() as call:
                self._cut_if_long(row)
                if len(self._calls) < MOST_CALLS:
                    self._calls[call.call_id] = call
            case Outcome() as outcome:
                self._end(row, outcome)

    def close(self, end: int) -> int:
        """End at an offset, and return from where to read on: the last piece may grow."""
        if self._open is None:
            return end
        self._open.to_offset = end
        return self._open.from_offset

    def _ask(self, row: Row, prompt: str) -> None:
        asked = own_words(redact(prompt).text)
        if not asked:
            return  # of the client's making: what was asked before goes on
        self._calls.clear()
        asked = _bounded(asked, MOST_PROMPT)
        message_id = row.message_id or _digest(row)
        self._begin(row, Resumed(message_id, 0, opening_of(asked, OPENING_CHARS)))
        self._add(row, ASKED + asked)

    def _begin(self, row: Row, exchange: Resumed) -> None:
        if self._open is not None:
            self._open.to_offset = row.offset
        self._open = None
        if exchange.sequence >= MOST_PARTS:
            return
        self._open = Piece(
            exchange.message_id,
            exchange.sequence,
            row.session_id,
            row.folder,
            row.branch,
            row.offset,
            row.at_ms,
            row.at_ms,
            asked=exchange.asked,
            is_lookup=asks_about_a_session(exchange.asked),
        )
        self.pieces.append(self._open)

    def _cut_if_long(self, row: Row) -> None:
        """Begin another part where no call waits for its outcome: reading may begin there."""
        if self._open is None and self.resumed is not None:
            self._begin(row, self.resumed)
        part = self._open
        self.resumed = None
        if part is not None and not self._calls and part.size() >= PART_CHARS:
            self._begin(row, Resumed(part.message_id, part.sequence + 1, part.asked))

    def _say(self, row: Row, text: str) -> None:
        said = _bounded(redact(text).text.strip(), MOST_REPLY)
        if said:
            self._add(row, SAID + said)

    def _end(self, row: Row, outcome: Outcome) -> None:
        call = self._calls.pop(outcome.call_id, None)
        if call is None or is_ours(call.tool, call.given):
            return
        if call.tool in EDITS:
            self._edited(row, call, outcome)
        elif call.tool in DISPATCHES:
            told = redact(str(call.given.get("description") or "")).text
            self._add(row, f"Dispatched: {told[:MOST_COMMAND]}" if told else "")
        elif call.tool == "Bash":
            self._add(row, _ran(call, outcome))

    def _edited(self, row: Row, call: Call, outcome: Outcome) -> None:
        named = call.given.get("file_path") or call.given.get("notebook_path")
        if outcome.failed or not isinstance(named, str) or self._open is None:
            return
        if self.hides(named):
            return
        within = f"{row.folder.rstrip('/')}/"
        name = redact(named.removeprefix(within)).text[:400]
        if name not in self._open.files and len(self._open.files) < MOST_FILES:
            self._open.files.append(name)
            self._add(row, f"Edited {name}")

    def _add(self, row: Row, line: str) -> None:
        if self._open is not None and line:
            self._open.lines.append(line)
            self._open.ended_at_ms = max(self._open.ended_at_ms, row.at_ms)

    def finished(self) -> Iterator[Piece]:
        """Yield the pieces that say something."""
        return (one for one in self.pieces if one.says_something)


def _ran(call: Call, outcome: Outcome) -> str:
    """Return what a command did, in a line; of looking around nothing is kept."""
    raw = " ".join(str(call.given.get("command") or "").split())
    is_commit = raw.startswith(("git commit", "git merge", "git push", "git rebase"))
    if not raw or (TIDY.search(raw) and not is_commit):
        return ""
    if outcome.failed and NOT_RUN.search(outcome.text[:300]):
        return ""
    command = _bounded(redact(raw).text, MOST_COMMAND)
    if not (outcome.failed or FAILURE.search(outcome.text)):
        return f"Ran `{command}`"
    error = telling_line(redact(outcome.text).text)
    return f"Ran `{command}`: failed{f': {error}' if error else ''}"


def _bounded(text: str, most: int) -> str:
    return text if len(text) <= most else f"{opening_of(text, most)} …"


def _digest(row: Row) -> str:
    return hashlib.sha256(f"{row.session_id}\x00{row.offset}".encode()).hexdigest()[:32]
