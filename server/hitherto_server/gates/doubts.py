"""What no pattern decides in a text: a judgment is shown it masked, else the rule stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitherto_server.gates.secrets import Redacted, look_at
from hitherto_server.gates.secrets.findings import masked
from hitherto_server.judge.surfaces.secret_gate import (
    MOST_SPANS,
    SURFACE,
    Span,
    decide,
    questions_for,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hitherto_server.gates.judging import Patience
    from hitherto_server.gates.secrets import Looked
    from hitherto_server.gates.secrets.findings import Finding
    from hitherto_server.judge.answers import Answers

AROUND_CHARS = 120


@dataclass(frozen=True)
class Judged:
    """A text without its secrets, and what the writer should hear of its judgment."""

    content: Redacted
    notes: tuple[str, ...] = ()


async def judged(text: str, patience: Patience) -> Judged:
    """Return the text without its secrets, the doubtful ones as a judgment says, if one comes."""
    looked = look_at(text)
    asked = _worth_asking(looked)
    if not asked:
        return Judged(looked.redacted())
    spans = spans_of(looked, asked)
    answers = await patience.ask(SURFACE, state_of(spans), questions_for(len(spans)))
    if answers is None:
        return Judged(looked.redacted())
    said = _said(answers, asked, patience)
    content = looked.redacted(said if answers.calibrated else None)
    await patience.judge.note_outcome(answers.log_id, _outcome(said, calibrated=answers.calibrated))
    return Judged(content, tuple(_notes(said, calibrated=answers.calibrated)))


def _worth_asking(looked: Looked) -> list[Finding]:
    """Return the doubtful ones, those first that would stay without a judgment."""
    return sorted(looked.doubtful, key=lambda one: one.named)[:MOST_SPANS]


def spans_of(looked: Looked, asked: Sequence[Finding]) -> list[Span]:
    """Return values as a judge is shown them: no value that may be a secret is in them."""
    text = looked.masked()
    return [
        Span(
            masked=masked(looked.value_of(one)),
            looks_like=one.kind,
            named=one.named,
            around=text[max(one.start - AROUND_CHARS, 0) : one.end + AROUND_CHARS],
        )
        for one in asked
    ]


def _said(answers: Answers, asked: Sequence[Finding], patience: Patience) -> dict[Finding, bool]:
    thresholds = {name: patience.judge.threshold(SURFACE, name) for name in SURFACE.thresholds}
    decided = decide(answers, len(asked), thresholds)
    return {asked[at]: is_secret for at, is_secret in decided.items()}


def _outcome(said: Mapping[Finding, bool], *, calibrated: bool) -> dict[str, object]:
    taken = sorted(one.kind for one, is_secret in said.items() if is_secret)
    kept = sorted(one.kind for one, is_secret in said.items() if not is_secret)
    return {"secrets": taken, "none": kept, "applied": calibrated}


def _notes(said: Mapping[Finding, bool], *, calibrated: bool) -> list[str]:
    """Say what is otherwise than the rule would have it, or would be if the judge were surer."""
    kept = sorted({one.kind for one, is_secret in said.items() if one.named and not is_secret})
    found = sorted({one.kind for one, is_secret in said.items() if is_secret and not one.named})
    notes = []
    if kept and calibrated:
        notes.append(f"looked like a secret, was judged to be none and kept: {', '.join(kept)}")
    if found and not calibrated:
        notes.append(f"may hold a secret, which was kept: {', '.join(found)}")
    return notes
