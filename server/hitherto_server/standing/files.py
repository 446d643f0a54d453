"""File states at recall time: a status call each while nothing changes, a parse where it did."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hitherto_server.standing.bounded import Bounded
from hitherto_server.standing.deadline import OutOfTime, spend
from hitherto_server.standing.decide import (
    MemoryFacts,
    StandingView,
    Verdict,
    joint_verdict,
    standing_of,
)
from hitherto_server.standing.reading import (
    FileState,
    FileText,
    Signature,
    read_file,
    signature_of,
)
from hitherto_server.standing.verify import (
    AnchorFinding,
    PartFinding,
    check,
    missing,
    unchanged,
)

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.standing.anchors import Anchor, Part
    from hitherto_server.standing.moves import Moves

MAX_FILES = 8192
MAX_FINDINGS = 8192
# an edit within a clock tick of the last one can leave the whole status as it was
SETTLED_NS = 2_000_000_000

IGNORED = "its folder is ignored"

FindMoved = Callable[[str, str | None, str | None, float | None], str | None]
Judged = Callable[[str, str], Verdict | None]
"""What a judgment decided of a memory beside a file of that path and hash."""


@dataclass(frozen=True)
class Remembered:
    """What recall knows of a memory before its files are looked at."""

    facts: MemoryFacts
    anchors: tuple[Anchor, ...]
    superseded_by: str | None = None
    conflicts: tuple[str, ...] = ()
    judged: Judged | None = None
    """None where nothing was judged of it, as a rule."""


class FileStates:
    """Looks at anchors; what it learned of a file's content stays known as long as that content."""

    def __init__(
        self,
        *,
        max_files: int = MAX_FILES,
        max_findings: int = MAX_FINDINGS,
        hides: Callable[[Path], bool] = lambda _: False,
    ) -> None:
        self.hides = hides
        self.unsettled = 0
        """How often a file was read whose status may not show its next edit yet."""
        self._hashes: Bounded[tuple[str, str], tuple[Signature, str]] = Bounded(max_files)
        self._findings: Bounded[tuple[str, str, tuple[Part, ...]], tuple[PartFinding, ...]] = (
            Bounded(max_findings)
        )

    def look(
        self,
        root: Path,
        anchors: Sequence[Anchor],
        find_moved: FindMoved | None = None,
        deadline: float | None = None,
    ) -> tuple[AnchorFinding, ...]:
        """Look at a memory's anchors; what the deadline leaves undone is found `unchecked`."""
        return tuple(self._in_time(root, anchor, find_moved, deadline) for anchor in anchors)

    def knows(self, root: Path, path: str) -> bool:
        """Tell, by its status alone, whether a file is as it was when it was read last."""
        # of an ignored one there is nothing to know
        return self.hides(root / path) or self._known(root, path) is not None

    def hash_of(self, root: Path, path: str) -> str | None:
        """Return the hash of a file as it is now; None where it cannot be read."""
        if self.hides(root / path):
            return None
        return self._known(root, path) or self.read(root, path).file_hash

    def read(self, root: Path, name: str) -> FileState:
        """Read a file as `read_file` does, and remember its hash."""
        if self.hides(root / name):
            return FileState("withheld", IGNORED)
        state = read_file(root, name)
        if state.file_hash and state.signature:
            # a copy may keep a time that is yet to come; when it was made, nobody can set
            changed_ns = state.signature[1]
            if time.time_ns() - changed_ns > SETTLED_NS:
                self._hashes.put((str(root), name), (state.signature, state.file_hash))
            else:
                self.unsettled += 1
        return state

    def _in_time(
        self,
        root: Path,
        anchor: Anchor,
        find_moved: FindMoved | None,
        deadline: float | None,
    ) -> AnchorFinding:
        try:
            spend(deadline)
            finding = self._look_at(root, anchor, anchor.path, deadline)
            if finding.state != "gone" or find_moved is None:
                return finding
            place = find_moved(anchor.path, anchor.commit, anchor.file_hash, deadline)
            if place is None:
                return finding
            followed = self._look_at(root, anchor, place, deadline)
        except OutOfTime:
            return AnchorFinding(anchor.path, "unchecked")
        if followed.state in {"gone", "unreadable"}:
            return finding
        return replace(followed, found_at=place)

    def _look_at(
        self, root: Path, anchor: Anchor, path: str, deadline: float | None
    ) -> AnchorFinding:
        if anchor.file_hash is None:
            return AnchorFinding(anchor.path, "withheld", note="it was never read")
        if self.hides(root / path):  # not even its status says anything
            return AnchorFinding(anchor.path, "withheld", note=IGNORED)
        if (known := self._known(root, path)) == anchor.file_hash:
            return unchanged(anchor)
        if known and (parts := self._findings.get((known, path, anchor.parts))) is not None:
            return AnchorFinding(anchor.path, "edited", parts)
        return self._read_and_check(root, anchor, path, deadline)

    def _read_and_check(
        self, root: Path, anchor: Anchor, path: str, deadline: float | None
    ) -> AnchorFinding:
        state = self.read(root, path)
        if state.condition == "gone":
            return missing(anchor)
        if state.condition == "withheld" or state.file_hash is None:
            return AnchorFinding(anchor.path, "unreadable", note=state.reason)
        if state.file_hash == anchor.file_hash:
            return unchanged(anchor)
        key = (state.file_hash, path, anchor.parts)
        parts = self._findings.get(key)
        if parts is None:
            text = None if state.content is None else FileText(path, state.content, deadline)
            parts = check(anchor, text)
            self._findings.put(key, parts)
        return AnchorFinding(anchor.path, "edited", parts)

    def _known(self, root: Path, path: str) -> str | None:
        known = self._hashes.get((str(root), path))
        if known is None:
            return None
        try:
            # a status opens nothing, and the same one means the same file that was permitted before
            now = signature_of(os.stat(f"{root}/{path}"))  # noqa: PTH116 - a Path costs more than it
        except (OSError, ValueError):
            return None
        return known[1] if known[0] == now else None


def standings(
    memories: Sequence[Remembered],
    root: Path,
    states: FileStates,
    moves: Moves | None = None,
    deadline: float | None = None,
) -> tuple[StandingView, ...]:
    """Say for each memory how far it holds; past the deadline the rest is `unverified`."""
    return tuple(_view(memory, root, states, moves, deadline) for memory in memories)


def _view(
    memory: Remembered,
    root: Path,
    states: FileStates,
    moves: Moves | None,
    deadline: float | None,
) -> StandingView:
    settled = memory.superseded_by is not None or bool(memory.conflicts)
    find_moved = moves.find if moves else None
    findings = () if settled else states.look(root, memory.anchors, find_moved, deadline)
    return standing_of(
        memory.facts,
        findings,
        superseded_by=memory.superseded_by,
        conflicts=memory.conflicts,
        verdict=None if memory.judged is None else _verdict(root, findings, states, memory.judged),
    )


def _verdict(
    root: Path, findings: Sequence[AnchorFinding], states: FileStates, judged: Judged
) -> Verdict | None:
    """Return the judgment on exactly the files that are there now, if one came."""

    def on(finding: AnchorFinding) -> Verdict | None:
        path = finding.found_at or finding.path
        file_hash = states.hash_of(root, path)
        return None if file_hash is None else judged(path, file_hash)

    return joint_verdict(findings, on)
