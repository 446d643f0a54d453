"""What a session has mended: a command failed, files were changed, and the same command passed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.outputs import FAILURE, NOT_RUN, WRITES, plain_command, telling_line
from hitherto_server.sessions.stop.evidence import MOST_LINE
from hitherto_server.store.evidence import Command, Edit

if TYPE_CHECKING:
    from hitherto_server.store.evidence import Evidence

MOST_FILES = 4
"""A change of more files is a piece of work."""


@dataclass(frozen=True)
class Mended:
    """A failure that the same command showed to be gone after a change."""

    command: str
    error: str
    files: tuple[str, ...]
    at_ms: int
    """When it passed."""


@dataclass
class _Watch:
    """Follows commands and edits, as `history.fixes` does with the rows of a transcript."""

    failing: dict[str, Command] = field(default_factory=dict)
    found: dict[str, Mended] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    edits_at_pass: dict[str, int] = field(default_factory=dict)

    def take(self, step: Command | Edit) -> None:
        """Note what happened next."""
        if isinstance(step, Edit):
            self.edits.append(step)
            return
        if WRITES.search(step.line):
            self.edits.append(Edit("", step.at_ms))
        command = plain_command(step.line)
        if not command or len(step.line) >= MOST_LINE or step.failed is None:
            return
        if step.failed or FAILURE.search(step.tail):
            self._failed(command, step)
        else:
            self._passed(command, step)

    def _failed(self, command: str, step: Command) -> None:
        self.found.pop(command, None)
        # what the session itself broke just before teaches nothing
        untouched = len(self.edits) == self.edits_at_pass.get(command, 0)
        if untouched and not NOT_RUN.search(step.tail):
            self.failing.setdefault(command, step)

    def _passed(self, command: str, step: Command) -> None:
        self.edits_at_pass[command] = len(self.edits)
        before = self.failing.pop(command, None)
        error = telling_line(before.tail) if before is not None else None
        if before is None or error is None:
            return
        since = [one for one in self.edits if one.at_ms >= before.at_ms]
        files = tuple(dict.fromkeys(one.path for one in since if one.path))
        if since and len(files) <= MOST_FILES:
            self.found[command] = Mended(command, error, files, step.at_ms)


def mended_in(evidence: Evidence) -> list[Mended]:
    """Return what was mended, the latest last; what the session itself broke is left out."""
    watch = _Watch()
    steps: list[Command | Edit] = [*evidence.commands, *evidence.edits]
    for step in sorted(steps, key=lambda one: one.at_ms):
        watch.take(step)
    return sorted(watch.found.values(), key=lambda one: one.at_ms)
