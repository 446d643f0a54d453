"""What we gave a session: an agent that repeats it has not said it of its own."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hitherto_server.core.text import normalised, storable
from hitherto_server.history.rows import MOST_LINE_BYTES, Reply, pass_over
from hitherto_server.history.spoken import sentences
from hitherto_server.history.statements import stems_of

if TYPE_CHECKING:
    from collections.abc import Iterator
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


@dataclass
class Echoes:
    """The sentences that a session was given, and where the look for them ended."""

    end: int = 0
    _texts: dict[str, frozenset[str]] = field(default_factory=dict)
    _calls: set[str] = field(default_factory=set)
    """Calls of our tools whose results are still to come."""

    def read(self, path: Path) -> None:
        """Take in what was given since the last time; a file is read from there on."""
        with path.open("rb") as file:
            file.seek(self.end)
            while line := file.readline(MOST_LINE_BYTES):
                rest, is_whole = (0, True) if line.endswith(b"\n") else pass_over(file)
                if not is_whole:
                    return
                self.end += len(line) + rest
                if not rest and self._may_tell(line):
                    self._take(line)

    @property
    def sentences(self) -> list[str]:
        """What was given, sentence by sentence, as it is compared."""
        return list(self._texts)

    def is_one(self, sentence: str) -> bool:
        """Tell whether a sentence says what the session was given."""
        said = normalised(sentence).lower()
        stems = stems_of(said)
        return any(
            _is_quoted(given, said) or _is_repeated(words, stems)
            for given, words in self._texts.items()
        )

    def without(self, text: str) -> str:
        """Return a text without the sentences that repeat what the session was given."""
        if not self._texts:
            return text
        said = sentences(text)
        own = [one for one in said if not self.is_one(one)]
        return text if len(own) == len(said) else "\n".join(own)

    def own(self, row: Row) -> Row:
        """Return a row in which the agent says only what is its own."""
        if not isinstance(row.what, Reply):
            return row
        return replace(row, what=Reply(self.without(row.what.text)))

    def _may_tell(self, line: bytes) -> bool:
        if OURS in line or any(mark in line for mark in MARKS):
            return True
        return any(call.encode() in line for call in self._calls)

    def _take(self, line: bytes) -> None:
        try:
            value = json.loads(line)
            if value.get("type") == "attachment":
                self._given(value["attachment"])
            else:
                self._called(value["message"]["content"])
        except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
            return

    def _given(self, attachment: dict[str, Any]) -> None:
        if attachment.get("type") in GIVEN:
            for text in _texts_in(attachment.get("content"), attachment.get("blockingError")):
                self._put(text)

    def _called(self, blocks: list[dict[str, Any]]) -> None:
        for block in blocks:
            if block.get("type") == "tool_use" and is_ours(block["name"], block.get("input")):
                self._calls.add(str(block["id"]))
            elif block.get("type") == "tool_result" and block.get("tool_use_id") in self._calls:
                self._calls.discard(block["tool_use_id"])
                for text in _texts_in(block.get("content")):
                    self._put(text)

    def _put(self, text: str) -> None:
        # a block's line names a memory's id, standing and date before it says what it says
        pieces = (piece for one in sentences(storable(text)) for piece in one.split(" \u00b7 "))
        for sentence in pieces:
            plain = normalised(sentence).lower()
            if len(plain) >= SHORTEST_QUOTE and len(self._texts) < MOST_GIVEN:
                self._texts.setdefault(plain, stems_of(plain))


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


def _is_quoted(given: str, said: str) -> bool:
    return given.strip(".!?") in said or (
        len(said) >= SHORTEST_QUOTE and said.strip(".!?") in given
    )


def _is_repeated(given: frozenset[str], said: frozenset[str]) -> bool:
    fewest = min(len(given), len(said))
    return fewest >= LEAST_STEMS and len(given & said) >= LEAST_SHARED * fewest
