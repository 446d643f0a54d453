"""What we gave a session: an agent that repeats it has not said it of its own."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hitherto_server.core.text import normalised, storable
from hitherto_server.history.rows import Reply
from hitherto_server.history.spoken import sentences
from hitherto_server.history.statements import stems_of
from hitherto_server.sessions.transcript import Lines, time_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from hitherto_server.history.rows import Row

GIVEN = frozenset({"hook_additional_context", "hook_blocking_error", "hook_stopped_continuation"})
"""Attachments in which the client keeps what hooks gave: ours and everybody's."""
MARKS = (b"hook_additional_context", b"hook_blocking_error", b"hook_stopped_continuation")
OURS = b"hitherto"
"""Stands in the names of our tools, in our tags and in our command."""
MOST_GIVEN = 4000
SHORTEST_QUOTE = 16
LEAST_STEMS = 4
LEAST_SHARED = 0.8


@dataclass(frozen=True)
class Given:
    """A sentence that a session was given: its words, and where and when it was first."""

    stems: frozenset[str]
    offset: int
    at_ms: int
    """0: nobody knows when."""

    def is_before(self, row: Row) -> bool:
        """Tell whether the agent may have had it: a client may write lines out of their order."""
        return self.offset < row.offset or self.at_ms <= row.at_ms


@dataclass
class Echoes:
    """The sentences that a session was given, and where the look for them ended."""

    end: int = 0
    _texts: dict[str, Given] = field(default_factory=dict)
    _calls: set[str] = field(default_factory=set)
    """Calls of our tools whose results are still to come."""

    def read(self, path: Path) -> None:
        """Take in what was given since the last time; a file is read from there on."""
        lines = Lines(path, start=self.end, waits=True)
        for offset, line in lines.read():
            if self._may_tell(line):
                self._take(line, offset)
        self.end = lines.end

    @property
    def given(self) -> list[tuple[int, str]]:
        """What was given, since when, sentence by sentence, as it is compared."""
        return [(given.at_ms, text) for text, given in self._texts.items()]

    def own(self, row: Row) -> Row:
        """Return a row in which the agent says only what it was not given before."""
        if not isinstance(row.what, Reply):
            return row
        text = row.what.text
        before = [(one, given.stems) for one, given in self._texts.items() if given.is_before(row)]
        said = sentences(text) if before else []
        own = [one for one in said if not _is_echo(one, before)]
        return row if len(own) == len(said) else replace(row, what=Reply("\n".join(own)))

    def _may_tell(self, line: bytes) -> bool:
        if OURS in line or any(mark in line for mark in MARKS):
            return True
        return any(call.encode() in line for call in self._calls)

    def _take(self, line: bytes, offset: int) -> None:
        try:
            value = json.loads(line)
            at_ms = time_of(value.get("timestamp")) or 0
            if value.get("type") == "attachment":
                texts = _given_in(value["attachment"])
            else:
                texts = self._answers_in(value["message"]["content"])
            for text in texts:
                self._put(text, offset, at_ms)
        except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
            return

    def _answers_in(self, blocks: list[dict[str, Any]]) -> Iterator[str]:
        """Yield what our tools answered."""
        for block in blocks:
            if block.get("type") == "tool_use" and is_ours(block["name"], block.get("input")):
                self._calls.add(str(block["id"]))
            elif block.get("type") == "tool_result" and block.get("tool_use_id") in self._calls:
                self._calls.discard(block["tool_use_id"])
                yield from _texts_in(block.get("content"))

    def _put(self, text: str, offset: int, at_ms: int) -> None:
        # a block's line names a memory's id, standing and date before it says what it says
        pieces = (piece for one in sentences(storable(text)) for piece in one.split(" \u00b7 "))
        for sentence in pieces:
            plain = normalised(sentence).lower()
            if len(plain) < SHORTEST_QUOTE:
                continue
            if (known := self._texts.get(plain)) is not None:
                self._texts[plain] = replace(known, at_ms=min(known.at_ms, at_ms))
            elif len(self._texts) < MOST_GIVEN:
                self._texts[plain] = Given(stems_of(plain), offset, at_ms)


def _given_in(attachment: dict[str, Any]) -> Iterator[str]:
    """Yield what a hook gave."""
    if attachment.get("type") in GIVEN:
        yield from _texts_in(attachment.get("content"), attachment.get("blockingError"))


def is_ours(tool: str, given: object) -> bool:
    """Tell whether a call is one of our tools, or of our command in a shell."""
    if "hitherto" in tool.lower():
        return True
    command = given.get("command") if isinstance(given, dict) else None
    return isinstance(command, str) and re.search(r"\bhitherto\b", command) is not None


def _texts_in(*values: object) -> Iterator[str]:
    """Yield every text in what the client keeps, however it is nested."""
    for value in values:
        match value:
            case str():
                yield value
            case list():
                yield from _texts_in(*value)
            case dict():
                yield from _texts_in(*value.values())
            case _:
                pass


def _is_echo(sentence: str, given: Iterable[tuple[str, frozenset[str]]]) -> bool:
    """Tell whether a sentence says what was given."""
    said = normalised(sentence).lower()
    stems = stems_of(said)
    return any(_is_quoted(one, said) or _is_repeated(words, stems) for one, words in given)


def _is_quoted(given: str, said: str) -> bool:
    return given.strip(".!?") in said or (
        len(said) >= SHORTEST_QUOTE and said.strip(".!?") in given
    )


def _is_repeated(given: frozenset[str], said: frozenset[str]) -> bool:
    fewest = min(len(given), len(said))
    return fewest >= LEAST_STEMS and len(given & said) >= LEAST_SHARED * fewest
