"""One transcript, from its rows to what it yields."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hitherto_server.core.text import normalised
from hitherto_server.gates.secrets import redact
from hitherto_server.history.echoes import Echoes
from hitherto_server.history.findings import Finding, Support
from hitherto_server.history.fixes import FixWatch
from hitherto_server.history.rows import Prompt, Transcript
from hitherto_server.history.spoken import own_words
from hitherto_server.history.statements import retracts, stated_in, stems_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hitherto_server.history.rows import Row
    from hitherto_server.history.statements import Stated

RULES_VERSION = "4"
"""Changes with what the rules find: files are read again then."""
MOST_PROMPTS = 400
TAKEN_BACK_WITHIN = 3
TAKEN_BACK_SHARED = 2
"""A retraction is about what was said in so many prompts before it, or shares so many words."""


@dataclass(frozen=True)
class Asked:
    """A prompt of the person's own, kept to show later what recall would have given for it."""

    text: str
    at_ms: int
    folder: str
    session_id: str


@dataclass(frozen=True)
class Yield:
    """What a transcript says."""

    findings: tuple[Finding, ...] = ()
    asked: tuple[Asked, ...] = ()
    skipped_lines: int = 0
    """Torn, no JSON, or too long."""


@dataclass
class _Listener:
    """Listens to a session and keeps what may be found in it."""

    watch: FixWatch = field(default_factory=FixWatch)
    stated: list[tuple[int, Finding]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    prompts: int = 0

    def take(self, row: Row) -> None:
        self.watch.take(row)
        if isinstance(row.what, Prompt):
            self._hear(row, row.what.text)

    def _hear(self, row: Row, prompt: str) -> None:
        text = own_words(prompt)
        if not text:
            return
        self.prompts += 1
        if retracts(text):
            self.watch.take_back_last()
            self._take_back(text)
        if stated_in(text):
            clean = redact(text).text
            self.stated += [(self.prompts, _spoken(one, row)) for one in stated_in(clean)]
        if len(self.asked) < MOST_PROMPTS:
            self.asked.append(Asked(text[:2000], row.at_ms, row.folder, row.session_id))

    def _take_back(self, text: str) -> None:
        said = stems_of(text)
        self.stated = [
            (at, one)
            for at, one in self.stated
            if self.prompts - at > TAKEN_BACK_WITHIN
            and len(said & stems_of(one.content)) < TAKEN_BACK_SHARED
        ]


def read_session(
    path: Path,
    told: Callable[[int], None] = lambda _: None,
    counts: Callable[[Row], bool] = lambda _: True,
) -> Yield:
    """Read one transcript and return what it yields, in the order in which it was said.

    What doesn't count is passed over, and so is what an agent repeats of what it was given before.
    """
    size, echoes = path.stat().st_size, Echoes()
    echoes.read(path)
    # no further: what is said behind that may repeat what was given behind it
    transcript, listener = Transcript(path, told, until=size), _Listener()
    for row in transcript.rows():
        if counts(row):
            listener.take(echoes.own(row))
    found = [one for _, one in listener.stated] + list(listener.watch.findings())
    once = {(one.kind == "issue", normalised(one.content).lower()): one for one in found}
    findings = sorted(once.values(), key=lambda one: one.at_ms)
    return Yield(tuple(findings), tuple(listener.asked), transcript.skipped)


def _spoken(one: Stated, row: Row) -> Finding:
    return Finding(
        kind=one.kind,
        content=one.content,
        support=(Support(one.sentence, "prompt", row.message_id, row.at_ms, "user"),),
        session_id=row.session_id,
        folder=row.folder or None,
    )
