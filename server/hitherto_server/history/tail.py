"""What came to a transcript since it was read last: the same file read on, or another one anew."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitherto_server.history.echoes import Echoes
from hitherto_server.history.pieces import ASKED, WENT_ON, Cutter, Resumed
from hitherto_server.history.rows import Transcript
from hitherto_server.sessions.control.quiet import lies_in, spellings

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitherto_server.history.pieces import Piece
    from hitherto_server.history.rows import Row
    from hitherto_server.sessions.control.quiet import Quiet
    from hitherto_server.store.driver import Row as Known

HEAD_BYTES = 4096


@dataclass(frozen=True)
class Read:
    """What was read: pieces, from where to read on, and what tells the file."""

    pieces: tuple[Piece, ...]
    offset: int
    head: str
    is_anew: bool
    """What was kept of another file of that name is void."""
    goes_on: bool = False
    """There is more to be read, of which the next step takes some."""


@dataclass
class Tail:
    """Reads one transcript on, time after time."""

    path: Path
    echoes: Echoes = field(default_factory=Echoes)

    def read(
        self,
        known: Known,
        opened: Known | None,
        quiet: Quiet,
        told: Callable[[int], None],
        most: int,
    ) -> Read:
        """Return what is new since what is known, of so many bytes; runs on a thread."""
        start: int = known["read_offset"]
        is_anew = start > 0 and not _is_same(self.path, start, known["head"])
        if is_anew:
            self.echoes, start, opened = Echoes(), 0, None
        self.echoes.read(self.path)
        # no further: what is said behind that may repeat what was given behind it
        until = min(self.echoes.end, start + most)
        transcript = Transcript(self.path, told, start=start, until=until, waits=True)
        cutter = Cutter(lambda name: quiet.hides(Path(name)), _resumed(opened, start))
        counts = counted(quiet, known)
        for row in transcript.rows():
            if counts(row):
                cutter.take(self.echoes.own(row))
        offset = cutter.close(transcript.end)
        pieces = tuple(cutter.finished())
        goes_on = transcript.end < self.echoes.end
        return Read(pieces, offset, head_of(self.path, offset), is_anew, goes_on)


def counted(quiet: Quiet, known: Known | dict[str, Any]) -> Callable[[Row], bool]:
    """Return what tells of a row whether it may be kept: said late enough, and in no pause."""
    rules = [rule for rule in quiet.rules if rule.session_id in (None, known["session_id"])]
    within = {rule.number: spellings(rule.path) for rule in rules if rule.path}
    lies: dict[tuple[int, str], bool] = {}

    def is_over(number: int, folder: str) -> bool:
        if (number, folder) not in lies:
            lies[number, folder] = number not in within or lies_in(folder, within[number])
        return lies[number, folder]

    def counts(row: Row) -> bool:
        if row.at_ms < known["since_ms"]:
            return False
        return not any(
            rule.holds_at(row.at_ms) and is_over(rule.number, row.folder) for rule in rules
        )

    return counts


def head_of(path: Path, offset: int) -> str:
    """Return what tells a file from another of its name: its beginning, as far as it was read."""
    size = min(HEAD_BYTES, offset)
    with path.open("rb") as file:
        return f"{size}:{hashlib.sha256(file.read(size)).hexdigest()}"


def _is_same(path: Path, offset: int, head: str) -> bool:
    size = int(head.partition(":")[0] or 0)
    with path.open("rb") as file:
        found = file.read(size)
        file.seek(offset - 1)
        ends_a_line = file.read(1) == b"\n"
    return ends_a_line and f"{size}:{hashlib.sha256(found).hexdigest()}" == head


def _resumed(opened: Known | None, start: int) -> Resumed | None:
    if opened is None or start == 0:
        return None
    sequence = opened["sequence"] + (opened["from_offset"] < start)
    first = opened["text"].partition("\n")[0]
    asked = first.removeprefix(ASKED).removeprefix(WENT_ON)
    return Resumed(opened["message_id"], sequence, asked[:120])
